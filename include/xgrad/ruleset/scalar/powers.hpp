// Defines roots, powers and the length of a vector of two.
#pragma once

#include <cmath>

#include <xgrad/ruleset/scalar/exponential.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/pack_pow.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

XGRAD_DETAIL_BATCH_FUNCTION(sqrt, "sqrt(x)")
XGRAD_DETAIL_LANE_FUNCTION(cbrt, "cbrt(x)")
XGRAD_DETAIL_LANE_FUNCTION(hypot, "hypot(a, b)")
struct pow {
    static constexpr char const* name = "pow(a, b)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const {
        using std::pow;
        if constexpr (batch<P>) return detail::pack_pow(a, b);
        else return pow(a, b);
    }
    template <class A, class B>
        requires(number_dual<A> || number_dual<B>)
    auto operator()(A const& a, B const& b) const {
        return detail::lift_active<pow>(a, b);
    }
};

}

template <> inline constexpr auto partials<op::sqrt>  = [](auto y, auto) { return partial(literal(y, 0.5) / y); };
template <> inline constexpr auto partials<op::cbrt>  = [](auto y, auto) { return partial(one(y) / (literal(y, 3.0) * y * y)); };
// 0 at the origin
template <>
inline constexpr auto partials<op::hypot> = [](auto y, auto a, auto b) { return partial(choose(y == zero(y), y, a / y), choose(y == zero(y), y, b / y)); };
// log(a) is asked for only where the exponent is active, and counts nothing where y is 0, or 0 to the power 0: at the base 0 the exponent is a constant
template <> inline constexpr auto partials<op::pow>   = [](auto y, auto a, auto b) {
    auto const of_exponent = [=] {
        auto const d = y * op::log{}(a);
        if constexpr (detail::is_complex_number<decltype(a)>) return y == zero(y) ? zero(y) : d;
        else return choose(y == zero(y), zero(y), choose(a == zero(a), choose(b < zero(b), d, zero(y)), d));
    };
    auto const of_base = [=] {
        auto const c = choose(a == zero(a), detail::without_tangents(b), b);
        auto const by_power = [&] { return choose(b == zero(b), detail::quotient(c, a), c * op::pow{}(a, c - one(c))); };
        // complex numbers, and some of a user's own, have no order
        if constexpr (!detail::has_order<decltype(a)>) return by_power();
        else {
            // b y / a, but next to 0 and infinity
            auto const of_y = op::abs{}(y), of_a = op::abs{}(a);
            auto const least = literal(of_y, 1e-37), most = literal(of_y, 1e37);
            using mask = decltype(of_y > least);
            mask const is_usual(mask(of_y > least) & mask(of_y < most) & mask(of_a > least) & mask(of_a < most));
            auto slope = c * (y / a);
            if (!detail::all_of(is_usual)) [[unlikely]] slope = choose(is_usual, slope, decltype(slope)(by_power()));
            return slope;
        }
    };
    return partial(of_base, of_exponent);
};

}
XGRAD_DETAIL_QUIET_END
