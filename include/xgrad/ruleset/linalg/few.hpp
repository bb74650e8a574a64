// Defines what is written out for matrices of up to 4×4: cofactors, determinants, inverses and products, without a loop of unknown length, a call or memory.
//
// det A = Σ a(0, j) C(0, j), C the matrix of cofactors; A⁻¹ = Cᵀ / det A   (Horn and Johnson 2013, "Matrix analysis", 0.8.2). These are polynomials: of duals, and of
// singular matrices, they hold as they are.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/ruleset/linalg/dense.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

inline constexpr std::size_t few = 4;
inline constexpr bool is_few(std::size_t n) noexcept { return n - 1 < few; }

// The floating-point number under all tangents.
template <class T>
auto bottom_number(T const& x) noexcept {
    if constexpr (number_dual<T>) return bottom_number(x.primal);
    else return x;
}

// f(N) of a constant N, for n from 1 to 4.
template <class F>
XGRAD_DETAIL_INLINE decltype(auto) with_few(std::size_t n, F const& f) {
    switch (n) {
        case 1: return f(std::integral_constant<std::size_t, 1>{});
        case 2: return f(std::integral_constant<std::size_t, 2>{});
        case 3: return f(std::integral_constant<std::size_t, 3>{});
        default: return f(std::integral_constant<std::size_t, 4>{});
    }
}

template <class T, std::size_t N>
struct few_numbers {
    T e[N * N];
    T& operator()(std::size_t i, std::size_t j) { return e[i * N + j]; }
    T const& operator()(std::size_t i, std::size_t j) const { return e[i * N + j]; }
};
template <std::size_t N, class A>
XGRAD_DETAIL_INLINE auto load_few(dense<A> const& a) {
    few_numbers<std::remove_const_t<A>, N> m;
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) m(i, j) = entry(a, i, j);
    return m;
}
// y = f(i, j), or y += f(i, j).
template <std::size_t N, class T, class F>
XGRAD_DETAIL_INLINE void give_few(dense<T> const& y, bool add, F const& f) {
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) set(y, i, j, add ? T(entry(y, i, j) + f(i, j)) : T(f(i, j)));
}
// The cofactors of m, and its determinant.
template <class T>
XGRAD_DETAIL_INLINE T cofactors(few_numbers<T, 1> const& m, few_numbers<T, 1>& c) {
    c.e[0] = T(1);
    return m.e[0];
}
template <class T>
XGRAD_DETAIL_INLINE T cofactors(few_numbers<T, 2> const& m, few_numbers<T, 2>& c) {
    auto const& a = m.e;
    c.e[0] = a[3], c.e[1] = -a[2], c.e[2] = -a[1], c.e[3] = a[0];
    return a[0] * a[3] - a[1] * a[2];
}
template <class T>
XGRAD_DETAIL_INLINE T cofactors(few_numbers<T, 3> const& m, few_numbers<T, 3>& y) {
    auto const& a = m.e;
    auto& c = y.e;
    c[0] = a[4] * a[8] - a[5] * a[7], c[1] = a[5] * a[6] - a[3] * a[8], c[2] = a[3] * a[7] - a[4] * a[6];
    c[3] = a[2] * a[7] - a[1] * a[8], c[4] = a[0] * a[8] - a[2] * a[6], c[5] = a[1] * a[6] - a[0] * a[7];
    c[6] = a[1] * a[5] - a[2] * a[4], c[7] = a[2] * a[3] - a[0] * a[5], c[8] = a[0] * a[4] - a[1] * a[3];
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
}
// By the minors of the upper two rows and those of the lower two.
template <class T>
XGRAD_DETAIL_INLINE T cofactors(few_numbers<T, 4> const& m, few_numbers<T, 4>& y) {
    auto const& a = m.e;
    auto& c = y.e;
    T const s0 = a[0] * a[5] - a[4] * a[1], s1 = a[0] * a[6] - a[4] * a[2], s2 = a[0] * a[7] - a[4] * a[3], s3 = a[1] * a[6] - a[5] * a[2], s4 = a[1] * a[7] - a[5] * a[3],
            s5 = a[2] * a[7] - a[6] * a[3];
    T const t0 = a[8] * a[13] - a[12] * a[9], t1 = a[8] * a[14] - a[12] * a[10], t2 = a[8] * a[15] - a[12] * a[11], t3 = a[9] * a[14] - a[13] * a[10], t4 = a[9] * a[15] - a[13] * a[11],
            t5 = a[10] * a[15] - a[14] * a[11];
    c[0] = a[5] * t5 - a[6] * t4 + a[7] * t3, c[1] = a[6] * t2 - a[4] * t5 - a[7] * t1, c[2] = a[4] * t4 - a[5] * t2 + a[7] * t0, c[3] = a[5] * t1 - a[4] * t3 - a[6] * t0;
    c[4] = a[2] * t4 - a[1] * t5 - a[3] * t3, c[5] = a[0] * t5 - a[2] * t2 + a[3] * t1, c[6] = a[1] * t2 - a[0] * t4 - a[3] * t0, c[7] = a[0] * t3 - a[1] * t1 + a[2] * t0;
    c[8] = a[13] * s5 - a[14] * s4 + a[15] * s3, c[9] = a[14] * s2 - a[12] * s5 - a[15] * s1, c[10] = a[12] * s4 - a[13] * s2 + a[15] * s0, c[11] = a[13] * s1 - a[12] * s3 - a[14] * s0;
    c[12] = a[10] * s4 - a[9] * s5 - a[11] * s3, c[13] = a[8] * s5 - a[10] * s2 + a[11] * s1, c[14] = a[9] * s2 - a[8] * s4 - a[11] * s0, c[15] = a[8] * s3 - a[9] * s1 + a[10] * s0;
    return s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0;
}
// Whether cofactors lose little to rounding, and nothing to overflow: the determinant is not small beside the rows, of which none is very large or small. A matrix with
// NaN or infinity is not such.
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool is_well_scaled(few_numbers<S, N> const& m, S const& d) {
    constexpr S least = std::is_same_v<S, float> ? S(1e-8) : S(1e-70);
    S bound = S(1);
    bool fits = true;
    for (std::size_t i = 0; i < N; ++i) {
        S row = S(0);
        for (std::size_t j = 0; j < N; ++j) row += std::abs(m(i, j));
        fits &= row > least && row < 1 / least;
        bound *= row;
    }
    return fits && std::abs(d) > S(1e-3) * bound;
}
// The transpose of m⁻¹, where cofactors are good enough for it.
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool invert_few(few_numbers<S, N> const& m, few_numbers<S, N>& t) {
    S const d = cofactors(m, t);
    if (!is_well_scaled(m, d)) return false;
    S const r = S(1) / d;
    for (S& e : t.e) e *= r;
    return true;
}
// y = a b, or y += a b, of matrices of N×N.
template <std::size_t N, class T, class A, class B>
XGRAD_DETAIL_INLINE void multiply_few(dense<T> const& y, bool add, dense<A> const& a, dense<B> const& b) {
    auto const p = load_few<N>(a);
    auto const q = load_few<N>(b);
    give_few<N>(y, add, [&](std::size_t i, std::size_t j) {
        T s = p(i, 0) * q(0, j);
        for (std::size_t k = 1; k < N; ++k) s = s + p(i, k) * q(k, j);
        return s;
    });
}

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
