// add_to_primal(x, t): the primal x moved by the tangent t; x stays as it is.
#pragma once

#include <type_traits>

#include <xgrad/tangent/clone.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

struct move_by : operation {
    template <class P, class T>
    constexpr void operator()([[maybe_unused]] P& x, [[maybe_unused]] T const& t) const {
        if constexpr (differentiable<P>) {
            if constexpr (has_parts<P>) {
                parts<P>::each(*this, x, t);
            } else {
                static_assert(!std::is_const_v<P>, "xgrad[E012]: add_to_primal(x, t) requires the differentiable fields of 'x' to be assignable: remove const");
                if constexpr (!std::is_const_v<P>) x += t;
            }
        }
    }
};

struct add_to_primal_fn {
    template <class P>
    [[nodiscard]] constexpr P operator()(P const& x, tangent_type_t<P> const& t) const {
        P y = clone(x);
        with_object_table<P>(move_by{}, y, t);
        return y;
    }
};

}  // namespace detail

inline constexpr detail::add_to_primal_fn add_to_primal{};

}  // namespace xgrad
