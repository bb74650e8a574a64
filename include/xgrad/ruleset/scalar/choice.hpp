// Defines the operations that choose: absolute value and sign, the greater and the lesser, clipping.
// At a tie of two operands each has half of the derivative; the derivative of abs at 0 is 0.
#pragma once

#include <cmath>
#include <limits>

#include <xgrad/ruleset/scalar/functor.hpp>
#include <xgrad/ruleset/scalar/gate.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

struct abs {
    static constexpr char const* name = "abs(x)";
    static constexpr int cost = 1;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        using std::abs;
        return abs(x);
    }
    XGRAD_DETAIL_OF_DUALS(abs)
};
struct sign {
    static constexpr char const* name = "sign(x)";
    static constexpr int cost = 2;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x < zero(x), -one(x), choose(x > zero(x), one(x), x)); }
    XGRAD_DETAIL_OF_DUALS(sign)
};
struct maximum {
    static constexpr char const* name = "maximum(a, b)";
    static constexpr int cost = 1;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const { return choose(a < b, b, a); }
    XGRAD_DETAIL_OF_DUALS(maximum)
};
struct minimum {
    static constexpr char const* name = "minimum(a, b)";
    static constexpr int cost = 1;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const { return choose(b < a, b, a); }
    XGRAD_DETAIL_OF_DUALS(minimum)
};
// The same where a NaN is no number to choose.
struct fmax {
    static constexpr char const* name = "fmax(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const { return choose(a == a, choose(a < b, b, a), b); }
    XGRAD_DETAIL_OF_DUALS(fmax)
};
struct fmin {
    static constexpr char const* name = "fmin(a, b)";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const { return choose(a == a, choose(b < a, b, a), b); }
    XGRAD_DETAIL_OF_DUALS(fmin)
};
// a - b where that is positive, otherwise 0.
struct fdim {
    static constexpr char const* name = "fdim(a, b)";
    static constexpr int cost = 2;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const {
        // infinities of one sign have no difference; a NaN has none either, and is passed on
        return choose(a <= b, zero(a), a - b);
    }
    XGRAD_DETAIL_OF_DUALS(fdim)
};
// x within [low, high]: `high` where the two are the wrong way round, and NaN where x is.
struct clip {
    static constexpr char const* name = "clip(x, low, high)";
    static constexpr int cost = 2;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x, bare_number auto const& low, bare_number auto const& high) const {
        auto const y = choose(x < low, low, x);
        return choose(high < y, high, y);
    }
    XGRAD_DETAIL_OF_DUALS(clip)
};
// 0 for NaN, and the greatest finite number of that sign for an infinity.
struct nan_to_num {
    static constexpr char const* name = "nan_to_num(x)";
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        P const most(std::numeric_limits<xgrad::lane_type_t<P>>::max());
        return choose(x == x, choose(x > most, most, choose(x < -most, -most, x)), zero(x));
    }
    XGRAD_DETAIL_OF_DUALS(nan_to_num)
};

}

namespace detail {
// 1 where a < b, one half at a tie, otherwise 0.
template <class P>
XGRAD_DETAIL_INLINE P step(P const& a, P const& b) { return choose(a < b, one(a), choose(a == b, literal(a, 0.5), zero(a))); }
// d, and NaN where x is NaN.
template <class P>
XGRAD_DETAIL_INLINE P unless_nan(P const& x, P const& d) { return choose(x == x, d, not_a_number(x)); }
}

template <> inline constexpr auto partials<op::abs>        = [](auto y, auto x) {
    // of a complex x, dy = Re(conj(x) dx) / |x|
    if constexpr (detail::is_complex_number<decltype(x)>) return partial(y == zero(y) ? zero(x) : detail::conjugate(x) / y);
    // x - x is 0 at 0, and NaN where x is
    else return partial(choose(zero(y) < y, choose(x < zero(x), -one(x), one(x)), x - x));
};
template <> inline constexpr auto partials<op::sign>       = [](auto,   auto x)         { return partial(zero(x)); };
// a is the value where none is the greater (the lesser), and where b is NaN
template <>
inline constexpr auto partials<op::maximum> = [](auto y, auto a, auto b) {
    auto const of_b = detail::step(a, b);
    return partial(detail::unless_nan(y, one(y) - of_b), detail::unless_nan(y, of_b));
};
template <>
inline constexpr auto partials<op::minimum> = [](auto y, auto a, auto b) {
    auto const of_b = detail::step(b, a);
    return partial(detail::unless_nan(y, one(y) - of_b), detail::unless_nan(y, of_b));
};
template <>
inline constexpr auto partials<op::fmax> = [](auto y, auto a, auto b) {
    auto const of_a = detail::step(choose(b == b, b, a - one(a)), a), of_b = detail::step(choose(a == a, a, b - one(b)), b);
    return partial(detail::unless_nan(y, of_a), detail::unless_nan(y, of_b));
};
template <>
inline constexpr auto partials<op::fmin> = [](auto y, auto a, auto b) {
    auto const of_a = detail::step(a, choose(b == b, b, a + one(a))), of_b = detail::step(b, choose(a == a, a, b + one(b)));
    return partial(detail::unless_nan(y, of_a), detail::unless_nan(y, of_b));
};
template <>
inline constexpr auto partials<op::fdim> = [](auto y, auto a, auto b) {
    auto d = detail::unless_nan(y, detail::step(b, a));
    return partial(d, -d);
};
// x has all of it where it is not beyond a bound, on the bound too; a bound has it where it is the value
template <> inline constexpr auto partials<op::clip>       = [](auto,   auto x, auto low, auto high) {
    auto const inside = choose(x < low, zero(x), choose(high < x, zero(x), detail::unless_nan(x, one(x))));
    auto const below = choose(x < low, choose(high < low, zero(x), one(x)), zero(x));
    return partial(inside, below, one(x) - inside - below);
};
template <> inline constexpr auto partials<op::nan_to_num> = [](auto,   auto x)         { return partial(detail::gate_of(x - x == zero(x), x)); };

}
XGRAD_DETAIL_QUIET_END
