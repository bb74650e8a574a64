// Defines multiply_add(a, b, c), of packs.
#pragma once

#include <type_traits>

#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// a b + c of a batch, rounded once where the processor does so. With AVX-512 xsimd has no form of its own, and multiplies first.
template <batch P>
XGRAD_DETAIL_INLINE P multiply_add(P const& a, P const& b, P const& c) {
#if XSIMD_WITH_AVX512F
    if constexpr (std::is_same_v<lane_type_t<P>, double> && P::size == 8) return _mm512_fmadd_pd(a, b, c);
    else if constexpr (std::is_same_v<lane_type_t<P>, float> && P::size == 16) return _mm512_fmadd_ps(a, b, c);
    else
#endif
        return xsimd::fma(a, b, c);
}

}
XGRAD_DETAIL_QUIET_END
