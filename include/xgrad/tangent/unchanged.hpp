// Defines unchanged(x, y): whether two values are the same, bit for bit, what has no derivative included.
#pragma once

#include <cmath>
#include <concepts>
#include <stdexcept>
#include <type_traits>

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad::detail {

struct compare_bits : operation {
    bool* same;
    template <class P>
    void operator()(P const& x, P const& y) const {
        if constexpr (std::is_floating_point_v<P>) *same = *same && (x == y ? std::signbit(x) == std::signbit(y) : x != x && y != y);
        else if constexpr (has_parts<P>) parts<P>::each(*this, x, y);
        else if constexpr (std::equality_comparable<P>) *same = *same && x == y;
    }
};

template <class P>
[[nodiscard]] bool unchanged(P const& x, P const& y) {
    bool same = true;
    try {
        with_object_table<P>(compare_bits{{}, &same}, x, y);
    } catch (std::invalid_argument const&) {
        // other sizes, keys, or parts
        return false;
    }
    return same;
}

}  // namespace xgrad::detail
