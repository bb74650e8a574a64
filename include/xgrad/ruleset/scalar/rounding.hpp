// Defines the operations that round to a whole number. Their derivative is 0 everywhere, at the jumps too.
#pragma once

#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

// Without SSE 4.1 the batch forms of these three lose the sign of 0.
#define XGRAD_DETAIL_ROUNDING(NAME)                                             \
    struct NAME {                                                               \
        static constexpr char const* name = #NAME "(x)";                        \
        template <bare_number P>                                                \
        XGRAD_DETAIL_INLINE P operator()(P const& x) const {                    \
            using std::NAME;                                                    \
            P const y = NAME(x);                                                \
            if constexpr (batch<P>) return choose(y == zero(y), zero(x) * x, y); \
            else return y;                                                      \
        }                                                                       \
        XGRAD_DETAIL_OF_DUALS(NAME)                                             \
    };
XGRAD_DETAIL_ROUNDING(floor)
XGRAD_DETAIL_ROUNDING(ceil)
XGRAD_DETAIL_ROUNDING(trunc)
#undef XGRAD_DETAIL_ROUNDING
XGRAD_DETAIL_BATCH_FUNCTION(round, "round(x)")
XGRAD_DETAIL_BATCH_FUNCTION(nearbyint, "nearbyint(x)")
XGRAD_DETAIL_BATCH_FUNCTION(rint, "rint(x)")

}

template <> inline constexpr auto partials<op::floor>     = [](auto y, auto) { return partial(zero(y)); };
template <> inline constexpr auto partials<op::ceil>      = [](auto y, auto) { return partial(zero(y)); };
template <> inline constexpr auto partials<op::trunc>     = [](auto y, auto) { return partial(zero(y)); };
template <> inline constexpr auto partials<op::round>     = [](auto y, auto) { return partial(zero(y)); };
template <> inline constexpr auto partials<op::nearbyint> = [](auto y, auto) { return partial(zero(y)); };
template <> inline constexpr auto partials<op::rint>      = [](auto y, auto) { return partial(zero(y)); };

}
XGRAD_DETAIL_QUIET_END
