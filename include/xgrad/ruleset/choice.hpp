// Defines where(c, a, b): each element from a where c is not 0, otherwise from b.
#pragma once

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/scalar/gate.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct where {
    static constexpr char const* name = "where(c, a, b)";
    static constexpr int cost = 1;
    template <class P>
        requires(!number_dual<P>)
    XGRAD_DETAIL_INLINE auto operator()(P const& c, P const& a, P const& b) const { return choose(c == zero(c), b, a); }
    template <class... X>
        requires(number_dual<X> || ...)
    XGRAD_DETAIL_INLINE auto operator()(X const&... x) const { return lift<where>(x...); }
};
}

template <> inline constexpr bool takes_complex<op::where> = true;
template <> inline constexpr auto partials<op::where> = [](auto y, auto c, auto, auto) {
    auto const taken = !(c == zero(c));
    auto const other = c == zero(c);
    return partial(zero(y), detail::gate_of(taken, y), detail::gate_of(other, y));
};

}
XGRAD_DETAIL_QUIET_END
