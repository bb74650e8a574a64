// Defines twin<P>: two packs that go through a kernel side by side, so that the instructions of one fill the gaps in the other's long chain of operations.
#pragma once

#include <cstddef>

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class P>
struct twin {
    P a, b;
};

namespace detail {

template <class X>
inline constexpr bool is_twin = false;
template <class P>
inline constexpr bool is_twin<twin<P>> = true;

template <bool Second, class X>
XGRAD_DETAIL_INLINE constexpr X const& half(X const& x) { return x; }
template <bool Second, class P>
XGRAD_DETAIL_INLINE constexpr P const& half(twin<P> const& x) {
    if constexpr (Second) return x.b;
    else return x.a;
}

}

// f(x...), of twins half by half.
template <class F, class... X>
XGRAD_DETAIL_INLINE constexpr auto by_halves(F f, X const&... x) {
    if constexpr ((detail::is_twin<X> || ...)) {
        using Y = decltype(f(detail::half<false>(x)...));
        return twin<Y>{f(detail::half<false>(x)...), f(detail::half<true>(x)...)};
    } else return f(x...);
}

}
XGRAD_DETAIL_QUIET_END
