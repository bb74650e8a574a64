// difference(x, y): the tangent that leads from y to x, so that add_to_primal(y, difference(x, y)) is x.
#pragma once

#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

struct make_difference : operation {
    template <class P>
    constexpr tangent_type_t<P> operator()([[maybe_unused]] P const& x, [[maybe_unused]] P const& y) const {
        using T = tangent_type_t<P>;
        if constexpr (!differentiable<P>)
            return T{};
        else if constexpr (has_parts<P>)
            return parts<P>::template make<T>(*this, x, y);
        else
            return x - y;
    }
};

struct difference_fn {
    template <class P>
    [[nodiscard]] constexpr tangent_type_t<P> operator()(P const& x, P const& y) const {
        return with_object_table<P>(make_difference{}, x, y);
    }
};

}  // namespace detail

inline constexpr detail::difference_fn difference{};

}  // namespace xgrad
