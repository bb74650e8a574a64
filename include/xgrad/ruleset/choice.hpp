// Defines where(c, a, b): each element from a where c is not 0, otherwise from b.
#pragma once

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

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

}

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
    using P = decltype(y);
    auto const taken = !(c == zero(c));
    auto const other = c == zero(c);
    return partial(zero(y), detail::gate<std::remove_const_t<decltype(taken)>, P>{taken}, detail::gate<std::remove_const_t<decltype(other)>, P>{other});
};

}
XGRAD_DETAIL_QUIET_END
