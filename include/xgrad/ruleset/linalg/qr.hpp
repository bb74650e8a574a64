// Defines the rule of qr: the reduced decomposition of a matrix by LAPACK, kept for the pullback.
//
// A = Q R:  C = Ȧ R⁻¹, W = Qᵀ C, X = tril(W, -1) - tril(W, -1)ᵀ:  Q̇ = Q X + C - Q W,  Ṙ = (W - X) R;  Ā = (Q̄ + Q copyltu(R R̄ᵀ - Q̄ᵀ Q)) R⁻ᵀ, copyltu the
// symmetric matrix with the lower triangle of its argument   (Walter and Lehmann 2018, "Algorithmic differentiation of linear algebra functions with
// application in optimum experimental design"; Seeger et al. 2017, "Auto-differentiating linear algebra"). Of a wide A = (A₁ A₂) the square block A₁ is
// decomposed, and R₂ = Qᵀ A₂:  Ṙ₂ = Q̇ᵀ A₂ + Qᵀ Ȧ₂;  Q̄ += A₂ R̄₂ᵀ,  Ā₂ = Q R̄₂   (Roberts and Roberts 2020, "QR and LQ decomposition matrix backpropagation
// algorithms for square, wide, and deep matrices"). Of complex numbers R has a real diagonal, adjoints stand for transposes and copyltu makes a Hermitian
// matrix (Walter, Lehmann and Lamour 2012, "On evaluating higher-order derivatives of the QR decomposition of tall matrices with full column rank in forward
// and reverse mode algorithmic differentiation"); cotangents come conjugated.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/svd.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// Q and behind it R, row by row, in one array. The name is that of the call, for messages.
template <class T>
struct qr {
    static constexpr bool may_throw = true;
    char const* call = "qr(A)";
};
}

namespace linalg {

// q, with no more columns n than rows, becomes Q, and r is R; tau has room for n numbers and work for 32 n. What comes back is the first column that depends on
// those before it, or n.
template <class S>
std::size_t decompose_in_place(dense<S> const& q, dense<S> const& r, S* tau, S* work) noexcept {
    std::size_t const m = q.shape[0], n = q.shape[1];
#if defined(HAVE_CBLAS)
    // rows are LAPACK's columns: it decomposes Aᵀ = Rᵀ Qᵀ
    auto const rows = static_cast<blas_index>(m), columns = static_cast<blas_index>(n), size = static_cast<blas_index>(32 * n);
    if (n != 0) {
        routine::gelqf(columns, rows, q.data, columns, tau, work, size);
        copy(r, submatrix(q, 0, 0, n, n));
        make_unitary_rows(columns, rows, columns, q.data, columns, tau, work, size);
    }
#else
    (void)tau, (void)work;
#endif
    using R = real_type_t<S>;
    R largest = R(0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) set(r, i, j, S(0));
        largest = std::max(largest, std::abs(entry(r, i, i)));
    }
    for (std::size_t i = 0; i < n; ++i)
        if (!(std::abs(entry(r, i, i)) > largest * static_cast<R>(m) * std::numeric_limits<R>::epsilon())) return i;
    return n;
}

}

template <class T> inline constexpr bool takes_complex<op::qr<T>> = true;
template <class T>
struct array_rule<op::qr<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using operation = op::qr<T>;
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(operation const& o, extents<A> const& a) {
        linalg::check_matrix(o.call, a);
        return {{(a[0] + a[1]) * std::min(a[0], a[1])}};
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
        // the square block of a wide matrix
        std::size_t const m = a.shape[0], n = std::min(m, a.shape[1]), more = a.shape[1] - n;
        kept const k(room, m, a.shape[1]);
        auto const q = dense_at<T>(y.data, m, n), r = dense_at<T>(y.data + m * n, n, n + more);
        auto const x = as_matrix(a);
        copy(q, submatrix(x, 0, 0, m, n));
        linalg::detail::require_finite(o.call, a);
        auto const dependent = decompose_in_place(bottom_part(q), submatrix(bottom_part(r), 0, 0, n, n), k.tau, k.work);
        if (dependent != n)
            throw std::runtime_error(std::string("xgrad[E210]: ") + o.call + " requires linearly independent " + (more != 0 ? "leading columns" : "columns") +
                                     ", found " + to_string(a.shape) + " whose column " + std::to_string(dependent) +
                                     " depends on those before it: leave it out, or take pinv");
        if constexpr (number_dual<T>)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < i; ++j) set(r, i, j, T(0));
        tangents(q, submatrix(r, 0, 0, n, n), k.tall, k.small);
        if (more == 0) return;
        if constexpr (is_complex<T>) {
            copy_conjugated(k.tall, q);
            multiply(submatrix(r, 0, n, n, more), false, transposed(k.tall), submatrix(x, 0, n, m, more));
        } else multiply(submatrix(r, 0, n, n, more), false, transposed(q), submatrix(x, 0, n, m, more));
    }
    template <int I, class X, class Y, class A>
    static void pullback(operation const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const m = a.shape[0], n = std::min(m, a.shape[1]), more = a.shape[1] - n;
        kept const k(room, m, a.shape[1]);
        auto const q = dense_at<T const>(y.data, m, n), r = submatrix(dense_at<T const>(y.data + m * n, n, n + more), 0, 0, n, n);
        auto const qbar = dense_at<T const>(ybar.data, m, n), rbar = dense_at<T const>(ybar.data + m * n, n, n + more);
        auto const x = as_matrix(a);
        auto const out = as_matrix(xbar);
        if (more == 0) copy(k.tall, qbar);
        else {
            auto const beside = submatrix(rbar, 0, n, n, more), a2 = submatrix(x, 0, n, m, more);
            auto const out2 = submatrix(out, 0, n, m, more);
            if constexpr (is_complex<T>) {
                copy_conjugated(k.tall, q);
                multiply(out2, add, k.tall, beside);
                // A₂ R̄₂ᴴ, conjugated as both cotangents are
                multiply(k.tall, false, a2, transposed(beside));
                conjugate_all(k.tall);
                give(k.tall, true, qbar);
            } else {
                copy(k.tall, qbar);
                multiply(k.tall, true, a2, transposed(beside));
                multiply(out2, add, q, beside);
            }
        }
        // below its diagonal R is constant
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) set(k.upper, i, j, j < i ? T(0) : T(entry(rbar, i, j)));
        multiply(k.small, false, transposed(k.tall), q);
        negate(k.small);
        multiply(k.small, true, r, transposed(k.upper));
        mirror_lower(k.small);
        // conj(Q copyltu)
        conjugate_all(k.tall);
        multiply(k.tall, true, q, k.small);
        conjugate_all(k.tall);
        // X R⁻ᵀ is (R⁻¹ Xᵀ)ᵀ
        solve_triangle(r, false, false, transposed(k.tall));
        give(submatrix(out, 0, 0, m, n), add, k.tall);
    }

private:
    struct kept {
        linalg::dense<T> tall, small, upper;
        scalar_of_t<T>* tau;
        scalar_of_t<T>* work;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t columns) : kept(room, m, std::min(m, columns), 0) {}

    private:
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n, int)
            : tall(room.take_matrix<T>(m, n)), small(room.take_matrix<T>(n, n)), upper(room.take_matrix<T>(n, n)),
              tau(room.take<scalar_of_t<T>>(n)), work(room.take<scalar_of_t<T>>(32 * n)) {}
    };
    // In q's tangents lies what A has there.
    template <class U>
    static void tangents(linalg::dense<U> const& q, linalg::dense<U> const& r, linalg::dense<U> const& tall, linalg::dense<U> const& small) noexcept {
        if constexpr (number_dual<U>) {
            using namespace linalg;
            using linalg::detail::direction_part, linalg::detail::primal_part;
            using P = typename U::primal_type;
            auto const qp = primal_part(q), rp = primal_part(r), w = primal_part(small), c = primal_part(tall);
            tangents(qp, rp, c, w);
            std::size_t const n = r.shape[0];
            for (std::size_t d = 0; d < U::count; ++d) {
                auto const qd = direction_part(q, d), rd = direction_part(r, d);
                // C R = Ȧ
                solve_triangle(transposed(rp), true, false, transposed(qd));
                // W = Qᴴ C
                if constexpr (is_complex<P>) copy_conjugated(c, qp);
                multiply(w, false, transposed(is_complex<P> ? constant(c) : constant(qp)), qd);
                copy(c, qd);
                subtract_product(c, qp, w);
                // W - X is upper triangular
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        set(rd, i, j, j < i ? P(0) : i == j ? real_only(entry(w, i, i)) : P(entry(w, i, j) + conjugated(entry(w, j, i))));
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j <= i; ++j) {
                        P const v = i == j ? imaginary_only(entry(w, i, i)) : entry(w, i, j);
                        set(w, i, j, v);
                        set(w, j, i, i == j ? v : P(-conjugated(v)));
                    }
                multiply(c, true, qp, w);
                copy(qd, c);
                // Ṙ = (W - X) R, in place
                copy(w, rd);
                multiply(rd, false, w, rp);
            }
        } else (void)q, (void)r, (void)tall, (void)small;
    }
};

}
XGRAD_DETAIL_QUIET_END
