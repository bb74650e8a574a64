// Defines what is written out for matrices of up to 4×4: cofactors, determinants, inverses and products, without a loop of unknown length, a call or memory.
//
// det A = Σ a(0, j) C(0, j), C the matrix of cofactors; A⁻¹ = Cᵀ / det A   (Horn and Johnson 2013, "Matrix analysis", 0.8.2). These are polynomials: of duals,
// and of singular matrices, they hold as they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/ruleset/linalg/triangle.hpp>

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

// The sum of f(0), ..., f(N - 1).
template <std::size_t N, class F>
XGRAD_DETAIL_INLINE auto sum_of(F const& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA { return (f(I) + ...); }(std::make_index_sequence<N>{});
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
XGRAD_DETAIL_INLINE T cofactors(T const* a, few_numbers<T, 1>& y) {
    y.e[0] = T(1);
    return a[0];
}
template <class T>
XGRAD_DETAIL_INLINE T cofactors(T const* a, few_numbers<T, 2>& y) {
    auto& c = y.e;
    c[0] = a[3], c[1] = -a[2], c[2] = -a[1], c[3] = a[0];
    return a[0] * a[3] - a[1] * a[2];
}
template <class T>
XGRAD_DETAIL_INLINE T cofactors(T const* a, few_numbers<T, 3>& y) {
    auto& c = y.e;
    c[0] = a[4] * a[8] - a[5] * a[7], c[1] = a[5] * a[6] - a[3] * a[8], c[2] = a[3] * a[7] - a[4] * a[6];
    c[3] = a[2] * a[7] - a[1] * a[8], c[4] = a[0] * a[8] - a[2] * a[6], c[5] = a[1] * a[6] - a[0] * a[7];
    c[6] = a[1] * a[5] - a[2] * a[4], c[7] = a[2] * a[3] - a[0] * a[5], c[8] = a[0] * a[4] - a[1] * a[3];
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
}
// By the minors of the upper two rows and those of the lower two.
template <class T>
XGRAD_DETAIL_INLINE T cofactors(T const* a, few_numbers<T, 4>& y) {
    auto& c = y.e;
    T const s0 = a[0] * a[5] - a[4] * a[1], s1 = a[0] * a[6] - a[4] * a[2], s2 = a[0] * a[7] - a[4] * a[3], s3 = a[1] * a[6] - a[5] * a[2],
            s4 = a[1] * a[7] - a[5] * a[3], s5 = a[2] * a[7] - a[6] * a[3];
    T const t0 = a[8] * a[13] - a[12] * a[9], t1 = a[8] * a[14] - a[12] * a[10], t2 = a[8] * a[15] - a[12] * a[11], t3 = a[9] * a[14] - a[13] * a[10],
            t4 = a[9] * a[15] - a[13] * a[11], t5 = a[10] * a[15] - a[14] * a[11];
    c[0] = a[5] * t5 - a[6] * t4 + a[7] * t3, c[1] = a[6] * t2 - a[4] * t5 - a[7] * t1, c[2] = a[4] * t4 - a[5] * t2 + a[7] * t0,
    c[3] = a[5] * t1 - a[4] * t3 - a[6] * t0;
    c[4] = a[2] * t4 - a[1] * t5 - a[3] * t3, c[5] = a[0] * t5 - a[2] * t2 + a[3] * t1, c[6] = a[1] * t2 - a[0] * t4 - a[3] * t0,
    c[7] = a[0] * t3 - a[1] * t1 + a[2] * t0;
    c[8] = a[13] * s5 - a[14] * s4 + a[15] * s3, c[9] = a[14] * s2 - a[12] * s5 - a[15] * s1, c[10] = a[12] * s4 - a[13] * s2 + a[15] * s0,
    c[11] = a[13] * s1 - a[12] * s3 - a[14] * s0;
    c[12] = a[10] * s4 - a[9] * s5 - a[11] * s3, c[13] = a[8] * s5 - a[10] * s2 + a[11] * s1, c[14] = a[9] * s2 - a[8] * s4 - a[11] * s0,
    c[15] = a[8] * s3 - a[9] * s1 + a[10] * s0;
    return s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0;
}
template <class T, std::size_t N>
XGRAD_DETAIL_INLINE T cofactors(few_numbers<T, N> const& m, few_numbers<T, N>& y) {
    return cofactors(m.e, y);
}
// The sum of the sizes of a row, or of their squares, above which cofactors lose nothing to underflow; below its inverse they lose nothing to overflow.
template <class S>
inline constexpr S least_size = std::is_same_v<S, float> ? S(1e-8) : S(1e-70);
// Whether cofactors lose little to rounding, and nothing to overflow: the determinant is not small beside the rows, of which none is very large or small. A
// matrix with NaN or infinity is not such.
template <std::size_t N, class S>
[[gnu::pure, gnu::cold, gnu::noinline]] bool is_well_scaled_by_rows(S const* a, S d) noexcept {
    S bound = S(1), smallest = 1 / least_size<S>, largest = least_size<S>;
    for (std::size_t i = 0; i < N; ++i) {
        S row = S(0);
        for (std::size_t j = 0; j < N; ++j) row += std::abs(a[i * N + j]);
        smallest = row < smallest ? row : smallest;
        largest = row > largest ? row : largest;
        bound *= row;
    }
    return (smallest > least_size<S>) & (largest < 1 / least_size<S>) & (std::abs(d) > S(1e-3) * bound);
}
// Most matrices are seen to be such by the sum s of their squares: (det A)² ≤ (s/N)^N, by the inequality of Hadamard and that of the means. So one comparison
// tells that d² > 1e-6 s^N and that s is in the range: beyond its ends, least and 1/least, one of the other terms is greater than (s/N)^N.
template <std::size_t N, class S>
XGRAD_DETAIL_INLINE bool is_well_scaled_by_squares(S const* a, S const& d, S const& least) {
    S const squares =
        sum_of<N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { return sum_of<N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { return a[i * N + j] * a[i * N + j]; }); });
    S const square = squares * squares, power = N == 1 ? squares : N == 2 ? square : N == 3 ? square * squares : square * square;
    S above = least / S(N), below = least / S(N);
    for (std::size_t i = 1; i < N; ++i) above /= S(N), below *= least / S(N);
    return d * d > power * (S(1e-6) + above * squares) + below;
}
template <std::size_t N, class S>
XGRAD_DETAIL_INLINE bool is_well_scaled(S const* a, S const& d) {
    if (is_well_scaled_by_squares<N>(a, d, least_size<S>)) [[likely]] return true;
    return is_well_scaled_by_rows<N>(a, d);
}
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool is_well_scaled(few_numbers<S, N> const& m, S const& d) {
    return is_well_scaled<N>(m.e, d);
}
// The transpose of m⁻¹, where cofactors are good enough for it.
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool invert_few(S const* a, few_numbers<S, N>& t) {
    S const d = cofactors(a, t);
    if (!is_well_scaled<N>(a, d)) [[unlikely]] return false;
    S const r = S(1) / d;
    xgrad::detail::for_each_index<N * N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { t.e[i] *= r; });
    return true;
}
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool invert_few(few_numbers<S, N> const& m, few_numbers<S, N>& t) {
    return invert_few(m.e, t);
}
// The same as r c. Where they are of ordinary size c are the cofactors themselves: products with them need not wait for the division.
template <class S, std::size_t N>
struct few_cofactors {
    few_numbers<S, N> c;
    S r;
};
template <class S>
inline constexpr S least_ordinary_size = std::is_same_v<S, float> ? S(1e-4) : S(1e-20);
template <class S, std::size_t N>
struct inverted_few {
    few_cofactors<S, N> t;
    bool is_good;
};
// From the beginning, so that nothing is kept in registers for it.
template <class S, std::size_t N>
[[gnu::pure, gnu::cold, gnu::noinline]] inverted_few<S, N> invert_extraordinary(S const* a) noexcept {
    inverted_few<S, N> y;
    y.is_good = invert_few(a, y.t.c);
    y.t.r = S(1);
    return y;
}
template <class S, std::size_t N>
XGRAD_DETAIL_INLINE bool invert_few(S const* a, few_cofactors<S, N>& t) {
    S const d = cofactors(a, t.c);
    t.r = S(1) / d;
    if (is_well_scaled_by_squares<N>(a, d, least_ordinary_size<S>)) [[likely]] return true;
    auto const y = invert_extraordinary<S, N>(a);
    xgrad::detail::for_each_index<N * N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { t.c.e[i] = y.t.c.e[i]; });
    t.r = y.t.r;
    return y.is_good;
}
// The determinant of a matrix of finite elements, and its cofactors, where products in them overflow: those of the matrix whose rows and then columns are
// divided by powers of two.
template <class S, std::size_t N>
struct determined_few {
    few_numbers<S, N> c;
    S d;
    bool is_finite;
};
template <class S, std::size_t N>
[[gnu::pure, gnu::cold, gnu::noinline]] determined_few<S, N> determine_extraordinary(few_numbers<S, N> m) noexcept {
    determined_few<S, N> y;
    y.is_finite = is_finite(dense_at<S const>(m.e, N, N));
    if (!y.is_finite) return y;
    int exponents[2 * N], sum = 0;
    for (std::size_t k = 0; k < 2 * N; ++k) {
        auto const element = [&](std::size_t i) -> S& { return k < N ? m(k, i) : m(i, k - N); };
        S largest = S(0);
        for (std::size_t i = 0; i < N; ++i) largest = std::max(largest, std::abs(element(i)));
        int const e = exponents[k] = largest == S(0) ? 0 : std::ilogb(largest);
        for (std::size_t i = 0; i < N; ++i) element(i) = std::scalbn(element(i), -e);
        sum += e;
    }
    y.d = std::scalbn(cofactors(m, y.c), sum);
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) y.c(i, j) = std::scalbn(y.c(i, j), sum - exponents[i] - exponents[N + j]);
    return y;
}
template <std::size_t N>
[[noreturn, gnu::cold, gnu::noinline]] void not_finite_few() {
    detail::not_finite("det(A)", to_string(static_extents<N, N>::shape));
}
// The determinant of a matrix, and its cofactors; of numbers those that overflow on the way, too.
template <class T, std::size_t N>
XGRAD_DETAIL_INLINE T determinant_of_few(T const* a, few_numbers<T, N>& c) {
    T const d = cofactors(a, c);
    if constexpr (std::floating_point<T>) {
        T seen = d;
        // The first row's cofactors are in d, and so are all minors of two rows. Where those of three overflow alone, elements are beyond 1e102, or 1e12 in
        // float.
        if constexpr (N == 3) seen += sum_of<N>([&](std::size_t j) XGRAD_DETAIL_LAMBDA { return c.e[3 + j] + c.e[6 + j]; });
        if (std::isfinite(seen)) [[likely]] return d;
        few_numbers<T, N> m;  // a copy, so that nothing else has an address for this
        xgrad::detail::for_each_index<N * N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { put_one_of<N * N>(m.e[i], a[i]); });
        auto const y = determine_extraordinary(m);
        if (!y.is_finite) not_finite_few<N>();
        c = y.c;
        return y.d;
    } else return d;
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
