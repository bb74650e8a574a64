// Defines load_few and store_few: the first lanes of a pack, of memory that has no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

#if XSIMD_WITH_AVX
// Of lanes as wide as I, of which N fill a register: all bits of the first n.
template <class I, std::size_t N>
XGRAD_DETAIL_INLINE __m256i first_lanes(std::size_t n) {
    static constexpr auto bits = [] {
        struct { I of[2 * N]; } b{};
        for (std::size_t j = 0; j < N; ++j) b.of[j] = I(-1);
        return b;
    }();
    return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(bits.of + (N - n)));
}
#endif

}

// Lane j is p[j] for j < n, and `rest` behind them; 0 < n < W. Nothing behind p[n - 1] is touched.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load_few(T const* p, std::size_t n, T rest) {
    using P = pack_t<T, W>;
#if XSIMD_WITH_AVX512F
    if constexpr (std::is_same_v<T, double> && W == 8) return _mm512_mask_loadu_pd(_mm512_set1_pd(rest), static_cast<__mmask8>((1u << n) - 1), p);
    else if constexpr (std::is_same_v<T, float> && W == 16) return _mm512_mask_loadu_ps(_mm512_set1_ps(rest), static_cast<__mmask16>((1u << n) - 1), p);
    else
#endif
#if XSIMD_WITH_AVX
    if constexpr (std::is_same_v<T, double> && W == 4) {
        __m256i const some = detail::first_lanes<std::int64_t, 4>(n);
        return _mm256_blendv_pd(_mm256_set1_pd(rest), _mm256_maskload_pd(p, some), _mm256_castsi256_pd(some));
    } else if constexpr (std::is_same_v<T, float> && W == 8) {
        __m256i const some = detail::first_lanes<std::int32_t, 8>(n);
        return _mm256_blendv_ps(_mm256_set1_ps(rest), _mm256_maskload_ps(p, some), _mm256_castsi256_ps(some));
    } else
#endif
    return [&]<std::size_t... J>(std::index_sequence<J...>) XGRAD_DETAIL_LAMBDA { return P{(J < n ? p[J] : rest)...}; }(std::make_index_sequence<W>());
}
// p[j] becomes lane j for j < n; 0 < n < W.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store_few(T* p, std::size_t n, pack_t<T, W> const& x) {
#if XSIMD_WITH_AVX512F
    if constexpr (std::is_same_v<T, double> && W == 8) _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), x);
    else if constexpr (std::is_same_v<T, float> && W == 16) _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), x);
    else
#endif
#if XSIMD_WITH_AVX
    if constexpr (std::is_same_v<T, double> && W == 4) _mm256_maskstore_pd(p, detail::first_lanes<std::int64_t, 4>(n), x);
    else if constexpr (std::is_same_v<T, float> && W == 8) _mm256_maskstore_ps(p, detail::first_lanes<std::int32_t, 8>(n), x);
    else
#endif
    if constexpr (W == 1) {
        if (n != 0) *p = x;
    } else {
        alignas(64) T t[W];
        x.store_aligned(t);
        for (std::size_t j = 0; j < n; ++j) p[j] = t[j];
    }
}

}
XGRAD_DETAIL_QUIET_END
