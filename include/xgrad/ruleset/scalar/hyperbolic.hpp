// Defines the hyperbolic functions and their inverses.
#pragma once

#include <cmath>
#include <type_traits>

#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/polynomial.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// (tanh(x) - x) / x^3 for |x| < `near`, a quotient of polynomials in x^2 of doubles, and a polynomial of floats, with the terms of xsimd.
template <class T>
struct tanh_terms;
template <>
struct tanh_terms<double> {
    static constexpr double near = 0.625;
    static constexpr double above[]{-1614.68768441708447952, -99.2877231001918586564, -0.964399179425052238628};
    static constexpr double below[]{4844.06305325125486048, 2235.48839060100448583, 112.811678491632931402, 1.0};
};
template <>
struct tanh_terms<float> {
    static constexpr float near = 0.625f;
    static constexpr float above[]{-0.333332807f, 0.133314416f, -0.0537397154f, 0.020639088f, -0.00570498873f};
};
// By one exponential, which the derivative takes, too, and one division.
template <batch P>
XGRAD_DETAIL_INLINE P pack_tanh(P const& x) {
    using T = xgrad::lane_type_t<P>;
    using terms = tanh_terms<T>;
    P const size = xsimd::abs(x), square = size * size, e = falling_exp(P(x + x)), one(T(1));
    auto const is_near = size < P(terms::near);
    P y;
    if constexpr (std::is_same_v<T, float>) y = choose(is_near, P(polynomial(terms::above, square) * square), P((one - e) / (one + e)));
    else y = choose(is_near, P(polynomial(terms::above, square) * square), P(one - e)) / choose(is_near, polynomial(terms::below, square), P(one + e));
    return choose(is_near, multiply_add(y, size, size), y) ^ xsimd::bitofsign(x);
}
}

namespace op {

XGRAD_DETAIL_BATCH_FUNCTION(sinh, "sinh(x)")
XGRAD_DETAIL_BATCH_FUNCTION(cosh, "cosh(x)")
XGRAD_DETAIL_PACK_FUNCTION(tanh, "tanh(x)", std)
XGRAD_DETAIL_BATCH_FUNCTION(asinh, "asinh(x)")
XGRAD_DETAIL_BATCH_FUNCTION(atanh, "atanh(x)")
struct acosh {
    static constexpr char const* name = "acosh(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::acosh;
        // the batch function gives numbers for large negative ones
        if constexpr (batch<P>) return choose(x < zero(x), detail::not_a_number(x), acosh(x));
        else return acosh(x);
    }
    XGRAD_DETAIL_OF_DUALS(acosh)
};

}

template <> inline constexpr auto partials<op::sinh>  = [](auto,   auto x) { return partial(op::cosh{}(x)); };
template <> inline constexpr auto partials<op::cosh>  = [](auto,   auto x) { return partial(op::sinh{}(x)); };
// 1 - y², which has no digits where |y| is nearly 1: there 4 e / (1 + e)² with e = exp(-2|x|)
template <> inline constexpr auto partials<op::tanh>  = [](auto y, auto x) {
    auto slope = one(y) - y * y;
    if constexpr (!detail::is_complex_number<decltype(x)>) {
        auto const far = slope < literal(y, 0.02);
        if (detail::any_of(far)) [[unlikely]] {
            auto const e = detail::falling_exp(decltype(x)(x + x));
            slope = choose(far, decltype(slope)(literal(x, 4.0) * e / ((one(x) + e) * (one(x) + e))), slope);
        }
    }
    return partial(slope);
};
template <> inline constexpr auto partials<op::asinh> = [](auto,   auto x) {
    if constexpr (!detail::has_order<decltype(x)>) return partial(one(x) / op::sqrt{}(one(x) + x * x));
    else {
        // 1 / sqrt(1 + x²), whose root is |x| where x² might be infinite
        auto const size = op::abs{}(x);
        auto const is_far = size > literal(x, 1e15);
        return partial(one(x) / choose(is_far, size, op::sqrt{}(one(x) + choose(is_far, one(x), x * x))));
    }
};
template <> inline constexpr auto partials<op::acosh> = [](auto,   auto x) { return partial(one(x) / (op::sqrt{}(x - one(x)) * op::sqrt{}(x + one(x)))); };
template <> inline constexpr auto partials<op::atanh> = [](auto,   auto x) { return partial(one(x) / ((one(x) - x) * (one(x) + x))); };

}
XGRAD_DETAIL_QUIET_END
