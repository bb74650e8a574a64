// clone(x): a copy of a value or a tangent in memory of its own, where a copy would refer to the same objects, or does not exist.
#pragma once

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

template <class P>
consteval bool refers_or_owns_by_pointer() {
    if constexpr (differentiable<P> && has_parts<P>)
        return parts<P>::identity == identified::by_handle || !parts<P>::may_collapse;
    else
        return false;
}

struct needs_clone {
    template <class P>
    static constexpr bool of = refers_or_owns_by_pointer<P>();
};

struct make_clone : operation {
    template <class P>
    constexpr P operator()(P const& x) const {
        if constexpr (somewhere_in<needs_clone, P>())
            return parts<P>::template make<P>(*this, x);
        else
            return x;
    }
};

template <class P>
[[nodiscard]] constexpr P clone(P const& x) {
    return with_object_table<P>(make_clone{}, x);
}
// A copy, or a clone of what has an owner that cannot be copied.
struct cannot_be_copied {
    template <class P>
    static constexpr bool of = !std::is_copy_constructible_v<P>;
};
template <class P>
[[nodiscard]] constexpr P copy_of(P const& x) {
    if constexpr (somewhere_in<cannot_be_copied, P>()) return clone(x);
    else return x;
}

}  // namespace detail

}  // namespace xgrad
