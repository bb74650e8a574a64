// Defines what reductions take elements for that are no numbers, or that are only counted.
#pragma once

#include <limits>

#include <xgrad/ruleset/scalar.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// 1 where x is not 0.
struct is_not_zero {
    static constexpr char const* name = "x != 0";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == zero(x), zero(x), one(x)); }
    XGRAD_DETAIL_OF_DUALS(is_not_zero)
};
// 1 where x is not NaN.
struct is_number {
    static constexpr char const* name = "x == x";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, one(x), zero(x)); }
    XGRAD_DETAIL_OF_DUALS(is_number)
};
// x, and 0 where it is NaN.
struct zero_for_nan {
    static constexpr char const* name = "x or 0";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, zero(x)); }
    XGRAD_DETAIL_OF_DUALS(zero_for_nan)
};
// x, and 1, or less than all others, where it is NaN.
struct one_for_nan {
    static constexpr char const* name = "x or 1";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, one(x)); }
    XGRAD_DETAIL_OF_DUALS(one_for_nan)
};
struct least_for_nan {
    static constexpr char const* name = "x or -inf";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x == x, x, literal(x, -std::numeric_limits<double>::infinity())); }
    XGRAD_DETAIL_OF_DUALS(least_for_nan)
};
// Of how many there are: NaN where there is none, and 0.
struct nan_for_none {
    static constexpr char const* name = "0 or NaN";
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& n) const {
        return choose(n == zero(n), literal(n, std::numeric_limits<double>::quiet_NaN()), zero(n));
    }
    XGRAD_DETAIL_OF_DUALS(nan_for_none)
};
}

// what only counts lets nothing through, not even 0: times an infinite derivative that would be NaN
template <> inline constexpr auto partials<op::is_not_zero>    = [](auto,   auto x)         { return partial(detail::closed_gate(x)); };
template <> inline constexpr auto partials<op::is_number>      = [](auto,   auto x)         { return partial(detail::closed_gate(x)); };
template <> inline constexpr auto partials<op::one_for_nan>    = [](auto,   auto x)         { return partial(detail::gate_of(x == x, x)); };
template <> inline constexpr auto partials<op::least_for_nan>  = [](auto,   auto x)         { return partial(detail::gate_of(x == x, x)); };
template <> inline constexpr auto partials<op::nan_for_none>   = [](auto,   auto x)         { return partial(detail::closed_gate(x)); };
template <> inline constexpr auto partials<op::zero_for_nan>   = [](auto,   auto x)         { return partial(detail::gate_of(x == x, x)); };

}
XGRAD_DETAIL_QUIET_END
