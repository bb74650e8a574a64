// Defines solve_triangle and multiply_triangle, in place by BLAS, the Cholesky factorisation in place, and the same of duals.
//
// X = L⁻¹ B:  Ẋ = L⁻¹ (Ḃ - L̇ X).   L = chol(A):  L̇ = L Φ(L⁻¹ Ȧ L⁻ᵀ), Φ the lower triangle with half of its diagonal (Giles 2008, 2.2.1; Murray 2016,
// "Differentiation of the Cholesky decomposition", equation 8).
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/ruleset/linalg/dense.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

namespace detail {

using xgrad::detail::direction_part;
using xgrad::detail::is_dual_ref;
using xgrad::detail::primal_part;

// Calls f(triangle, trans) with the memory of l seen in row-major order.
template <class S, class F>
void with_triangle(matrix_ref<S const> l, bool lower, F f) {
    auto const p = as_blas(l);
    bool const flipped = p.trans != cxxblas::NoTrans;
    f(p, lower != flipped ? cxxblas::Lower : cxxblas::Upper, p.trans);
}
inline cxxblas::Transpose other(cxxblas::Transpose t) { return t == cxxblas::NoTrans ? cxxblas::Trans : cxxblas::NoTrans; }

}

// Whether BLAS takes this triangle where it lies.
template <class T>
bool lies_for_blas(dense<T> const& a) noexcept {
    return static_cast<bool>(as_blas(matrix(bottom_part(a))));
}

// x = l⁻¹ x. Of l, which BLAS takes as it lies, the other triangle is not read; of duals it is zero. x is row- or column-major.
template <class L, class T>
void solve_triangle(dense<L> const& l, bool lower, bool unit, dense<T> const& x) noexcept {
    if (x.shape[0] == 0 || x.shape[1] == 0) return;
    if constexpr (number_dual<T>) {
        auto const lp = detail::primal_part(l);
        auto const xp = detail::primal_part(x);
        solve_triangle(lp, lower, unit, xp);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const xk = detail::direction_part(x, k);
            if constexpr (number_dual<L>) subtract_product(xk, detail::direction_part(l, k), xp);
            solve_triangle(lp, lower, unit, xk);
        }
    } else {
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(x.shape[0]), k = static_cast<blas_index>(x.shape[1]);
        auto const diag = unit ? cxxblas::Unit : cxxblas::NonUnit;
        detail::with_triangle<T>(matrix(l), lower, [&](auto const& p, auto uplo, auto trans) {
            if (k == 1) return routine::trsv(cxxblas::RowMajor, uplo, trans, diag, n, p.data, p.ld, x.data, static_cast<blas_index>(n == 1 ? 1 : x.stride[0]));
            auto const q = as_blas(matrix(x));
            if (q.trans == cxxblas::NoTrans) routine::trsm(cxxblas::RowMajor, cxxblas::Left, uplo, trans, diag, n, k, T(1), p.data, p.ld, q.data, q.ld);
            else routine::trsm(cxxblas::RowMajor, cxxblas::Right, uplo, detail::other(trans), diag, k, n, T(1), p.data, p.ld, q.data, q.ld);
        });
#endif
    }
}

// x = l x, with the same conditions.
template <class L, class T>
void multiply_triangle(dense<L> const& l, bool lower, dense<T> const& x) noexcept {
    if (x.shape[0] == 0 || x.shape[1] == 0) return;
    if constexpr (number_dual<T>) {
        auto const lp = detail::primal_part(l);
        auto const xp = detail::primal_part(x);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const xk = detail::direction_part(x, k);
            multiply_triangle(lp, lower, xk);
            if constexpr (number_dual<L>) multiply(xk, true, detail::direction_part(l, k), xp);
        }
        multiply_triangle(lp, lower, xp);
    } else {
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(x.shape[0]), k = static_cast<blas_index>(x.shape[1]);
        detail::with_triangle<T>(matrix(l), lower, [&](auto const& p, auto uplo, auto trans) {
            auto const q = as_blas(matrix(x));
            if (q.trans == cxxblas::NoTrans)
                routine::trmm(cxxblas::RowMajor, cxxblas::Left, uplo, trans, cxxblas::NonUnit, n, k, T(1), p.data, p.ld, q.data, q.ld);
            else routine::trmm(cxxblas::RowMajor, cxxblas::Right, uplo, detail::other(trans), cxxblas::NonUnit, k, n, T(1), p.data, p.ld, q.data, q.ld);
        });
#endif
    }
}

// Φ: the lower triangle, with half of the diagonal; zero above it.
template <class T>
void half_diagonal_lower(dense<T> const& m) noexcept {
    for (std::size_t i = 0; i < m.shape[0]; ++i) set(m, i, i, T(real_only(entry(m, i, i)) * T(0.5)));
    clear_above_diagonal(m);
}

// l, symmetric or Hermitian, becomes its Cholesky factor. Of numbers the lower triangle is read, and what is above it stays, unless it is to be cleared. What
// comes back is LAPACK's info: 0, or the order of the leading minor that is not positive.
template <class T>
blas_index cholesky_in_place(dense<T> const& l, bool clear = true) noexcept {
    if constexpr (number_dual<T>) {
        auto const lp = detail::primal_part(l);
        if (auto const info = cholesky_in_place(lp); info != 0) return info;
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const m = detail::direction_part(l, k);
            // L⁻¹ Ȧ L⁻ᵀ, of complex numbers L⁻¹ Ȧ L⁻ᴴ
            solve_triangle(lp, true, false, m);
            conjugate_all(m);
            solve_triangle(lp, true, false, transposed(m));
            conjugate_all(m);
            half_diagonal_lower(m);
            multiply_triangle(lp, true, m);
        }
        return 0;
    } else {
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(l.shape[0]);
        if (n == 0) return 0;
        // the lower triangle of rows is the upper one of columns
        info = routine::potrf('U', n, l.data, n);
        // OpenBLAS does not see a NaN
        for (std::size_t i = 0; info == 0 && i < l.shape[0]; ++i)
            if (real_type_t<T> const d = std::real(entry(l, i, i)); !(d > 0) || !(d <= std::numeric_limits<real_type_t<T>>::max()))
                info = static_cast<blas_index>(i + 1);
        if (clear) clear_above_diagonal(l);
#else
        (void)clear;
#endif
        return info;
    }
}

// ---- the checks of factorisations, all in the forward pass

namespace detail {

inline void require_square(char const* call, char const* name, int rank, std::size_t rows, std::size_t cols, std::string const& shapes) {
    if (rank != 2 || rows != cols)
        throw std::invalid_argument(std::string("xgrad[E203]: ") + call + " requires a square matrix " + name + ", found " + shapes +
                                    ": give it as many rows as columns");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void not_finite(char const* call, std::string const& shape) {
    throw std::domain_error(std::string("xgrad[E209]: ") + call + " requires finite elements, found NaN or infinity in a matrix of shape " + shape +
                            ": look at what computes it");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void not_definite(char const* call, std::string const& shape, blas_index info) {
    throw std::runtime_error(std::string("xgrad[E210]: ") + call + " requires a positive definite matrix A, found " + shape + " whose leading minor of order " +
                             std::to_string(info) + " is not positive (LAPACK's potrf: info = " + std::to_string(info) +
                             "): add a small multiple of the identity");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void is_factor(char const* call, std::string const& shape) {
    throw std::invalid_argument(std::string("xgrad[E245]: ") + call + " requires the matrix A itself, found a lower triangle of shape " + shape +
                                ", as cholesky(A) gives it: write cholesky_solve(L, b)");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void singular(char const* call, std::string const& shape, char const* routine, blas_index info) {
    throw std::runtime_error(std::string("xgrad[E210]: ") + call + " requires an invertible matrix A, found " + shape + " whose pivot " + std::to_string(info) +
                             " is zero (LAPACK's " + routine + ": info = " + std::to_string(info) +
                             "): add a small multiple of the identity, or take lstsq or pinv");
}
template <class A>
void require_finite(char const* call, A const& a) {
    if (!is_finite(bottom_part(as_matrix(a)))) not_finite(call, to_string(a.shape));
}

}

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
