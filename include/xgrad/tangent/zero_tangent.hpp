// zero_tangent(x): the tangent of x that changes nothing, of the shape of x.
#pragma once

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

struct make_zero_tangent : operation {
    template <class P>
    constexpr tangent_type_t<P> operator()([[maybe_unused]] P const& x) const {
        using T = tangent_type_t<P>;
        if constexpr (differentiable<P> && has_parts<P>)
            return parts<P>::template make<T>(*this, x);
        else
            return T{};
    }
};

struct zero_tangent_fn {
    template <class P>
    [[nodiscard]] constexpr tangent_type_t<P> operator()(P const& x) const {
        return with_object_table<P>(make_zero_tangent{}, x);
    }
};

}  // namespace detail

inline constexpr detail::zero_tangent_fn zero_tangent{};

}  // namespace xgrad
