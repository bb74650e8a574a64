// Defines hook(x, f): x, on whose way back f sees the cotangent, and may change it.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/node/hook.hpp>

namespace xgrad {

// x. When everyone who uses the result has contributed to its cotangent, f is called with that, once: a number, or an array of x's shape, by an
// lvalue. It may look at it, change it in place, or return another in its place: hook(x, [](auto const& xbar) { return xt::clip(xbar, -1.0, 1.0); }).
// Where no derivative comes back f is not called. f is copied; it must not throw. A plain x, and a dual of forward mode, are passed on as they are.
template <class X, class F>
auto hook(X&& x, F f) {
    if constexpr (active<X>) return detail::make_hooked(std::move(f), std::forward<X>(x));
    else return std::remove_cvref_t<X>(std::forward<X>(x));
}

}
