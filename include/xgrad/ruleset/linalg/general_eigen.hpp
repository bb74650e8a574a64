// Defines the rules of eig and eigvals: the eigenvalues of a general matrix by LAPACK's geev, with the eigenvectors that their pullbacks need.
//
// A V = V diag(w), Q = V⁻¹ Ȧ V, E(i, j) = w(j) - w(i):  ẇ = diag Q,  V̇ = V (M - diag re(Vᴴ V M)), M = Q / E outside the diagonal and 0 on it;
// Ā = V⁻ᴴ (diag w̄ + (Vᴴ V̄ - Vᴴ V diag re(Vᴴ V̄)) / conj E) Vᴴ for vectors of length one, whose factors of modulus one no function may depend on (Boeddeker et
// al. 2017, "On the computation of complex-valued gradients with application to statistically optimum beamforming", 4.5). Cotangents come conjugated: with ḡ
// what comes, V⁻ᵀ (diag ḡ_w + (Vᵀ ḡ_V - conj(Vᴴ V) diag re(Vᵀ ḡ_V)) / E) Vᵀ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/det.hpp>
#include <xgrad/ruleset/linalg/eigen.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// w and behind it V, row by row, in one array.
template <class T>
struct eig {
    static constexpr bool may_throw = true;
    static constexpr char const* call = "eig(A)";
    bool is_differentiated = true;
};
template <class T>
struct eigvals {
    static constexpr bool may_throw = true;
    static constexpr char const* call = "eigvals(A)";
    bool is_differentiated = true;
};
}

namespace linalg {

// v = the eigenvectors of a, one a column and each of length one, w its eigenvalues in the order of LAPACK.
template <class T>
class general_eigensolver {
    using S = scalar_of_t<T>;
    using R = real_scalar_t<T>;

public:
    dense<T> q, t;  // memory of a's size; of them decompose spoils t

    general_eigensolver(scratch_room& room, std::size_t n)
        : q(room.take_matrix<T>(n, n)),
          t(room.take_matrix<T>(n, n)),
          n_(n),
          lu_(room, n),
          numbers_(room.take_matrix<S>(n, n)),
          work_(room.take<S>(work_size())),
          reals_(room.take<R>(real_work_size())) {}

    // Vectors that are differentiated, or needed for it, must be independent.
    template <class A>
    void decompose(char const* call, dense<A> const& a, dense<T> const& v, dense<T> const& w, bool with_vectors, bool needs_distinct,
                   bool is_differentiated) const {
        auto const x = bottom_part(a);
        auto const vp = bottom_part(v), wp = bottom_part(w);
        // rows are LAPACK's columns
        copy(numbers_, transposed(x));
        detail::require_finite(call, numbers_);
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(n_), size = static_cast<blas_index>(work_size());
        char const job = with_vectors ? 'V' : 'N';
        if (n_ != 0)
            info = is_real() ? decompose_real(vp, wp, job)
                             : routine::geev('N', job, n, numbers_.data, n, wp.data, static_cast<S*>(nullptr), blas_index(1), vp.data, n, work_, size, reals_);
        if (with_vectors) detail::transpose_in_place(vp);
#else
        (void)with_vectors;
#endif
        if (info != 0) detail::no_convergence(call, to_string(a.shape), "geev", info);
        if (!is_differentiated) return;
        if (needs_distinct && has_repeated(wp)) detail::repeated(call, "eigenvalues", to_string(a.shape), "take eigvals, if only they are needed, or expm");
        if (lu_.factorise(call, vp) != 0 || is_nearly_singular(lu_, static_cast<R>(n_) * std::numeric_limits<R>::epsilon()))
            throw std::domain_error(
                std::string("xgrad[E210]: ") + call + " requires independent eigenvectors where it is differentiated, found " + to_string(a.shape) +
                " of fewer than it has rows: the eigenvalues of such a matrix have no derivative; take expm, det, trace or matrix_power, which do");
        tangents(a, v, w, t);
    }
    // y = V⁻ᵀ m Vᵀ, or y += V⁻ᵀ m Vᵀ, where m is in q.
    template <class V>
    void give_back(dense<T> const& y, bool add, dense<V> const& v) const noexcept {
        multiply(t, false, q, transposed(v));
        solve_with(lu_, v, true, t);
        give(y, add, t);
    }

private:
    std::size_t n_;
    lu_factors<S> lu_;
    dense<S> numbers_;
    S* work_;
    R* reals_;

    std::size_t work_size() const { return 32 * n_ + 1; }
    // What geev needs of real numbers; of real matrices two copies, both parts of the eigenvalues and its work.
    std::size_t real_work_size() const { return 2 * n_ * n_ + 34 * n_ + 1; }

    bool is_real() const noexcept {
        bool real = true;
        for (std::size_t i = 0; i < n_ * n_; ++i) real &= numbers_.data[i].imag() == R(0);
        return real;
    }
    static bool has_repeated(dense<S> const& w) noexcept {
        std::size_t const n = w.shape[0];
        R largest = R(0);
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(entry(w, i, 0)));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (std::abs(entry(w, i, 0) - entry(w, j, 0)) <= largest * static_cast<R>(n) * std::numeric_limits<R>::epsilon()) return true;
        return false;
    }
    // The same by real numbers, where pairs come out as conjugates of each other.
    blas_index decompose_real(dense<S> const& v, dense<S> const& w, char job) const {
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(n_);
        R* const a = reals_;
        R* const vectors = a + n_ * n_;
        R* const re = vectors + n_ * n_;
        R* const im = re + n_;
        for (std::size_t i = 0; i < n_ * n_; ++i) a[i] = numbers_.data[i].real();
        info = routine::geev('N', job, n, a, n, re, im, static_cast<R*>(nullptr), blas_index(1), vectors, n, im + n_, static_cast<blas_index>(32 * n_));
        for (std::size_t j = 0; j < n_; ++j) {
            w.data[j] = S(re[j], im[j]);
            if (job == 'N') continue;
            // the parts of a pair lie in two columns
            std::size_t const first = im[j] < R(0) ? j - 1 : j;
            for (std::size_t i = 0; i < n_; ++i)
                v.data[j * n_ + i] = S(vectors[first * n_ + i], im[j] == R(0) ? R(0) : im[j] < R(0) ? -vectors[j * n_ + i] : vectors[(j + 1) * n_ + i]);
        }
#else
        (void)v, (void)w, (void)job;
#endif
        return info;
    }
    template <class A, class U>
    void tangents(dense<A> const& a, dense<U> const& v, dense<U> const& w, dense<U> const& room) const noexcept {
        if constexpr (number_dual<U>) {
            using detail::direction_part, detail::primal_part;
            using P = typename U::primal_type;
            auto const vp = primal_part(v), wp = primal_part(w), m = primal_part(room);
            tangents(primal_part(a), vp, wp, m);
            for (std::size_t k = 0; k < U::count; ++k) {
                auto const vk = direction_part(v, k), wk = direction_part(w, k);
                multiply(m, false, direction_part(a, k), vp);
                solve_with(lu_, vp, false, m);
                for (std::size_t i = 0; i < n_; ++i) {
                    set(wk, i, 0, entry(m, i, i));
                    for (std::size_t j = 0; j < n_; ++j) set(m, i, j, i == j ? P(S(0)) : P(entry(m, i, j) / (entry(wp, j, 0) - entry(wp, i, 0))));
                }
                multiply(vk, false, vp, m);
                for (std::size_t j = 0; j < n_; ++j) {
                    P s = P(S(0));
                    for (std::size_t i = 0; i < n_; ++i) s = s + real_only(P(conjugated(entry(vp, i, j)) * entry(vk, i, j)));
                    for (std::size_t i = 0; i < n_; ++i) set(vk, i, j, P(entry(vk, i, j) - entry(vp, i, j) * s));
                }
            }
        } else (void)a, (void)v, (void)w, (void)room;
    }
};

}

template <class T> inline constexpr bool takes_complex<op::eig<T>> = true;
template <class T>
struct array_rule<op::eig<T>> : linalg::rule_of_eigenvalues<op::eig, linalg::general_eigensolver, true, T> {
    template <int I, class X, class Y, class A>
    static void pullback(op::eig<T> const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const n = a.shape[0];
        general_eigensolver<T> const k(room, n);
        auto const v = dense_at<T const>(y.data + n, n, n), vbar = dense_at<T const>(ybar.data + n, n, n);
        multiply(k.q, false, transposed(v), vbar);
        // Vᵀ conj(V), with what is to be taken from each column
        copy_conjugated(k.t, v);
        for (std::size_t j = 0; j < n; ++j) {
            T const r = real_only(entry(k.q, j, j));
            for (std::size_t i = 0; i < n; ++i) set(k.t, i, j, T(-(entry(k.t, i, j) * r)));
        }
        multiply(k.q, true, transposed(v), k.t);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) set(k.q, i, j, i == j ? T(ybar.data[i]) : T(entry(k.q, i, j) / (T(y.data[j]) - T(y.data[i]))));
        k.give_back(as_matrix(xbar), add, v);
    }
};

// Where some are equal the gradient is right for functions that treat them alike.
template <class T> inline constexpr bool takes_complex<op::eigvals<T>> = true;
template <class T>
struct array_rule<op::eigvals<T>> : linalg::rule_of_eigenvalues<op::eigvals, linalg::general_eigensolver, false, T> {
    template <int I, class X, class Y, class A>
    static void pullback(op::eigvals<T> const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const n = a.shape[0];
        typename array_rule::kept const k(room, n);
        fill(k.solver.q, T(scalar_of_t<T>(0)));
        for (std::size_t i = 0; i < n; ++i) set(k.solver.q, i, i, T(ybar.data[static_cast<std::ptrdiff_t>(i) * ybar.stride[0]]));
        k.solver.give_back(as_matrix(xbar), add, constant(k.v));
    }
};

}
XGRAD_DETAIL_QUIET_END
