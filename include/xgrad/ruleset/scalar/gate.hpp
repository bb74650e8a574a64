// Defines gate: the derivative of a choice, which lets all through or nothing.
#pragma once

#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A derivative that is 1 where something holds, and otherwise lets nothing through: no infinity, no NaN.
template <class C, class P>
struct gate {
    C open;
    template <class G>
    friend XGRAD_DETAIL_INLINE constexpr G operator*(G const& g, gate const& s) { return choose_or_zero(s.open, g); }
    template <class G>
    friend XGRAD_DETAIL_INLINE constexpr G operator*(gate const& s, G const& g) { return choose_or_zero(s.open, g); }
    // as a number, for what needs one
    XGRAD_DETAIL_INLINE constexpr explicit operator P() const { return choose(open, P(xgrad::lane_type_t<P>(1)), P(xgrad::lane_type_t<P>(0))); }
};
template <class C, class P>
XGRAD_DETAIL_INLINE constexpr auto gate_of(C const& open, P const&) { return gate<C, P>{open}; }
// What is never open.
template <class P>
XGRAD_DETAIL_INLINE constexpr auto closed_gate(P const& x) { return gate_of(x < x, x); }

}

}
XGRAD_DETAIL_QUIET_END
