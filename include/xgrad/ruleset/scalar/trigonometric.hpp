// Defines the trigonometric functions, their inverses, and angles in degrees.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

#include <xgrad/ruleset/scalar/arithmetic.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>
#include <xgrad/ruleset/scalar/rounding.hpp>
#include <xgrad/ruleset/scalar/sine_and_cosine.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// clang takes the functions of libm to write errno, and would compute a cosine anew for the pullback of its sine; its builtins are pure.
#if __has_builtin(__builtin_elementwise_sin) && __has_builtin(__builtin_elementwise_cos)
XGRAD_DETAIL_INLINE auto sin(std::floating_point auto x) { return __builtin_elementwise_sin(x); }
XGRAD_DETAIL_INLINE auto cos(std::floating_point auto x) { return __builtin_elementwise_cos(x); }
#else
using std::sin, std::cos;
#endif
}

namespace op {

XGRAD_DETAIL_PACK_FUNCTION(sin, "sin(x)", detail)
XGRAD_DETAIL_PACK_FUNCTION(cos, "cos(x)", detail)
XGRAD_DETAIL_BATCH_FUNCTION(tan, "tan(x)")
XGRAD_DETAIL_BATCH_FUNCTION(asin, "asin(x)")
XGRAD_DETAIL_BATCH_FUNCTION(acos, "acos(x)")
XGRAD_DETAIL_BATCH_FUNCTION(atan, "atan(x)")
XGRAD_DETAIL_LANE_FUNCTION(atan2, "atan2(y, x)")
// Computed as xtensor computes them.
struct deg2rad {
    static constexpr char const* name = "deg2rad(x)";
    static constexpr bool linear(bool) { return true; }
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const { return x * detail::constant(x, std::numbers::pi_v<long double>) / literal(x, 180.0); }
};
struct rad2deg {
    static constexpr char const* name = "rad2deg(x)";
    static constexpr bool linear(bool) { return true; }
    XGRAD_DETAIL_INLINE auto operator()(auto const& x) const { return x * literal(x, 180.0) / detail::constant(x, std::numbers::pi_v<long double>); }
};
// sin(pi x) / (pi x), as numpy has it: 1 at 0, and 0 at every other whole number and at the infinities.
struct sinc {
    static constexpr char const* name = "sinc(x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE P operator()(P const& x) const {
        // sin(pi x) = (-1)^n sin(pi (x - n)) with the nearest whole number n: nothing is lost for large x
        auto const n = nearbyint{}(x);
        auto const half = literal(x, 0.5) * n;
        auto const s = sin{}(detail::constant(x, std::numbers::pi_v<long double>) * (x - n));
        auto const y = choose(half == nearbyint{}(half), s, P(negate{}(s))) / (detail::constant(x, std::numbers::pi_v<long double>) * x);
        return choose(x == zero(x), one(x), choose(abs{}(x) == literal(x, std::numeric_limits<double>::infinity()), zero(x), y));
    }
    XGRAD_DETAIL_OF_DUALS(sinc)
};

}

namespace detail {
// The derivative of sin(t)/t: (cos(t) - sin(t)/t) / t, by its series Σ (-1)^k 2k t^(2k-1) / (2k+1)! where these cancel. y is sin(t)/t.
template <class P>
XGRAD_DETAIL_INLINE P slope_of_sinc(P const& y, P const& t) {
    auto const q = t * t;
    P s = zero(t);
    // Horner's rule over the quotients of neighbouring terms, -t^2 / (2k (2k + 3))
    for (int k = 10; k >= 1; --k) s = one(t) - q * s / literal(t, 2.0 * k * (2 * k + 3));
    auto const near = op::abs{}(t) < one(t);
    auto const safe = choose(near, one(t), t);
    return choose(near, P(-t * s / literal(t, 3.0)), P((op::cos{}(safe) - y) / safe));
}
}

template <> inline constexpr auto partials<op::sin>     = [](auto,   auto x)         { return partial(op::cos{}(x)); };
template <> inline constexpr auto partials<op::cos>     = [](auto,   auto x)         { return partial(-op::sin{}(x)); };
template <> inline constexpr auto partials<op::tan>     = [](auto y, auto)           { return partial(one(y) + y * y); };
template <> inline constexpr auto partials<op::asin>    = [](auto,   auto x)         { return partial(one(x) / op::sqrt{}((one(x) - x) * (one(x) + x))); };
template <> inline constexpr auto partials<op::acos>    = [](auto,   auto x)         { return partial(-one(x) / op::sqrt{}((one(x) - x) * (one(x) + x))); };
template <> inline constexpr auto partials<op::atan>    = [](auto,   auto x)         { return partial(one(x) / (one(x) + x * x)); };
template <> inline constexpr auto partials<op::atan2>   = [](auto,   auto a, auto b) { auto r = op::hypot{}(a, b); return partial(b / r / r, -a / r / r); };
template <> inline constexpr auto partials<op::deg2rad> = [](auto y, auto)           { return partial(op::deg2rad{}(one(y))); };
template <> inline constexpr auto partials<op::rad2deg> = [](auto y, auto)           { return partial(op::rad2deg{}(one(y))); };
template <> inline constexpr auto partials<op::sinc>    = [](auto y, auto x) {
    auto const pi = detail::constant(x, std::numbers::pi_v<long double>);
    return partial(choose(op::abs{}(x) == literal(x, std::numeric_limits<double>::infinity()), zero(x), pi * detail::slope_of_sinc(y, pi * x)));
};

}
XGRAD_DETAIL_QUIET_END
