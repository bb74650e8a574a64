// Defines the error functions and the gamma functions. Digamma and polygamma are computed by Boost.Math, which <xgrad/special.hpp> includes.
#pragma once

#include <cmath>
#include <concepts>
#include <numbers>
#include <type_traits>

#include <xgrad/ruleset/scalar/error_function.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// libm keeps the sign of the gamma function in a variable of the whole program; where there is a form that does not, it is taken.
template <std::floating_point T>
T log_gamma(T x) {
#ifdef __GLIBC__
    int sign;
    if constexpr (std::is_same_v<T, float>) return ::lgammaf_r(x, &sign);
    else if constexpr (std::is_same_v<T, double>) return ::lgamma_r(x, &sign);
    else return ::lgammal_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

// static T digamma(T x) and static T polygamma(int n, T x): specialised in <xgrad/special.hpp>, by which alone a program pays for them.
template <class T>
struct gamma_derivatives;
template <class T>
consteval bool has_gamma_derivatives() {
    constexpr bool is_there = requires { sizeof(gamma_derivatives<T>); };
    static_assert(
        is_there,
        "xgrad[E080]: digamma, polygamma and the derivatives of tgamma(x) and lgamma(x) require Boost.Math, but it is not included: write #include "
        "<xgrad/special.hpp>");
    return is_there;
}

}

namespace op {

#define XGRAD_DETAIL_ERROR_FUNCTION(NAME, TEXT)                                \
    struct NAME {                                                              \
        static constexpr char const* name = TEXT;                              \
        static constexpr bool is_long = true;                                  \
        template <bare_number P>                                               \
        XGRAD_DETAIL_INLINE auto operator()(P const& x) const {                \
            if constexpr (batch<P>) return detail::NAME(x);                    \
            else return std::NAME(x);                                          \
        }                                                                      \
        XGRAD_DETAIL_OF_DUALS(NAME)                                            \
    };
XGRAD_DETAIL_ERROR_FUNCTION(erf, "erf(x)")
XGRAD_DETAIL_ERROR_FUNCTION(erfc, "erfc(x)")
#undef XGRAD_DETAIL_ERROR_FUNCTION
// its batch form does not return for some huge arguments
XGRAD_DETAIL_LANE_FUNCTION(tgamma, "tgamma(x)")
struct lgamma {
    static constexpr char const* name = "lgamma(x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        return each_lane([](auto v) { return detail::log_gamma(v); }, x);
    }
    XGRAD_DETAIL_OF_DUALS(lgamma)
};
// The derivative of log|gamma(x)|; NaN at the poles 0, -1, -2, ...
struct digamma {
    static constexpr char const* name = "digamma(x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& x) const {
        if constexpr (!detail::has_gamma_derivatives<xgrad::lane_type_t<P>>()) return x;
        else return each_lane([](auto v) { return detail::gamma_derivatives<decltype(v)>::digamma(v); }, x);
    }
    XGRAD_DETAIL_OF_DUALS(digamma)
};
// The n-th derivative of digamma, n = 0, 1, 2, ...; there is no derivative with respect to n.
struct polygamma {
    static constexpr char const* name = "polygamma(n, x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& n, P const& x) const {
        if constexpr (!detail::has_gamma_derivatives<xgrad::lane_type_t<P>>()) return x;
        else return each_lane([](auto k, auto v) { return detail::gamma_derivatives<decltype(v)>::polygamma(static_cast<int>(k), v); }, n, x);
    }
    XGRAD_DETAIL_OF_DUALS(polygamma)
};

}

template <>
inline constexpr auto partials<op::erf> =
    [](auto, auto x) { return partial(detail::constant(x, 2 * std::numbers::inv_sqrtpi_v<long double>) * op::exp{}(-x * x)); };
template <>
inline constexpr auto partials<op::erfc> =
    [](auto, auto x) { return partial(detail::constant(x, -2 * std::numbers::inv_sqrtpi_v<long double>) * op::exp{}(-x * x)); };
template <> inline constexpr auto partials<op::tgamma>    = [](auto y, auto x) { return partial(y * op::digamma{}(x)); };
template <> inline constexpr auto partials<op::lgamma>    = [](auto,   auto x) { return partial(op::digamma{}(x)); };
template <> inline constexpr auto partials<op::digamma>   = [](auto,   auto x) { return partial(op::polygamma{}(one(x), x)); };
template <> inline constexpr auto partials<op::polygamma> = [](auto,   auto n, auto x) { return partial(zero(n), op::polygamma{}(n + one(n), x)); };

}
XGRAD_DETAIL_QUIET_END
