// Defines the standard normal distribution's functions, and those of neural networks that are made of it or like it.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <type_traits>

#include <xgrad/ruleset/scalar/error_function.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <std::floating_point T>
using at_least_double = std::common_type_t<T, double>;
template <std::floating_point T>
T normal_cdf(T x) {
    using W = at_least_double<T>;
    constexpr W c = std::numbers::sqrt2_v<W> / 2;
    W const z = -static_cast<W>(x) * c, y = W(0.5) * std::erfc(z);
    if constexpr (std::is_same_v<T, double>) {
        // Far below 0 what is rounded off z counts: -erfc'(z) / erfc(z) is about z + sqrt(z^2 + 4 / pi) (Abramowitz and Stegun 7.1.13).
        constexpr double rest_of_c = -4.8336466567264567e-17;
        if (z > 1 && z < 40) return y - y * (std::fma(-x, c, -z) - x * rest_of_c) * (z + std::sqrt(z * z + 4 * std::numbers::inv_pi_v<double>));
    }
    return static_cast<T>(y);
}
template <class W>
W normal_density(W x) {
    W const square = x * x, density = std::exp(W(-0.5) * square) * (std::numbers::inv_sqrtpi_v<W> * (std::numbers::sqrt2_v<W> / 2));
    return density == 0 ? density : density - density * W(0.5) * std::fma(x, x, -square);
}
// Far below 0 the distribution is the density over -x times this, to 1e-17 where x < -30 (Abramowitz and Stegun 26.2.12).
template <class W>
W mills_series(W x) {
    W const r = 1 / (x * x);
    W s = 1;
    for (int k = 15; k > 0; k -= 2) s = 1 - static_cast<W>(k) * r * s;
    return s;
}
template <std::floating_point T>
T normal_log_cdf(T given) {
    using W = at_least_double<T>;
    W const x = given, half_log_2pi = W(0.918938533204672741780329736405617639861397473637783412817L);
    if (x < -30) return static_cast<T>(W(-0.5) * x * x - std::log(-x) - half_log_2pi + std::log(mills_series(x)));
    return static_cast<T>(x > 0 ? std::log1p(-normal_cdf(-x)) : std::log(normal_cdf(x)));
}
// The density over the distribution.
template <std::floating_point T>
T inverse_mills(T given) {
    using W = at_least_double<T>;
    W const x = given;
    return static_cast<T>(x < -30 ? -x / mills_series(x) : normal_density(x) / normal_cdf(x));
}

}

namespace op {

// The standard normal distribution, and its logarithm.
struct normal_cdf {
    static constexpr char const* name = "normal_cdf(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return detail::normal_cdf(x); }
    XGRAD_DETAIL_OF_DUALS(normal_cdf)
};
#define XGRAD_DETAIL_WHERE_NEAR(NAME, TEXT)                                                                                            \
    struct NAME {                                                                                                                      \
        static constexpr char const* name = TEXT;                                                                                      \
        static constexpr bool is_long = true;                                                                                          \
        template <bare_number P>                                                                                                       \
        XGRAD_DETAIL_INLINE auto operator()(P const& x) const {                                                                        \
            auto const one = [](auto v) { return detail::NAME(v); };                                                                   \
            if constexpr (batch<P>) return detail::where_near([](P const& v) { return detail::NAME##_near(v); }, one, x);              \
            else return one(x);                                                                                                        \
        }                                                                                                                              \
        XGRAD_DETAIL_OF_DUALS(NAME)                                                                                                    \
    };
XGRAD_DETAIL_WHERE_NEAR(normal_log_cdf, "normal_log_cdf(x)")
XGRAD_DETAIL_WHERE_NEAR(inverse_mills, "the derivative of normal_log_cdf(x)")
#undef XGRAD_DETAIL_WHERE_NEAR
// x where it is above 0, otherwise 0.
struct relu {
    static constexpr char const* name = "relu(x)";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x <= zero(x), zero(x), x); }
    XGRAD_DETAIL_OF_DUALS(relu)
};
// x / (1 + exp(-x)).
struct silu {
    static constexpr char const* name = "silu(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        auto const s = sigmoid{}(x);
        return choose(s == zero(s), s, x * s);
    }
    XGRAD_DETAIL_OF_DUALS(silu)
};
// x normal_cdf(x).
struct gelu {
    static constexpr char const* name = "gelu(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        auto const s = normal_cdf{}(x);
        return choose(s == zero(s), s, x * s);
    }
    XGRAD_DETAIL_OF_DUALS(gelu)
};

}

namespace detail {
// The normal density as a formula of packs and duals.
inline constexpr auto density_at = [](auto const& x) {
    return constant(x, std::numbers::inv_sqrtpi_v<long double> * std::numbers::sqrt2_v<long double> / 2) * op::exp{}(literal(x, -0.5) * x * x);
};
}

template <> inline constexpr auto partials<op::normal_cdf>     = [](auto,   auto x) { return partial(detail::density_at(x)); };
template <> inline constexpr auto partials<op::normal_log_cdf> = [](auto,   auto x) { return partial(op::inverse_mills{}(x)); };
template <> inline constexpr auto partials<op::inverse_mills>  = [](auto y, auto x) { return partial(-y * (x + y)); };
template <>
inline constexpr auto partials<op::relu> =
    [](auto, auto x) { return partial(choose(x <= zero(x), zero(x), choose(x == x, one(x), detail::not_a_number(x)))); };
template <>
inline constexpr auto partials<op::silu> = [](auto y, auto x) {
    auto const slope = [&](auto const& of_x, auto const& of_minus_x) {
        return partial(of_x + choose(of_minus_x == zero(x), of_minus_x, y * of_minus_x));
    };
    if constexpr (number_dual<decltype(x)>) return slope(op::sigmoid{}(x), op::sigmoid{}(-x));
    else {
        auto const s = detail::two_sigmoids(x);
        return slope(s.of_x, s.of_minus_x);
    }
};
template <>
inline constexpr auto partials<op::gelu> = [](auto, auto x) {
    auto const d = detail::density_at(x);
    return partial(op::normal_cdf{}(x) + choose(d == zero(d), d, x * d));
};

}
XGRAD_DETAIL_QUIET_END
