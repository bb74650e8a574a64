// Defines the comparisons as operations, and what joins them: 1 where they hold, otherwise 0, without a derivative.
#pragma once

#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

#define XGRAD_DETAIL_TRUTH(NAME, TEXT, CONDITION, THEN, ELSE)                                                         \
    struct NAME {                                                                                                     \
        static constexpr char const* name = TEXT;                                                                     \
        static constexpr int cost = 1;                                                                                \
        template <bare_number P>                                                                                      \
        XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const { return choose(CONDITION, THEN, ELSE); }   \
        XGRAD_DETAIL_OF_DUALS(NAME)                                                                                   \
    };
XGRAD_DETAIL_TRUTH(less, "a < b", a < b, one(a), zero(a))
XGRAD_DETAIL_TRUTH(less_equal, "a <= b", a <= b, one(a), zero(a))
XGRAD_DETAIL_TRUTH(greater, "a > b", a > b, one(a), zero(a))
XGRAD_DETAIL_TRUTH(greater_equal, "a >= b", a >= b, one(a), zero(a))
XGRAD_DETAIL_TRUTH(equal, "equal(a, b)", a == b, one(a), zero(a))
// By ==: with AVX-512 the batches of xsimd take a NaN for equal to anything where they are asked by !=.
XGRAD_DETAIL_TRUTH(not_equal, "not_equal(a, b)", a == b, zero(a), one(a))
// Of what those give.
XGRAD_DETAIL_TRUTH(logical_and, "a && b", a == zero(a), a, b)
XGRAD_DETAIL_TRUTH(logical_or, "a || b", a == zero(a), b, a)
#undef XGRAD_DETAIL_TRUTH
struct logical_not {
    static constexpr char const* name = "!a";
    static constexpr int cost = 1;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a) const { return one(a) - a; }
    XGRAD_DETAIL_OF_DUALS(logical_not)
};

}

template <> inline constexpr auto partials<op::less>          = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::less_equal>    = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::greater>       = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::greater_equal> = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::equal>         = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::not_equal>     = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::logical_and>   = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::logical_or>    = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::logical_not>   = [](auto y, auto)       { return partial(zero(y)); };

}
XGRAD_DETAIL_QUIET_END
