// Defines what the rules of positive definite matrices share: the Cholesky factorisation, and solutions and the inverse by its factor.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <xgrad/ruleset/linalg/solve.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace linalg {

// l = chol(a), or throws; above the diagonal stands 0 where it is asked for, and of duals.
template <class T, class A>
void factorise_definite(char const* call, dense<T> const& l, dense<A> const& a, bool clear = false) {
    if constexpr (number_dual<T> || is_complex<T>) {
        symmetric_part(l, a);
        detail::require_finite(call, l);
    } else {
        T nothing = T(0);  // NaN as soon as an element is not finite
        auto const run = [&](auto step) {
            each_lower_tile(l.shape[0], [&](std::size_t i0, std::size_t j0, std::size_t rows, std::size_t columns) {
                T other[tile_size][tile_size];
                T spoilt[tile_size] = {};
                auto const row = [&](std::size_t i, std::size_t j) {
                    return a.data + (static_cast<std::ptrdiff_t>(i) * a.stride[0] + static_cast<std::ptrdiff_t>(j) * a.stride[1]);
                };
                for (std::size_t j = 0; j < columns; ++j) {
                    auto const* const p = row(j0 + j, i0);
                    for (std::size_t i = 0; i < rows; ++i) other[i][j] = T(p[static_cast<std::ptrdiff_t>(i) * step]);
                }
                for (std::size_t i = 0; i < rows; ++i) {
                    auto const* const p = row(i0 + i, j0);
                    T* const q = l.data + (i0 + i) * l.shape[1] + j0;
                    std::size_t const n = i0 == j0 ? i + 1 : columns;
                    for (std::size_t j = 0; j < n; ++j) {
                        q[j] = T(0.5) * T(p[static_cast<std::ptrdiff_t>(j) * step]) + T(0.5) * other[i][j];
                        spoilt[j] += q[j] * T(0);
                    }
                }
                for (T const e : spoilt) nothing += e;
            });
        };
        if (a.stride[1] == 1) run(std::integral_constant<std::ptrdiff_t, 1>{});
        else run(a.stride[1]);
        if (!(nothing == T(0))) detail::not_finite(call, to_string(a.shape));
    }
    if (auto const info = cholesky_in_place(l, clear); info != 0) detail::not_definite(call, to_string(a.shape), info);
}
// Whether nothing is above the diagonal, and something below it: a factor, which solve_cholesky would read as its symmetric part.
template <class A>
bool is_lower_factor(dense<A> const& a) {
    bool below = false;
    for (std::size_t i = 0; i < a.shape[0]; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (entry(a, j, i) != std::remove_const_t<A>(0)) return false;
            below = below || entry(a, i, j) != std::remove_const_t<A>(0);
        }
    return below;
}
// y = f(i, j), or y += f(i, j), for an f that is symmetric or Hermitian: it is asked for the lower triangle.
template <class T, class F>
void give_symmetric(dense<T> const& y, bool add, F f) noexcept {
    each_lower_tile(y.shape[0], [&](std::size_t i0, std::size_t j0, std::size_t rows, std::size_t columns) {
        T v[tile_size][tile_size];
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < (i0 == j0 ? i + 1 : columns); ++j) v[i][j] = T(f(i0 + i, j0 + j));
        auto const give_to = [&](auto step) {
            for (std::size_t i = 0; i < rows; ++i) {
                auto const p = y.data + (static_cast<std::ptrdiff_t>(i0 + i) * y.stride[0] + static_cast<std::ptrdiff_t>(j0) * y.stride[1]);
                auto const n = static_cast<std::ptrdiff_t>(i0 == j0 ? i + 1 : columns);
                for (std::ptrdiff_t j = 0; j < n; ++j) p[j * step] = add ? T(T(p[j * step]) + v[i][j]) : v[i][j];
            }
            for (std::size_t j = 0; j < columns; ++j) {
                auto const p = y.data + (static_cast<std::ptrdiff_t>(j0 + j) * y.stride[0] + static_cast<std::ptrdiff_t>(i0) * y.stride[1]);
                auto const n = static_cast<std::ptrdiff_t>(rows);
                for (std::ptrdiff_t i = i0 == j0 ? static_cast<std::ptrdiff_t>(j + 1) : 0; i < n; ++i)
                    p[i * step] = add ? T(T(p[i * step]) + conjugated(v[i][j])) : conjugated(v[i][j]);
            }
        };
        if (y.stride[1] == 1) give_to(std::integral_constant<std::ptrdiff_t, 1>{});
        else give_to(y.stride[1]);
    });
}
// x = (l lᵀ)⁻¹ x, of complex numbers (l lᴴ)⁻¹ x.
template <class L, class T>
void solve_definite(dense<L> const& l, dense<T> const& x) noexcept {
    solve_triangle(l, true, false, x);
    conjugate_all(x);
    solve_triangle(transposed(l), false, false, x);
    conjugate_all(x);
}
// x = (l lᵀ)⁻ᵀ x, of complex numbers (l lᴴ)⁻ᵀ x.
template <class L, class T>
void solve_definite_transposed(dense<L> const& l, dense<T> const& x) noexcept {
    conjugate_all(x);
    solve_definite(l, x);
    conjugate_all(x);
}
// The lower triangle of y = (l lᵀ)⁻¹; t is memory of its size.
template <class T>
void invert_definite(dense<T> const& l, dense<T> const& y, dense<T> const& t) noexcept {
    if constexpr (number_dual<T>) {
        set_identity(t);
        solve_triangle(l, true, false, t);
        if constexpr (is_complex<T>) {
            copy_conjugated(y, t);
            solve_triangle(transposed(l), false, false, y);
            conjugate_all(y);
        } else multiply(y, false, transposed(t), t);
    } else {
        (void)t;
#if defined(HAVE_CBLAS)
        if (y.shape[0] == 0) return;
        for (std::size_t i = 0; i < y.shape[0]; ++i) copy(submatrix(y, i, 0, 1, i + 1), submatrix(l, i, 0, 1, i + 1));
        auto const n = static_cast<blas_index>(y.shape[0]);
        routine::potri('U', n, y.data, n);
#endif
    }
}
// log det (l lᵀ), of complex numbers of l lᴴ: the diagonal is real.
template <class T>
T log_determinant(dense<T> const& l) noexcept {
    T d = T(0);
    for (std::size_t i = 0; i < l.shape[0]; ++i) d = d + op::log{}(entry(l, i, i));
    return d + d;
}

}

}
XGRAD_DETAIL_QUIET_END
