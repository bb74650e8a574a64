// Defines the hyperbolic functions and their inverses.
#pragma once

#include <cmath>

#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/powers.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

XGRAD_DETAIL_BATCH_FUNCTION(sinh, "sinh(x)")
XGRAD_DETAIL_BATCH_FUNCTION(cosh, "cosh(x)")
XGRAD_DETAIL_BATCH_FUNCTION(tanh, "tanh(x)")
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
            auto const e = op::exp{}(literal(x, -2.0) * op::abs{}(x));
            slope = choose(far, decltype(slope)(literal(x, 4.0) * e / ((one(x) + e) * (one(x) + e))), slope);
        }
    }
    return partial(slope);
};
template <> inline constexpr auto partials<op::asinh> = [](auto,   auto x) {
    if constexpr (detail::is_complex_number<decltype(x)>) return partial(one(x) / op::sqrt{}(one(x) + x * x));
    else return partial(one(x) / op::hypot{}(one(x), x));
};
template <> inline constexpr auto partials<op::acosh> = [](auto,   auto x) { return partial(one(x) / (op::sqrt{}(x - one(x)) * op::sqrt{}(x + one(x)))); };
template <> inline constexpr auto partials<op::atanh> = [](auto,   auto x) { return partial(one(x) / ((one(x) - x) * (one(x) + x))); };

}
XGRAD_DETAIL_QUIET_END
