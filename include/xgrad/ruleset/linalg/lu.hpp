// Defines lu_factors: the LU factorisation of a square matrix by LAPACK's getrf, kept by a rule for its pullbacks, and what it solves: of duals, too.
//
// X = A⁻¹ B:  Ẋ = A⁻¹ (Ḃ - Ȧ X).   Y = A⁻¹:  Ẏ = -Y Ȧ Y   (Giles 2008, 2.2.3). One factorisation, of the numbers under all tangents.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

#include <xgrad/ruleset/linalg/few_rules.hpp>
#include <xgrad/ruleset/linalg/triangle.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

// The rows of the copy are LAPACK's columns: it factorises the transposed matrix, or A itself where A's columns are contiguous.
template <blas_scalar S>
class lu_factors {
public:
    lu_factors(scratch_room& room, std::size_t n) : n_(n), a_(room.take<S>(n * n)), pivots_(room.take<blas_index>(n)), flipped_(room.take<bool>(1)) {}

    // LAPACK's info: 0, or the first pivot that is zero. Throws where an element is not finite.
    template <class A>
    blas_index factorise(char const* call, dense<A> const& a) const {
        auto const x = bottom_part(a);
        *flipped_ = std::abs(x.stride[0]) < std::abs(x.stride[1]);
        auto const own = dense_at<S>(a_, n_, n_);
        copy(own, *flipped_ ? transposed(x) : x);
        detail::require_finite(call, own);
        if (n_ <= few) return factorise_few();
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(n_);
        info = routine::getrf(n, n, a_, n, pivots_);
#endif
        return info;
    }

    std::size_t size() const noexcept { return n_; }
    S& pivot(std::size_t i) const noexcept { return a_[i * (n_ + 1)]; }
    // 1 or -1.
    S permutation_sign() const noexcept {
        S s = S(1);
        for (std::size_t i = 0; i < n_; ++i)
            if (pivots_[i] != static_cast<blas_index>(i + 1)) s = -s;
        return s;
    }

    // x = A⁻¹ x, or A⁻ᵀ x; x is row- or column-major.
    void solve(bool transpose, dense<S> const& x) const noexcept {
#if defined(HAVE_CBLAS)
        if (x.shape[0] == 0 || x.shape[1] == 0) return;
        bool const t = transpose != *flipped_;
        if (n_ <= few) return solve_few(t, x);
        auto const n = static_cast<blas_index>(n_), k = static_cast<blas_index>(x.shape[1]);
        auto const q = as_blas(matrix(x));
        if ((k == 1 && (n == 1 || x.stride[0] == 1)) || q.trans != cxxblas::NoTrans) {
            routine::getrs(t ? 'N' : 'T', n, k, a_, n, pivots_, x.data, k == 1 ? n : q.ld);
            return;
        }
        // the same on rows
        auto const triangle = [&](auto uplo, auto diag) {
            routine::trsm(cxxblas::RowMajor, cxxblas::Left, uplo, t ? cxxblas::Trans : cxxblas::NoTrans, diag, n, k, S(1), a_, n, q.data, q.ld);
        };
        if (t) {
            for (std::size_t i = 0; i < n_; ++i) exchange_rows(x, i);
            triangle(cxxblas::Upper, cxxblas::Unit);
            triangle(cxxblas::Lower, cxxblas::NonUnit);
        } else {
            triangle(cxxblas::Lower, cxxblas::NonUnit);
            triangle(cxxblas::Upper, cxxblas::Unit);
            for (std::size_t i = n_; i-- > 0;) exchange_rows(x, i);
        }
#else
        (void)transpose, (void)x;
#endif
    }
    // y = A⁻¹, row-major; 32 n elements of work.
    void invert(dense<S> const& y, S* work) const noexcept {
#if defined(HAVE_CBLAS)
        if (n_ <= few) {
            set_identity(y);
            return solve(false, y);
        }
        copy(y, dense_at<S const>(a_, n_, n_));
        auto const n = static_cast<blas_index>(n_);
        routine::getri(n, y.data, n, pivots_, work, static_cast<blas_index>(32 * n));
        if (*flipped_)
            each_lower(n_, [&](std::size_t i, std::size_t j) { std::swap(y.data[i * n_ + j], y.data[j * n_ + i]); });
#else
        (void)y, (void)work;
#endif
    }

private:
    std::size_t n_;
    S* a_;
    blas_index* pivots_;
    bool* flipped_;

    // So small a matrix takes less time than a call of LAPACK: the same factors by loops.
    S& at(std::size_t row, std::size_t column) const noexcept { return a_[column * n_ + row]; }
    blas_index factorise_few() const noexcept {
        blas_index info = 0;
        for (std::size_t j = 0; j < n_; ++j) {
            std::size_t p = j;
            for (std::size_t i = j + 1; i < n_; ++i)
                if (std::abs(at(i, j)) > std::abs(at(p, j))) p = i;
            pivots_[j] = static_cast<blas_index>(p + 1);
            if (at(p, j) == S(0)) {
                if (info == 0) info = static_cast<blas_index>(j + 1);
                continue;
            }
            if (p != j)
                for (std::size_t c = 0; c < n_; ++c) std::swap(at(j, c), at(p, c));
            for (std::size_t i = j + 1; i < n_; ++i) {
                at(i, j) /= at(j, j);
                for (std::size_t c = j + 1; c < n_; ++c) at(i, c) -= at(i, j) * at(j, c);
            }
        }
        return info;
    }
    // t: with the factors' product, else with its transpose.
    void solve_few(bool t, dense<S> const& x) const noexcept {
        for (std::size_t i = 0; t && i < n_; ++i) exchange_rows(x, i);
        for (std::size_t c = 0; c < x.shape[1]; ++c) {
            auto const v = [&](std::size_t i) -> S& {
                return x.data[static_cast<std::ptrdiff_t>(i) * x.stride[0] + static_cast<std::ptrdiff_t>(c) * x.stride[1]];
            };
            for (std::size_t i = 0; i < n_; ++i) {
                for (std::size_t k = 0; k < i; ++k) v(i) -= (t ? at(i, k) : at(k, i)) * v(k);
                if (!t) v(i) /= at(i, i);
            }
            for (std::size_t i = n_; i-- > 0;) {
                for (std::size_t k = i + 1; k < n_; ++k) v(i) -= (t ? at(i, k) : at(k, i)) * v(k);
                if (t) v(i) /= at(i, i);
            }
        }
        for (std::size_t i = n_; !t && i-- > 0;) exchange_rows(x, i);
    }

    void exchange_rows(dense<S> const& x, std::size_t i) const noexcept {
        auto const p = static_cast<std::size_t>(pivots_[i] - 1);
        if (p == i) return;
        for (std::size_t j = 0; j < x.shape[1]; ++j) {
            S const u = entry(x, i, j);
            set(x, i, j, entry(x, p, j));
            set(x, p, j, u);
        }
    }
};

// x = a⁻¹ x, or a⁻ᵀ x, where the factors are those of a's numbers.
template <class S, class A, class T>
void solve_with(lu_factors<S> const& f, dense<A> const& a, bool transpose, dense<T> const& x) noexcept {
    if constexpr (!number_dual<T>) f.solve(transpose, x);
    else {
        auto const ap = detail::primal_part(a);
        auto const xp = detail::primal_part(x);
        solve_with(f, ap, transpose, xp);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const xk = detail::direction_part(x, k);
            if constexpr (number_dual<A>) {
                auto const ak = detail::direction_part(a, k);
                subtract_product(xk, transpose ? transposed(ak) : ak, xp);
            }
            solve_with(f, ap, transpose, xk);
        }
    }
}

// y = a⁻¹; t is memory of y's size, and 32 n numbers of work.
template <class S, class A, class T>
void invert_with(lu_factors<S> const& f, dense<A> const& a, dense<T> const& y, dense<T> const& t, S* work) noexcept {
    if constexpr (!number_dual<T>) f.invert(y, work);
    else {
        auto const yp = detail::primal_part(y);
        auto const tp = detail::primal_part(t);
        invert_with(f, detail::primal_part(a), yp, tp, work);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const yk = detail::direction_part(y, k);
            multiply(tp, false, detail::direction_part(a, k), yp);
            multiply(yk, false, yp, tp);
            negate(yk);
        }
    }
}

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
