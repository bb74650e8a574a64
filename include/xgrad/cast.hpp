// Defines cast<T>(x): the same values with elements of another floating-point or complex type.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/refused_xtensor.hpp>
#include <xgrad/rule/conversion.hpp>
#include <xgrad/scope/node/make_formula.hpp>

namespace xgrad {

// cast<T>(x): of a plain array it is xtensor's, of a plain number static_cast<T>(x). Of active values T is float, double or a complex type (E153), and what is
// complex stays so: take real(z) first. The shape is that of x.
template <class T, class E>
    requires active<E>
auto cast(E&& e) {
    using S = typename std::remove_cvref_t<E>::value_type;
    constexpr bool good = (std::is_floating_point_v<T> || detail::is_complex_number<T>) && (detail::is_complex_number<T> || !detail::is_complex_number<S>);
    if constexpr (good) return make_formula<convert_op<T>>(std::forward<E>(e));
    else return detail::refuse_xtensor(e);
}
template <class T, class X>
    requires detail::plain_number<std::remove_cvref_t<X>>
constexpr T cast(X&& x) { return static_cast<T>(x); }

}

namespace xt {
using xgrad::cast;
}
namespace xgrad {
using xt::cast;
}
