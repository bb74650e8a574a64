// Defines what Boost.Math computes: inverse error functions, Bessel functions, incomplete gamma and beta functions; <xgrad/special.hpp> includes it.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__)
// g++ -O3 sees a variable of Boost's Bessel functions without a value
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// At a pole, and outside their domain, the functions give what Boost.Math gives there without throwing: NaN or an infinity.
using quiet_policy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>, boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>, boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>, boost::math::policies::rounding_error<boost::math::policies::ignore_error>>;

// f(x...), and NaN where one of them is: not every function of Boost.Math says so itself.
template <class F, class T, class... U>
T unless_nan(F f, T x, U... more) { return x != x || ((more != more) || ...) ? std::numeric_limits<T>::quiet_NaN() : f(x, more...); }

}

namespace op {

#define XGRAD_DETAIL_BOOST_FUNCTION(NAME, TEXT, PARAMETERS, ...)                                                              \
    struct NAME {                                                                                                             \
        static constexpr char const* name = TEXT;                                                                             \
        static constexpr bool is_long = true;                                                                                 \
        static constexpr auto of_numbers = []<std::floating_point T> PARAMETERS -> T { return __VA_ARGS__; };                  \
        template <bare_number P, std::same_as<P>... Q>                                                                        \
            requires std::is_invocable_v<decltype(of_numbers) const&, lane_type_t<P>, lane_type_t<Q>...>                      \
        P operator()(P const& first, Q const&... more) const {                                                                \
            return each_lane([](auto... v) { return detail::unless_nan(of_numbers, v...); }, first, more...);                 \
        }                                                                                                                     \
        XGRAD_DETAIL_OF_DUALS(NAME)                                                                                           \
    };
#define XGRAD_DETAIL_BOUNDED(X, ...) X < -1 || X > 1 ? std::numeric_limits<T>::quiet_NaN() : __VA_ARGS__
// The x with erf(x) = y.
XGRAD_DETAIL_BOOST_FUNCTION(erfinv, "erfinv(x)", (T x), XGRAD_DETAIL_BOUNDED(x, x == 1 || x == -1 ? x * std::numeric_limits<T>::infinity()
                                                                                                  : boost::math::erf_inv(x, detail::quiet_policy())))
// The x at which the standard normal distribution has reached the probability p: -sqrt(2) erfc_inv(2 p).
XGRAD_DETAIL_BOOST_FUNCTION(normal_quantile, "normal_quantile(p)", (T p),
                            p < 0 || p > 1     ? std::numeric_limits<T>::quiet_NaN()
                            : p == 0 || p == 1 ? (p - T(0.5)) * std::numeric_limits<T>::infinity()
                                               : -std::numbers::sqrt2_v<T> * boost::math::erfc_inv(2 * p, detail::quiet_policy()))
#undef XGRAD_DETAIL_BOUNDED
// The Bessel functions of order n, which is no operand; those of the second kind for x > 0.
XGRAD_DETAIL_BOOST_FUNCTION(cyl_bessel_j, "cyl_bessel_j(n, x)", (T n, T x), boost::math::cyl_bessel_j(n, x, detail::quiet_policy()))
XGRAD_DETAIL_BOOST_FUNCTION(cyl_neumann, "cyl_neumann(n, x)", (T n, T x),
                            x > 0 ? T(boost::math::cyl_neumann(n, x, detail::quiet_policy()))
                            : x == 0 && n >= 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN())
XGRAD_DETAIL_BOOST_FUNCTION(cyl_bessel_i, "cyl_bessel_i(n, x)", (T n, T x), boost::math::cyl_bessel_i(n, x, detail::quiet_policy()))
XGRAD_DETAIL_BOOST_FUNCTION(cyl_bessel_k, "cyl_bessel_k(n, x)", (T n, T x),
                            x > 0    ? T(boost::math::cyl_bessel_k(n, x, detail::quiet_policy()))
                            : x == 0 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN())
// The regularised incomplete gamma functions for a > 0, x >= 0, and their density x^(a-1) exp(-x) / Gamma(a); a is no operand.
#define XGRAD_DETAIL_GAMMA(...) !(a > 0) || x < 0 ? std::numeric_limits<T>::quiet_NaN() : __VA_ARGS__
XGRAD_DETAIL_BOOST_FUNCTION(gamma_p, "gamma_p(a, x)", (T a, T x),
                            XGRAD_DETAIL_GAMMA(x > std::numeric_limits<T>::max() ? T(1) : T(boost::math::gamma_p(a, x, detail::quiet_policy()))))
XGRAD_DETAIL_BOOST_FUNCTION(gamma_q, "gamma_q(a, x)", (T a, T x),
                            XGRAD_DETAIL_GAMMA(x > std::numeric_limits<T>::max() ? T(0) : T(boost::math::gamma_q(a, x, detail::quiet_policy()))))
XGRAD_DETAIL_BOOST_FUNCTION(gamma_density, "the density of gamma_p(a, x)", (T a, T x),
                            XGRAD_DETAIL_GAMMA(x == 0 ? (a < 1 ? std::numeric_limits<T>::infinity() : T(a == 1))
                                               : x > std::numeric_limits<T>::max() ? T(0) : T(boost::math::gamma_p_derivative(a, x, detail::quiet_policy()))))
#undef XGRAD_DETAIL_GAMMA
// The regularised incomplete beta function for a, b > 0, 0 <= x <= 1, and its density x^(a-1) (1-x)^(b-1) / B(a, b); a and b are no operands.
#define XGRAD_DETAIL_BETA(...) !(a > 0) || !(b > 0) || x < 0 || x > 1 ? std::numeric_limits<T>::quiet_NaN() : __VA_ARGS__
XGRAD_DETAIL_BOOST_FUNCTION(ibeta, "ibeta(a, b, x)", (T a, T b, T x), XGRAD_DETAIL_BETA(T(boost::math::ibeta(a, b, x, detail::quiet_policy()))))
XGRAD_DETAIL_BOOST_FUNCTION(beta_density, "the density of ibeta(a, b, x)", (T a, T b, T x),
                            XGRAD_DETAIL_BETA(x == 0 ? (a < 1 ? std::numeric_limits<T>::infinity() : a == 1 ? b : T(0))
                                              : x == 1 ? (b < 1 ? std::numeric_limits<T>::infinity() : b == 1 ? a : T(0))
                                                       : T(boost::math::ibeta_derivative(a, b, x, detail::quiet_policy()))))
#undef XGRAD_DETAIL_BETA
#undef XGRAD_DETAIL_BOOST_FUNCTION

}

// 1 / erf'(y), and 1 / the normal density at y.
template <>
inline constexpr auto partials<op::erfinv> =
    [](auto y, auto) { return partial(detail::constant(y, 1 / (2 * std::numbers::inv_sqrtpi_v<long double>)) * op::exp{}(y * y)); };
template <>
inline constexpr auto partials<op::normal_quantile> = [](auto y, auto) {
    return partial(detail::constant(y, std::numbers::sqrt2_v<long double> / std::numbers::inv_sqrtpi_v<long double>) * op::exp{}(literal(y, 0.5) * y * y));
};
// DLMF 10.6.1 and 10.29.1.
template <>
inline constexpr auto partials<op::cyl_bessel_j> = [](auto, auto n, auto x) {
    return partial(zero(n), literal(x, 0.5) * (op::cyl_bessel_j{}(n - one(n), x) - op::cyl_bessel_j{}(n + one(n), x)));
};
template <>
inline constexpr auto partials<op::cyl_neumann> = [](auto, auto n, auto x) {
    return partial(zero(n), literal(x, 0.5) * (op::cyl_neumann{}(n - one(n), x) - op::cyl_neumann{}(n + one(n), x)));
};
template <>
inline constexpr auto partials<op::cyl_bessel_i> = [](auto, auto n, auto x) {
    return partial(zero(n), literal(x, 0.5) * (op::cyl_bessel_i{}(n - one(n), x) + op::cyl_bessel_i{}(n + one(n), x)));
};
template <>
inline constexpr auto partials<op::cyl_bessel_k> = [](auto, auto n, auto x) {
    return partial(zero(n), literal(x, -0.5) * (op::cyl_bessel_k{}(n - one(n), x) + op::cyl_bessel_k{}(n + one(n), x)));
};
template <> inline constexpr auto partials<op::gamma_p> = [](auto, auto a, auto x) { return partial(zero(a), op::gamma_density{}(a, x)); };
template <> inline constexpr auto partials<op::gamma_q> = [](auto, auto a, auto x) { return partial(zero(a), -op::gamma_density{}(a, x)); };
// f(a)' = f(a - 1) - f(a), where f(0) = 0; below a = 1 that is f(a) (a - 1) / x - f(a).
template <>
inline constexpr auto partials<op::gamma_density> = [](auto y, auto a, auto x) {
    auto const less = a - one(a);
    return partial(zero(a), choose(a > one(a), op::gamma_density{}(less, x), choose(a == one(a), zero(x), y * less / x)) - y);
};
template <>
inline constexpr auto partials<op::ibeta> = [](auto, auto a, auto b, auto x) { return partial(zero(a), zero(b), op::beta_density{}(a, b, x)); };
// f(a, b)' = (a + b - 1) (f(a - 1, b) - f(a, b - 1)), where f(0, b) = f(a, 0) = 0; below 1 by (a - 1) f / x and (b - 1) f / (1 - x).
template <>
inline constexpr auto partials<op::beta_density> = [](auto y, auto a, auto b, auto x) {
    auto const m = a - one(a), n = b - one(b), s = a + n;
    auto const rising = choose(a > one(a), s * op::beta_density{}(m, b, x), choose(a == one(a), zero(x), m * y / x));
    auto const falling = choose(b > one(b), s * op::beta_density{}(a, n, x), choose(b == one(b), zero(x), n * y / (one(x) - x)));
    return partial(zero(a), zero(b), rising - falling);
};

}
XGRAD_DETAIL_QUIET_END
