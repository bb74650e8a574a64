// Defines callable_struct: a struct that is a function with parameters of its own, with respect to which it is differentiated, too.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/arguments/call_argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A reflected struct with fields to differentiate, whose body is a static template that takes the object first.
template <class S, class... X>
concept callable_struct = reflected<S> && differentiable<S> &&
    requires(parameter_t<std::remove_cvref_t<S>, counted> self, parameter_t<std::remove_cvref_t<X>, counted>... x) {
    std::remove_cvref_t<S>::call(std::as_const(self), std::as_const(x)...);
};

template <class S>
struct body_of {
    template <class... H>
    auto operator()(H const&... h) const -> decltype(S::call(h...)) {
        return S::call(h...);
    }
};

}
XGRAD_DETAIL_QUIET_END
