// Defines pack_t<T, W>: W neighbouring elements of a kernel (an xsimd batch, or T itself where W is 1), and how they meet memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <xgrad/host.hpp>
#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The number of elements of T that a kernel computes at once.
template <class T>
inline constexpr std::size_t lanes = 1;
template <>
inline constexpr std::size_t lanes<float> = xsimd::batch<float>::size;
template <>
inline constexpr std::size_t lanes<double> = xsimd::batch<double>::size;

namespace detail {
template <class T, std::size_t W>
struct pack_impl { using type = xsimd::batch<T>; };
template <class T>
struct pack_impl<T, 1> { using type = T; };
}

template <class T, std::size_t W>
using pack_t = typename detail::pack_impl<T, W>::type;

template <class P>
concept batch = requires { typename P::batch_bool_type; };

// The element type of a pack.
template <class P>
struct element { using type = P; };
template <batch P>
struct element<P> { using type = typename P::value_type; };
template <class P>
using element_t = typename element<P>::type;

template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load(T const* p) {
    if constexpr (W == 1) return *p;
    else return pack_t<T, W>::load_unaligned(p);
}

template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store(T* p, pack_t<T, W> const& x) {
    if constexpr (W == 1) *p = x;
    else x.store_unaligned(p);
}

// k <= W elements, `step` apart; the lanes behind repeat the last element, so that they compute nothing that the others do not.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load(T const* p, std::ptrdiff_t step, std::size_t k) {
    if constexpr (W == 1) return *p;
    else {
        if (step == 1 && k == W) return pack_t<T, W>::load_unaligned(p);
        if (step == 0) return pack_t<T, W>(*p);
        alignas(64) T t[W];
        if (step == 1) {
            // a loop that compilers turn into one masked load
            T const last = p[k - 1];
            for (std::size_t j = 0; j < W; ++j) t[j] = j < k ? p[j] : last;
        } else
            for (std::size_t j = 0; j < W; ++j) t[j] = p[static_cast<std::ptrdiff_t>(std::min(j, k - 1)) * step];
        return pack_t<T, W>::load_aligned(t);
    }
}

// Writes (or adds) k <= W elements, `step` apart; a step of 0 adds them all to one element.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void store(T* p, std::ptrdiff_t step, std::size_t k, pack_t<T, W> const& x, bool add) {
    if constexpr (W == 1) {
        if (add) *p = *p + x;
        else *p = x;
    } else {
        if (step == 1 && k == W) {
            if (add) (pack_t<T, W>::load_unaligned(p) + x).store_unaligned(p);
            else x.store_unaligned(p);
            return;
        }
        alignas(64) T t[W];
        x.store_aligned(t);
        for (std::size_t j = 0; j < k; ++j) {
            T& q = p[static_cast<std::ptrdiff_t>(j) * step];
            q = add ? q + t[j] : t[j];
        }
    }
}

// The sum of the first k lanes.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE T sum_lanes(pack_t<T, W> const& x, std::size_t k = W) {
    if constexpr (W == 1) return x;
    else {
        alignas(64) T t[W];
        x.store_aligned(t);
        T s = t[0];
        for (std::size_t j = 1; j < k; ++j) s += t[j];
        return s;
    }
}

// A function that has no accurate SIMD form, lane by lane.
template <class F, class P, class... Q>
XGRAD_DETAIL_INLINE P each_lane(F f, P const& x, Q const&... y) {
    if constexpr (!batch<P>) return f(x, y...);
    else {
        constexpr std::size_t w = P::size;
        using T = element_t<P>;
        alignas(64) T in[1 + sizeof...(Q)][w];
        x.store_aligned(in[0]);
        std::size_t r = 0;
        (y.store_aligned(in[++r]), ...);
        for (std::size_t j = 0; j < w; ++j)
            [&]<std::size_t... I>(std::index_sequence<I...>) { in[0][j] = f(in[0][j], in[I + 1][j]...); }(std::index_sequence_for<Q...>{});
        return P::load_aligned(in[0]);
    }
}

// c ? a : b, for a scalar and, lane by lane, for a batch.
template <class C, class A>
XGRAD_DETAIL_INLINE A choose(C const& c, A const& a, A const& b) {
    if constexpr (batch<A>) return xsimd::select(c, a, b);
    else return c ? a : b;
}

// The constant c as what x is: a scalar, a batch, a dual.
template <class P>
XGRAD_DETAIL_INLINE constexpr P literal(P const&, double c) { return P(static_cast<element_t<P>>(c)); }
template <class P>
XGRAD_DETAIL_INLINE constexpr P one(P const& x) { return literal(x, 1.0); }
template <class P>
XGRAD_DETAIL_INLINE constexpr P zero(P const& x) { return literal(x, 0.0); }

}
XGRAD_DETAIL_QUIET_END
