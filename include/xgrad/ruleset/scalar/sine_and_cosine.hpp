// Defines pack_sin and pack_cos, the sine and the cosine of a pack. Of one argument both take one reduction, which compilers see: so do the value and the
// derivative of either.
#pragma once

#include <cmath>
#include <limits>

#include <xgrad/rule/pack.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/polynomial.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// pi / 2 in parts, of which all but the last have so few digits that whole numbers of them, up to `most` over pi / 2, are exact (W. J. Cody, W. Waite, Software
// Manual for the Elementary Functions, 1980); (sin(r) - r) / r^3 and (1 - cos(r)) / r^2 in powers of r^2, for |r| <= pi / 4, with the terms of xsimd.
template <class T>
struct sine_terms;
template <>
struct sine_terms<double> {
    static constexpr double most = 1e6;
    static constexpr double half_pi[]{0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
    static constexpr double sine[]{-0.1666666666666663,    0.008333333333322118,    -0.0001984126982958954,
                                   2.7557313621385676e-06, -2.5050747762850355e-08, 1.5896230157221844e-10};
    static constexpr double cosine[]{0.5,
                                     -0.04166666666666664,
                                     0.0013888888888880667,
                                     -2.480158729361863e-05,
                                     2.7557315542981663e-07,
                                     -2.0875883375768363e-09,
                                     1.1367817138204455e-11};
};
template <>
struct sine_terms<float> {
    static constexpr float most = 1e4f;
    static constexpr float half_pi[]{0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68cp-39f, 0x1.1a6264p-54f};
    static constexpr float sine[]{-0.166666538f, 0.0083321603f, -0.000195152956f};
    static constexpr float cosine[]{0.5f, -0.0416666456f, 0.00138873153f, -2.44331568e-05f};
};

// |x| = n pi / 2 + r: the sine and the cosine of r, whether n is odd, and whether it is 2 or 3 more than some fours.
template <batch P>
struct quarter_turns {
    using T = xgrad::lane_type_t<P>;
    using terms = sine_terms<T>;
    P sine, cosine;
    typename P::batch_bool_type is_odd, is_behind;
    XGRAD_DETAIL_INLINE explicit quarter_turns(P const& size) {
        P const n = nearest(size * P(T(0.636619772367581343076L))), half = n * P(T(0.5)), whole = nearest(half - P(T(0.25))), turns = whole * P(T(0.5));
        P r = size;
        for (T const part : terms::half_pi) r = multiply_add(-n, P(part), r);
        P const square = r * r;
        sine = multiply_add(polynomial(terms::sine, square) * square, r, r);
        cosine = multiply_add(polynomial(terms::cosine, square), -square, P(T(1)));
        is_odd = half != whole;
        is_behind = turns != nearest(turns - P(T(0.25)));
    }
    // The nearest whole number of one that is not large. By additions, which compilers see through, so that a second reduction of the same argument is dropped;
    // they do not see through xsimd's instructions.
    XGRAD_DETAIL_INLINE static P nearest(P const& x) {
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
        return xsimd::nearbyint(x);
#else
        P const ones(T(1.5) / std::numeric_limits<T>::epsilon());
        return (x + ones) - ones;
#endif
    }
    static constexpr P sign_bit() { return P(T(-0.0)); }
};
// What is too large for it, infinite, or no number goes lane by lane.
template <batch P>
XGRAD_DETAIL_INLINE P pack_sin(P const& x) {
    using turns = quarter_turns<P>;
    P const size = xsimd::abs(x);
    turns const t(size);
    P y = choose(t.is_odd, t.cosine, t.sine) ^ choose(t.is_behind, turns::sign_bit(), P(0)) ^ xsimd::bitofsign(x);
    if (!xsimd::all(size < P(turns::terms::most))) [[unlikely]] y = each_lane_by_call([](auto v) { return std::sin(v); }, x);
    return y;
}
template <batch P>
XGRAD_DETAIL_INLINE P pack_cos(P const& x) {
    using turns = quarter_turns<P>;
    P const size = xsimd::abs(x);
    turns const t(size);
    // the masks are not compared: xsimd does that wrongly, by != with SSE2, and by ^ with AVX-512
    P y = choose(t.is_odd, t.sine, t.cosine) ^ choose(t.is_odd, turns::sign_bit(), P(0)) ^ choose(t.is_behind, turns::sign_bit(), P(0));
    if (!xsimd::all(size < P(turns::terms::most))) [[unlikely]] y = each_lane_by_call([](auto v) { return std::cos(v); }, x);
    return y;
}

}
XGRAD_DETAIL_QUIET_END
