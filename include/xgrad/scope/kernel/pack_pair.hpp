// Defines pack_pair<P>: two packs that go through a kernel side by side: the instructions of one fill the gaps in the other's long chain of operations, and
// what a step asks is asked once for both.
#pragma once

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Copied pack by pack: a compiler that copies both as one piece of memory keeps neither in a register.
template <class P>
struct pack_pair {
    P a, b;
    XGRAD_DETAIL_INLINE constexpr pack_pair() {}
    XGRAD_DETAIL_INLINE constexpr pack_pair(P const& x, P const& y) : a(x), b(y) {}
    XGRAD_DETAIL_INLINE constexpr pack_pair(pack_pair const& x) : a(x.a), b(x.b) {}
    XGRAD_DETAIL_INLINE constexpr pack_pair& operator=(pack_pair const& x) {
        a = x.a;
        b = x.b;
        return *this;
    }
};

namespace detail {

template <class X>
inline constexpr bool is_pack_pair = false;
template <class P>
inline constexpr bool is_pack_pair<pack_pair<P>> = true;

template <bool Second, class X>
XGRAD_DETAIL_INLINE constexpr X const& pack_of(X const& x) { return x; }
template <bool Second, class P>
XGRAD_DETAIL_INLINE constexpr P const& pack_of(pack_pair<P> const& x) {
    if constexpr (Second) return x.b;
    else return x.a;
}

}

// f(x...), of pairs pack by pack.
template <class F, class... X>
XGRAD_DETAIL_INLINE constexpr auto map_packs(F f, X const&... x) {
    if constexpr ((detail::is_pack_pair<X> || ...)) {
        using Y = decltype(f(detail::pack_of<false>(x)...));
        return pack_pair<Y>{f(detail::pack_of<false>(x)...), f(detail::pack_of<true>(x)...)};
    } else return f(x...);
}

}
XGRAD_DETAIL_QUIET_END
