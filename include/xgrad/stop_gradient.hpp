// Defines stop_gradient(x): the value of x as a constant, through which no derivative flows.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/compare.hpp>
#include <xgrad/scope/call/rule_call.hpp>

namespace xgrad {

namespace detail {

struct take_value {
    template <class X>
    auto operator()(X const& x) const {
        if constexpr (active<X>) return primal(x);
        else if constexpr (number_dual<X>) return innermost_primal(x);
        else if constexpr (holds_active<X>) return parts<plain_t<X>>::template make<plain_t<X>>(*this, x);
        else return x;
    }
};

}

// The plain value of what is active in x: of an active number a number, of an array an xt::xtensor or an xt::xarray of its own, of a struct
// or a container of active values the plain struct or container. A plain x is passed on as it is. No level of forward mode goes through, either.
template <class X>
decltype(auto) stop_gradient(X&& x) {
    using U = std::remove_cvref_t<X>;
    if constexpr (active<U> || number_dual<U> || detail::holds_active<U>) return detail::take_value{}(x);
    else return static_cast<X>(std::forward<X>(x));
}

}
