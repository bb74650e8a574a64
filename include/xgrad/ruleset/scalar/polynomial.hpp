// Defines polynomial(c, x), of a pack.
#pragma once

#include <cstddef>

#include <xgrad/rule/multiply_add.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The sum of c[k] x^k: even and odd powers by themselves, which takes half the time.
template <std::size_t K, std::size_t N, class T, class P>
XGRAD_DETAIL_INLINE P every_other_power(T const (&c)[N], P const& square) {
    if constexpr (K + 2 >= N) return P(c[K]);
    else return multiply_add(square, every_other_power<K + 2>(c, square), P(c[K]));
}
template <std::size_t N, class T, class P>
XGRAD_DETAIL_INLINE P polynomial(T const (&c)[N], P const& x) {
    P const square = x * x;
    return multiply_add(x, every_other_power<1>(c, square), every_other_power<0>(c, square));
}

}
XGRAD_DETAIL_QUIET_END
