// Defines the special functions that Boost.Math computes, and what digamma, polygamma and the derivatives of tgamma and lgamma are computed by.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>

#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/scalar/boost_math.hpp>

namespace xgrad::detail {

template <std::floating_point T>
struct gamma_derivatives<T> {
    static T digamma(T x) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (!(x > -infinity)) return nan;
        if (x == infinity) return x;
        // 0 has a sign, and so has the pole there
        if (std::abs(x) < std::numeric_limits<T>::min()) return -1 / x;
        if (x <= 0 && x == std::floor(x)) return nan;
        return boost::math::digamma(x, quiet_policy());
    }
    static T polygamma(int n, T x) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (n == 0) return digamma(x);
        if (n < 0 || !(x > -infinity)) return nan;
        if (x == infinity) return T(n % 2 == 1 ? 0.0 : -0.0);
        if (x <= 0 && x == std::floor(x)) return n % 2 == 1 ? infinity : x == 0 ? -1 / x : nan;
        return boost::math::polygamma(n, x, quiet_policy());
    }
};

}

namespace xgrad {

namespace detail {
// What is no operand, as an order: a plain number, or a plain array of them.
template <class N>
concept plain_parameter = plain_operand<N> && !number_dual<std::remove_cvref_t<N>>;
// A function of parameters and an operand.
template <class Op, class X, class... N>
XGRAD_DETAIL_INLINE auto with_parameters(X&& x, N&&... n) {
    static_assert((plain_parameter<N> && ...),
                  "xgrad[E150]: cyl_bessel_j(n, x), gamma_p(a, x), ibeta(a, b, x) and their like require plain numbers or arrays in front of x, but one is "
                  "active, and they have no derivative there: write stop_gradient(n)");
    if constexpr (!(plain_parameter<N> && ...)) return +std::forward<X>(x);
    else if constexpr (number_dual<X>) return lift<Op>(n..., x);
    else return elementwise<Op>(std::forward<N>(n)..., std::forward<X>(x));
}
}

// Element by element, of active values, of plain numbers and of plain arrays; shapes broadcast, and where they do not std::invalid_argument is thrown. Outside
// its domain a function is NaN, and throws nothing.
//   erfinv(x)             the y with erf(y) = x; infinite at -1 and 1, and so is its derivative
//   normal_quantile(p)    the y with normal_cdf(y) = p; infinite at 0 and 1
#define XGRAD_DETAIL_SPECIAL(NAME)                                                                          \
    template <class E>                                                                                      \
        requires(active<E> || plain_operand<E>)                                                             \
    XGRAD_DETAIL_INLINE auto NAME(E&& x) { return detail::with_parameters<op::NAME>(std::forward<E>(x)); }
XGRAD_DETAIL_SPECIAL(erfinv)
XGRAD_DETAIL_SPECIAL(normal_quantile)
#undef XGRAD_DETAIL_SPECIAL
// As C++17 names them, of any real order n, a plain number or array (E150); the derivatives are those of DLMF 10.6.1 and 10.29.1.
//   cyl_bessel_j(n, x) cyl_neumann(n, x)    J and Y; Y for x > 0
//   cyl_bessel_i(n, x) cyl_bessel_k(n, x)   the modified ones, I and K; K for x > 0
// The regularised incomplete gamma functions P(a, x) = 1 - Q(a, x) for a > 0 and x >= 0, a plain number or array (E150).
#define XGRAD_DETAIL_SPECIAL(NAME)                                                                          \
    template <class N, class E>                                                                             \
        requires((active<N> || plain_operand<N>) && (active<E> || plain_operand<E>))                        \
    XGRAD_DETAIL_INLINE auto NAME(N&& n, E&& x) { return detail::with_parameters<op::NAME>(std::forward<E>(x), std::forward<N>(n)); }
XGRAD_DETAIL_SPECIAL(cyl_bessel_j)
XGRAD_DETAIL_SPECIAL(cyl_neumann)
XGRAD_DETAIL_SPECIAL(cyl_bessel_i)
XGRAD_DETAIL_SPECIAL(cyl_bessel_k)
XGRAD_DETAIL_SPECIAL(gamma_p)
XGRAD_DETAIL_SPECIAL(gamma_q)
#undef XGRAD_DETAIL_SPECIAL
// The regularised incomplete beta function for a, b > 0 and 0 <= x <= 1; a and b are plain numbers or arrays (E150).
template <class A, class B, class E>
    requires((active<A> || plain_operand<A>) && (active<B> || plain_operand<B>) && (active<E> || plain_operand<E>))
XGRAD_DETAIL_INLINE auto ibeta(A&& a, B&& b, E&& x) {
    return detail::with_parameters<op::ibeta>(std::forward<E>(x), std::forward<A>(a), std::forward<B>(b));
}

}

// Found without a prefix on plain arrays, too.
namespace xt {
using xgrad::cyl_bessel_i, xgrad::cyl_bessel_j, xgrad::cyl_bessel_k, xgrad::cyl_neumann, xgrad::erfinv, xgrad::gamma_p, xgrad::gamma_q, xgrad::ibeta,
    xgrad::normal_quantile;
}
