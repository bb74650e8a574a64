// same_value(t, s): whether two tangents have the same numbers in the same places.
#pragma once

#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>

namespace xgrad::detail {

struct compare_values : operation {
    bool* same;
    template <class T>
    constexpr void operator()([[maybe_unused]] T const& t, [[maybe_unused]] T const& s) const {
        if constexpr (has_parts<T>)
            parts<T>::each(*this, t, s);
        else if constexpr (!absent<T>)
            *same = *same && t == s;
    }
};

template <class T>
[[nodiscard]] constexpr bool same_value(T const& t, T const& s) {
    bool same = true;
    with_object_table<T>(compare_values{{}, &same}, t, s);
    return same;
}

}  // namespace xgrad::detail
