// Defines pack_pow, the power of two packs, where a processor multiplies and adds in one instruction: log(a) times b in two numbers each, and its exponential.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <xgrad/rule/pack.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/polynomial.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether it does, and compilers leave the order of additions as it is written.
#if (XSIMD_WITH_FMA3_AVX2 || XSIMD_WITH_AVX512F || XSIMD_WITH_NEON64) && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
inline constexpr bool rounds_products_with_sums = true;
#else
inline constexpr bool rounds_products_with_sums = false;
#endif

// The bits of a pack as another. Of xsimd's function newer releases are told the elements, and older ones the batch.
template <class To, class From>
XGRAD_DETAIL_INLINE To bits_as(From const& x) {
    if constexpr (requires { { xsimd::bitwise_cast<To>(x) } -> std::same_as<To>; }) return xsimd::bitwise_cast<To>(x);
    else return xsimd::bitwise_cast<typename To::value_type>(x);
}

// A number and what was rounded off it, of packs (T. J. Dekker, A Floating-Point Technique for Extending the Available Precision, Numer. Math. 18, 1971).
template <batch P>
struct two_parts {
    P high, low;
    // a + b where a is the larger one, or 0.
    XGRAD_DETAIL_INLINE static two_parts sum(P const& a, P const& b) {
        P const s = a + b;
        return {s, b - (s - a)};
    }
    XGRAD_DETAIL_INLINE static two_parts product(P const& a, P const& b) {
        P const p = a * b;
        return {p, multiply_add(a, b, -p)};
    }
};

// log(x) of doubles that are above 0 and finite, right to 2^-62 of it: x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log(m) = 2 atanh(s), s = (m - 1) / (m + 1),
// whose series beyond 2 s + 2/3 s^3 is interpolated at Chebyshev's points.
template <batch P>
XGRAD_DETAIL_INLINE two_parts<P> log_in_two_parts(P const& x) {
    using U = xsimd::batch<std::uint64_t, typename P::arch_type>;
    constexpr double beyond[]{0.4,                 0.28571428571429364, 0.22222222221656143, 0.18181818335334335,
                              0.15384594968765747, 0.1333480435406345,  0.11706245438694063, 0.11723083470684552};
    constexpr std::uint64_t least = 0x3fe6a09e667f3bcd, whole = 0x4330000000000000;  // sqrt(1/2), and 2^52
    auto const is_subnormal = x < P(std::numeric_limits<double>::min());
    U const bits = bits_as<U>(choose(is_subnormal, P(x * P(0x1p54)), x)) + U(0x3ff0000000000000 - least);
    P const k = bits_as<P>((bits >> 52) | U(whole)) - choose(is_subnormal, P(0x1p52 + 1023 + 54), P(0x1p52 + 1023));
    P const m = bits_as<P>((bits & U(0x000fffffffffffff)) + U(least));
    P const f = m - P(1.0), d = m + P(1.0), rest_of_d = m - (d - P(1.0));
    P const s = f / d, rest_of_s = multiply_add(-s, rest_of_d, multiply_add(-s, d, f)) / d;
    P const z = s * s, rest_of_z = multiply_add(P(2.0) * s, rest_of_s, multiply_add(s, s, -z));
    auto const q = two_parts<P>::sum(P(0x1.5555555555555p-1), z * polynomial(beyond, z));
    auto const cube = two_parts<P>::product(s, z);
    P const rest_of_cube = cube.low + multiply_add(s, rest_of_z, rest_of_s * z), rest_of_q = q.low + P(0x1.5555555555555p-55);
    auto const term = two_parts<P>::product(cube.high, q.high);
    P const rest_of_term = term.low + multiply_add(cube.high, rest_of_q, rest_of_cube * q.high);
    auto const of_m = two_parts<P>::sum(P(2.0) * s, term.high);
    auto const y = two_parts<P>::sum(k * P(0x1.62e42fefa3800p-1), of_m.high);
    return two_parts<P>::sum(y.high, y.low + (of_m.low + multiply_add(P(2.0), rest_of_s, rest_of_term)) + k * P(0x1.ef35793c76730p-45));
}
// exp(x.high + x.low) of doubles, also where it overflows or underflows.
template <batch P>
XGRAD_DETAIL_INLINE P exp_of_two_parts(two_parts<P> const& x) {
    using U = xsimd::batch<std::uint64_t, typename P::arch_type>;
    constexpr double beyond[]{0.5000000000000001,     0.16666666666666669,    0.041666666666624136,   0.008333333333330063,
                              0.001388888891720967,   0.00019841269863050506, 2.4801521302241082e-05, 2.7557268464831627e-06,
                              2.7620085455018414e-07, 2.510038319586702e-08};
    P const high = choose(x.high > P(710.0), P(710.0), choose(x.high < P(-746.0), P(-746.0), x.high));
    P const low = choose(high == x.high, x.low, P(0.0));
    P const whole(0x1.8p52);
    P const shifted = multiply_add(high, P(1.44269504088896340736), whole), n = shifted - whole;
    P const above = multiply_add(-n, P(0x1.62e42fefa3800p-1), high), r_high = multiply_add(-n, P(0x1.ef35793c76730p-45), above);
    auto const r = two_parts<P>::sum(r_high, multiply_add(-n, P(0x1.ef35793c76730p-45), above - r_high) + low);
    // 1 + r + ..., rounded once: what can be written in full is
    auto const linear = two_parts<P>::sum(P(1.0), r.high);
    P const y = linear.high + multiply_add(r.high * r.high, polynomial(beyond, r.high), linear.low + r.low);
    // by halves, as one power of 2 may be none that there is
    P const half = multiply_add(n, P(0.5), whole), rest = n - (half - whole) + whole;
    auto const power = [](P const& v) XGRAD_DETAIL_LAMBDA { return bits_as<P>((bits_as<U>(v) + U(1023)) << 52); };
    return y * power(half) * power(rest);
}
// std::pow, of doubles within a unit in the last place; whole powers that can be written in full are.
template <batch P>
XGRAD_DETAIL_INLINE P pack_pow(P const& a, P const& b) {
    constexpr auto by_lanes = [](auto u, auto v) { return std::pow(u, v); };
    if constexpr (!rounds_products_with_sums || !std::is_same_v<xgrad::lane_type_t<P>, double>) return each_lane(by_lanes, a, b);
    else {
        P const size = xsimd::abs(a), most(std::numeric_limits<double>::max()), whole(0x1p52);
        auto const l = log_in_two_parts(size);
        auto const p = two_parts<P>::product(b, l.high);
        P y = exp_of_two_parts(two_parts<P>{p.high, multiply_add(b, l.low, p.low)});
        // of a number below 0 there are whole powers, and those that are odd are below 0
        P const exponent = xsimd::abs(b), near = (exponent + whole) - whole, half = exponent * P(0.5), near_half = (half + whole) - whole;
        auto const is_below = a < P(0.0);
        y = choose(is_below, choose(near == exponent, choose(near_half == half, y, P(y ^ P(-0.0))), not_a_number(y)), y);
        auto const is_usual = (size > P(0.0)) & (size <= most) & (exponent < P(0x1p50));
        if (!xsimd::all(is_usual)) [[unlikely]] y = each_lane_by_call(by_lanes, a, b);
        return y;
    }
}

}
XGRAD_DETAIL_QUIET_END
