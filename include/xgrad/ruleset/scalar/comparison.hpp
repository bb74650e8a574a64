// Defines the comparisons as operations, and what joins them: 1 where they hold, otherwise 0, without a derivative.
#pragma once

#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

#define XGRAD_DETAIL_COMPARISON(NAME, TEXT, SYMBOL, THEN, ELSE)                                                             \
    namespace op {                                                                                                          \
    struct NAME {                                                                                                           \
        static constexpr char const* name = TEXT;                                                                           \
        static constexpr int cost = 1;                                                                                      \
        template <bare_number P>                                                                                            \
        XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const { return choose(a SYMBOL b, THEN(a), ELSE(a)); }  \
        XGRAD_DETAIL_OF_DUALS(NAME)                                                                                         \
    };                                                                                                                      \
    }                                                                                                                       \
    template <> inline constexpr auto partials<op::NAME> = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
XGRAD_DETAIL_COMPARISON(less, "a < b", <, one, zero)
XGRAD_DETAIL_COMPARISON(less_equal, "a <= b", <=, one, zero)
XGRAD_DETAIL_COMPARISON(greater, "a > b", >, one, zero)
XGRAD_DETAIL_COMPARISON(greater_equal, "a >= b", >=, one, zero)
XGRAD_DETAIL_COMPARISON(equal, "equal(a, b)", ==, one, zero)
// By ==: with AVX-512 the batches of xsimd take a NaN for equal to anything where they are asked by !=.
XGRAD_DETAIL_COMPARISON(not_equal, "not_equal(a, b)", ==, zero, one)
#undef XGRAD_DETAIL_COMPARISON

// Of what they give.
namespace op {
struct logical_and {
    static constexpr char const* name = "a && b";
    static constexpr int cost = 1;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const { return choose(a == zero(a), a, b); }
    XGRAD_DETAIL_OF_DUALS(logical_and)
};
struct logical_or {
    static constexpr char const* name = "a || b";
    static constexpr int cost = 1;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a, P const& b) const { return choose(a == zero(a), b, a); }
    XGRAD_DETAIL_OF_DUALS(logical_or)
};
struct logical_not {
    static constexpr char const* name = "!a";
    static constexpr int cost = 1;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& a) const { return one(a) - a; }
    XGRAD_DETAIL_OF_DUALS(logical_not)
};
}
template <> inline constexpr auto partials<op::logical_and> = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::logical_or>  = [](auto y, auto, auto) { return partial(zero(y), zero(y)); };
template <> inline constexpr auto partials<op::logical_not> = [](auto y, auto)       { return partial(zero(y)); };

}
XGRAD_DETAIL_QUIET_END
