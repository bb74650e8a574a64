// Defines the rule of lu: A = P L U with row exchanges, of a matrix of any shape, by LAPACK's getrf.
//
// Of a square B = Pᵀ A:  F = L⁻¹ Ḃ U⁻¹,  L̇ = L tril(F, -1),  U̇ = triu(F) U;  B̄ = L⁻ᵀ (tril(Lᵀ L̄, -1) + triu(Ū Uᵀ)) U⁻ᵀ   (de Hoog, Anderssen and Lukas
// 2011, "Differentiation of matrix functionals using triangular factorization"). The rows below a square block are L₂ = B₂ U⁻¹, the columns beside it
// U₂ = L⁻¹ B₂: B̄₂ = L̄₂ U⁻ᵀ,  Ū -= L₂ᵀ B̄₂;  B̄₂ = L⁻ᵀ Ū₂,  L̄ -= B̄₂ U₂ᵀ. P is constant where no two candidates for a pivot are equally large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/svd.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// L, U and the rows of A in their new order, row by row, one behind the other in one array.
template <class T>
struct lu {
    static constexpr bool may_throw = true;
    bool is_differentiated = true;
};
}

namespace linalg {

// The parts of a decomposition of an (m, n) matrix: (m, k), (k, n) and (m, 1), k the smaller extent. T may be const.
template <class T>
struct lu_parts {
    dense<T> l, u, rows;
    lu_parts(memory_t<T> p, std::size_t m, std::size_t n)
        : l(dense_at<T>(p, m, std::min(m, n))),
          u(dense_at<T>(p + m * std::min(m, n), std::min(m, n), n)),
          rows(dense_at<T>(p + (m + n) * std::min(m, n), m, 1)) {}
    static std::size_t size(std::size_t m, std::size_t n) { return (m + n) * std::min(m, n) + m; }
};

}

template <class T> inline constexpr bool takes_complex<op::lu<T>> = true;
template <class T>
struct array_rule<op::lu<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using operation = op::lu<T>;
    using S = scalar_of_t<T>;
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(operation const&, extents<A> const& a) {
        linalg::check_matrix("lu(A)", a);
        return {{linalg::lu_parts<T>::size(a[0], a[1])}};
    }
    template <int A>
    static std::size_t scratch(operation const&, extents<A> const& a) {
        linalg::scratch_room room;
        kept(room, a[0], a[1]);
        return room.size();
    }
    template <class Y, class A>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, A const& a) {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const m = a.shape[0], n = a.shape[1], k = std::min(m, n);
        kept const w(room, m, n);
        lu_parts<T> const p(y.data, m, n);
        auto const x = as_matrix(a);
        // LAPACK's columns
        auto const columns = transposed(dense_at<S>(w.numbers, n, m));
        copy(columns, bottom_part(x));
        linalg::detail::require_finite("lu(A)", columns);
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        if (k != 0) info = routine::getrf(static_cast<blas_index>(m), static_cast<blas_index>(n), w.numbers, static_cast<blas_index>(m), w.pivots);
#endif
        if (info != 0 && o.is_differentiated)
            throw std::runtime_error("xgrad[E210]: lu(A) requires linearly independent leading columns where it is differentiated, found " +
                                     to_string(a.shape) + " whose pivot " + std::to_string(info) + " is zero (LAPACK's getrf: info = " + std::to_string(info) +
                                     "): add a small multiple of the identity");
        std::iota(w.order, w.order + m, std::size_t{0});
        for (std::size_t i = 0; i < k; ++i) std::swap(w.order[i], w.order[static_cast<std::size_t>(w.pivots[i] - 1)]);
        for (std::size_t i = 0; i < m; ++i) {
            set(p.rows, i, 0, T(S(static_cast<linalg::real_scalar_t<T>>(w.order[i]))));
            for (std::size_t j = 0; j < k; ++j) set(p.l, i, j, T(j < i ? entry(columns, i, j) : (i == j ? S(1) : S(0))));
        }
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < n; ++j) set(p.u, i, j, T(j < i ? S(0) : entry(columns, i, j)));
        if constexpr (number_dual<T>) {
            for (std::size_t i = 0; i < m; ++i) copy(submatrix(w.x, i, 0, 1, n), submatrix(x, w.order[i], 0, 1, n));
            tangents(p.l, p.u, w.x, w.square);
        }
    }
    template <int I, class X, class Y, class A>
    static void pullback(operation const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const m = a.shape[0], n = a.shape[1], k = std::min(m, n);
        kept const w(room, m, n);
        lu_parts<T const> const p(y.data, m, n), g(ybar.data, m, n);
        auto const u = submatrix(p.u, 0, 0, k, k), l = submatrix(p.l, 0, 0, k, k);
        auto const inner = submatrix(w.x, 0, 0, k, k);
        // tril(Lᵀ L̄ - Ū₂ U₂ᵀ, -1) needs what is below the diagonal of L̄, triu(Ū Uᵀ - L₂ᵀ L̄₂) what is not below that of Ū
        copy(inner, submatrix(g.l, 0, 0, k, k));
        keep_triangle(inner, true);
        multiply(w.square, false, transposed(l), inner);
        if (n > k) {
            negate(w.square);
            multiply(w.square, true, submatrix(g.u, 0, k, k, n - k), transposed(submatrix(p.u, 0, k, k, n - k)));
            negate(w.square);
        }
        copy(w.other, submatrix(g.u, 0, 0, k, k));
        keep_triangle(w.other, false);
        multiply(inner, false, w.other, transposed(u));
        if (m > k) {
            negate(inner);
            multiply(inner, true, transposed(submatrix(p.l, k, 0, m - k, k)), submatrix(g.l, k, 0, m - k, k));
            negate(inner);
        }
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < i; ++j) set(inner, i, j, entry(w.square, i, j));
        if (m > k) copy(submatrix(w.x, k, 0, m - k, k), submatrix(g.l, k, 0, m - k, k));
        if (n > k) copy(submatrix(w.x, 0, k, k, n - k), submatrix(g.u, 0, k, k, n - k));
        solve_triangle(transposed(l), false, true, submatrix(w.x, 0, 0, k, n));
        // X U⁻ᵀ is (U⁻¹ Xᵀ)ᵀ
        solve_triangle(u, false, false, transposed(submatrix(w.x, 0, 0, m, k)));
        auto const out = as_matrix(xbar);
        for (std::size_t i = 0; i < m; ++i) give(submatrix(out, w.order[i], 0, 1, n), add, submatrix(w.x, i, 0, 1, n));
    }

private:
    struct kept {
        linalg::dense<T> x, square, other;
        S* numbers;
        linalg::blas_index* pivots;
        std::size_t* order;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n)
            : x(room.take_matrix<T>(m, n)),
              square(room.take_matrix<T>(std::min(m, n), std::min(m, n))),
              other(room.take_matrix<T>(std::min(m, n), std::min(m, n))),
              numbers(room.take<S>(m * n)),
              pivots(room.take<linalg::blas_index>(std::min(m, n))),
              order(room.take<std::size_t>(m)) {}
    };
    // What is below the diagonal, or what is not.
    static void keep_triangle(linalg::dense<T> const& x, bool below) noexcept {
        for (std::size_t i = 0; i < x.shape[0]; ++i)
            for (std::size_t j = 0; j < x.shape[1]; ++j)
                if ((j < i) != below) linalg::set(x, i, j, T(0));
    }
    // x holds the rows of A in their new order, and is spoilt.
    template <class U>
    static void tangents(linalg::dense<U> const& l, linalg::dense<U> const& u, linalg::dense<U> const& x, linalg::dense<U> const& square) noexcept {
        if constexpr (number_dual<U>) {
            using namespace linalg;
            using linalg::detail::direction_part, linalg::detail::primal_part;
            using P = typename U::primal_type;
            std::size_t const m = x.shape[0], n = x.shape[1], k = square.shape[0];
            auto const all = [&](auto const& a) { return submatrix(a, 0, 0, k, k); };
            auto const lp = primal_part(l), up = primal_part(u), t = primal_part(square);
            tangents(lp, up, primal_part(x), t);
            for (std::size_t d = 0; d < U::count; ++d) {
                auto const xd = direction_part(x, d), ld = direction_part(l, d), ud = direction_part(u, d), f = all(xd);
                // L⁻¹ of the columns beside the block, too
                solve_triangle(all(lp), true, true, submatrix(xd, 0, 0, k, n));
                solve_triangle(transposed(all(up)), true, false, transposed(f));
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < k; ++j) set(t, i, j, j < i ? P(0) : entry(f, i, j));
                multiply(all(ud), false, t, all(up));
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < k; ++j) set(t, i, j, j < i ? entry(f, i, j) : P(0));
                multiply(all(ld), false, all(lp), t);
                if (m > k) {
                    auto const below = submatrix(xd, k, 0, m - k, k);
                    subtract_product(below, submatrix(lp, k, 0, m - k, k), all(ud));
                    solve_triangle(transposed(all(up)), true, false, transposed(below));
                    copy(submatrix(ld, k, 0, m - k, k), below);
                }
                if (n > k) {
                    // L⁻¹ (Ḃ₂ - L̇ U₂), where L⁻¹ L̇ is in t
                    auto const beside = submatrix(xd, 0, k, k, n - k);
                    subtract_product(beside, t, submatrix(up, 0, k, k, n - k));
                    copy(submatrix(ud, 0, k, k, n - k), beside);
                }
            }
        } else (void)l, (void)u, (void)x, (void)square;
    }
};

}
XGRAD_DETAIL_QUIET_END
