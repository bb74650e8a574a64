// Defines the error functions of packs, and the normal distribution's, all by one function that neither overflows nor underflows: exp(x^2) erfc(x).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/polynomial.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// (1 + 2 x) exp(x^2) erfc(x), for 0 <= x <= most, in powers of (x - middle) / (x + middle), as Shepherd and Laframboise have it (Mathematics of Computation 36,
// 1981), and erf(x) / x in powers of x^2 up to 1. Interpolated at Chebyshev's points to 56 bits, and for floats to 27 and 24.
template <class T>
struct error_function_terms;
template <>
struct error_function_terms<double> {
    static constexpr double middle = 4, most = 28;
    static constexpr std::uint64_t upper_half = 0xFFFFFFFFF8000000;
    static constexpr double scaled[]{
        1.23299511862555250672, -0.139621116840562893543, 0.0153796521026207413027, 0.0680970542547373239013, -0.101039066036352131685,
        0.0937328349967941158948, -0.0663303658115293840891, 0.0371675155624928659741, -0.0161977340591150070822, 0.00503196975589542611439,
        -0.000757773341413330044601, -0.000199255507556149521367, 0.000150622243948302992403, -0.0000244031692449740749518, -0.0000112247891351547007059,
        0.00000571788728463218520181, 3.01350499448753947709e-7, -8.351619688696847075e-7, 6.27072715719831087786e-8, 1.15349437457541572871e-7,
        -7.71541861441783013026e-9, -1.36709898633473824428e-8, -1.82060986803086833436e-9};
    static constexpr double small[]{
        1.12837916709551256654, -0.376126389031835404385, 0.112837916709450062655, -0.0268661706432377703602, 0.00522397760711642273211,
        -0.000854832597538969208056, 0.000120552949048397079165, -0.0000149247369074196603376, 0.00000164474247033173624102, -1.62084838018717059017e-7,
        1.37200645467776856042e-8, -7.79589882700214224164e-10};
};
template <>
struct error_function_terms<float> {
    static constexpr float middle = 3, most = 11;
    static constexpr std::uint32_t upper_half = 0xFFFFF000;
    static constexpr float scaled[]{1.2530080586f,   -0.13562115555f,  -0.047562372955f, 0.12964685754f,    -0.11927094405f, 0.068292748114f,
                                    -0.023800059009f, 0.0025729044604f, 0.0020097823268f, -0.00077589742296f, -0.00026900680224f};
    static constexpr float small[]{1.1283791658f, -0.37612626667f, 0.11283594715f, -0.026854212011f,
                                   0.0051890874234f, -0.00080168642872f, 7.8758750627e-5f};
};

// exp(x^2) erfc(x) for 0 <= x <= most.
template <batch P>
XGRAD_DETAIL_INLINE P scaled_erfc(P const& x) {
    using terms = error_function_terms<xgrad::lane_type_t<P>>;
    P const k(terms::middle);
    return polynomial(terms::scaled, P((x - k) / (x + k))) / (one(x) + x + x);
}
// s exp(-x^2 / by), where `by` is 1 or 2, to a few units in the last place: the square of the upper half of x is exact, and what is left is small. s is a
// few hundredths where the exponential is no normal number: it is scaled before.
template <batch P>
XGRAD_DETAIL_INLINE P times_gaussian(P const& s, P const& x, double by) {
    using T = xgrad::lane_type_t<P>;
    P const upper = xsimd::bitwise_and(x, P(std::bit_cast<T>(error_function_terms<T>::upper_half))), part = literal(x, 1 / by);
    P const square = upper * upper * part, rest = (x - upper) * (x + upper) * part;
    constexpr T expm1[]{T(-1), T(0.5), T(-1.0L / 6), T(1.0L / 24)};
    P const all = multiply_add(s, P(rest * polynomial(expm1, rest)), s);
    constexpr double far = std::is_same_v<T, float> ? 80 : 700, by_far = std::is_same_v<T, float> ? 16 : 64;
    if (auto const is_far = square > literal(x, far); xsimd::any(is_far)) [[unlikely]] {
        P const near = choose(is_far, P(square - literal(x, by_far)), square);
        return all * op::exp{}(-near) * choose(is_far, literal(x, std::is_same_v<T, float> ? 1.12535174719259114514e-7 : 1.60381089054863785447e-28), one(x));
    }
    return all * op::exp{}(-square);
}
// |x|, and no more than the most that the terms take: erfc is 0 there.
template <batch P>
XGRAD_DETAIL_INLINE P bounded_size(P const& x, double by = 1) {
    P const a = xsimd::abs(x), most = literal(x, by * error_function_terms<xgrad::lane_type_t<P>>::most);
    return choose(a > most, most, a);
}

// erf(x) where |x| <= 1.
template <batch P>
XGRAD_DETAIL_INLINE P small_erf(P const& x) {
    return x * polynomial(error_function_terms<xgrad::lane_type_t<P>>::small, P(x * x));
}

template <batch P>
P erfc(P const& x) {
    P const a = bounded_size(x);
    P y = times_gaussian(scaled_erfc(a), a, 1);
    // near 0 it is 1 less a small number
    if (auto const is_near = a < literal(x, 0.5); xsimd::any(is_near)) y = choose(is_near, P(one(a) - small_erf(a)), y);
    return choose(x < zero(x), P(literal(x, 2.0) - y), y);
}
template <batch P>
P erf(P const& x) {
    P const a = bounded_size(x);
    auto const is_small = a < one(a);
    P y = x;
    if (xsimd::any(is_small)) y = small_erf(x);
    if (xsimd::all(is_small)) return y;
    P const large = one(a) - times_gaussian(scaled_erfc(a), a, 1);
    return choose(is_small, y, choose(x < zero(x), P(-large), large));
}
template <batch P>
P normal_cdf(P const& x) {
    P const a = bounded_size(x, std::numbers::sqrt2), half = literal(x, 0.5), r = a * literal(x, std::numbers::sqrt2 / 2);
    P y = half * times_gaussian(scaled_erfc(r), a, 2);
    if (auto const is_near = r < half; xsimd::any(is_near)) y = choose(is_near, P(half - half * small_erf(r)), y);
    return choose(x > zero(x), P(one(x) - y), y);
}
// The logarithm of it, and its derivative, where |x| is no more than `most` times the square root of 2.
template <batch P>
P normal_log_cdf_near(P const& x) {
    auto const is_low = x < -one(x);
    P y(0);
    if (xsimd::any(is_low)) y = op::log{}(P(literal(x, 0.5) * scaled_erfc(P(xsimd::abs(x) * literal(x, std::numbers::sqrt2 / 2))))) - literal(x, 0.5) * x * x;
    if (xsimd::all(is_low)) return y;
    return choose(is_low, y, P(op::log1p{}(P(-normal_cdf(P(-x))))));
}
template <batch P>
P inverse_mills_near(P const& x) {
    P const a = xsimd::abs(x), c = constant(x, std::numbers::inv_sqrtpi_v<long double> * std::numbers::sqrt2_v<long double> / 2);
    P const density = times_gaussian(c, a, 2), y = density / normal_cdf(x);
    auto const is_low = x < -one(x);
    return xsimd::any(is_low) ? P(choose(is_low, P((c + c) / scaled_erfc(P(a * literal(x, std::numbers::sqrt2 / 2)))), y)) : y;
}
// Lane by lane what is not near.
template <class Near, class One, batch P>
XGRAD_DETAIL_INLINE P where_near(Near near, One one, P const& x) {
    P const most = literal(x, std::numbers::sqrt2 * error_function_terms<xgrad::lane_type_t<P>>::most);
    if (xsimd::all(xsimd::abs(x) < most)) [[likely]] return near(x);
    return each_lane(one, x);
}

}
XGRAD_DETAIL_QUIET_END
