// addresses_in(t): where the numbers of a tangent are that have an address of their own, in order.
#pragma once

#include <memory>
#include <vector>

#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>

namespace xgrad::detail {

struct collect_addresses : operation {
    std::vector<void const*>* found;
    bool by_value;
    template <class T>
    void operator()(T const& t) const {
        if constexpr (has_parts<T>) {
            collect_addresses inside = *this;
            inside.by_value = by_value && parts<T>::identity == identified::by_parts;
            parts<T>::each(inside, t);
        } else if constexpr (!absent<T>) {
            if (!by_value) found->push_back(std::addressof(t));
        }
    }
};

template <class T>
[[nodiscard]] std::vector<void const*> addresses_in(T const& t) {
    std::vector<void const*> found;
    with_object_table<T>(collect_addresses{{}, &found, true}, t);
    return found;
}

}  // namespace xgrad::detail
