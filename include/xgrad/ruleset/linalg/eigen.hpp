// Defines the rules of eigh and eigvalsh: one symmetric eigendecomposition by LAPACK's syevd, kept for the pullback.
//
// A = V diag(w) Vᵀ, F(i, j) = 1 / (w(j) - w(i)) and 0 where i = j:  Q = Vᵀ Ȧ V, ẇ = diag Q, V̇ = V (F ∘ Q);  Ā = V (diag w̄ + F ∘ (Vᵀ V̄)) Vᵀ, its
// symmetric part   (Giles 2008, "Collected matrix derivative results", 3.1). A is read as its symmetric part ½ (A + Aᵀ). Of complex numbers A is Hermitian, by
// heevd: adjoints stand for transposes (Boeddeker et al. 2017, "On the computation of complex-valued gradients with application to statistically optimum
// beamforming"), and a factor of modulus one of each vector is what its sign was. Cotangents come conjugated.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/solve.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// w and behind it V, row by row, in one array.
template <class T>
struct eigh {
    static constexpr bool may_throw = true;
    static constexpr char const* call = "eigh(A)";
    bool is_differentiated = true;
};
template <class T>
struct eigvalsh {
    static constexpr bool may_throw = true;
    static constexpr char const* call = "eigvalsh(A)";
    bool is_differentiated = true;
};
}

namespace linalg {

namespace detail {

inline void no_convergence(char const* call, std::string const& shape, char const* routine, blas_index info) {
    throw std::runtime_error(std::string("xgrad[E210]: ") + call + " requires a matrix whose decomposition converges, found " + shape + " (LAPACK's " +
                             routine + ": info = " + std::to_string(info) + "): scale the matrix");
}
inline void repeated(char const* call, char const* what, std::string const& shape, char const* remedy) {
    throw std::domain_error(std::string("xgrad[E210]: ") + call + " requires distinct " + what +
                            " where its vectors are differentiated, found some that agree to rounding in a matrix of shape " + shape + ": " + remedy);
}
// Whether two of these numbers, in order, are one to rounding.
template <class S>
bool has_repeated(S const* w, std::size_t n) {
    using R = real_type_t<S>;
    R largest = R(0);
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(w[i]));
    for (std::size_t i = 1; i < n; ++i)
        if (std::abs(w[i] - w[i - 1]) <= largest * static_cast<R>(n) * std::numeric_limits<R>::epsilon()) return true;
    return false;
}

// LAPACK's columns are rows.
template <class S>
void transpose_in_place(dense<S> const& a) noexcept {
    each_lower(a.shape[0], [&](std::size_t i, std::size_t j) {
        S const e = entry(a, i, j);
        set(a, i, j, entry(a, j, i));
        set(a, j, i, e);
    });
}

// The tangents of a decomposition whose numbers are known; in v's tangents lies what A has there. q and t are memory of v's size.
template <class T>
void eigen_tangents(dense<T> const& v, dense<T> const& w, dense<T> const& q, dense<T> const& t) noexcept {
    if constexpr (number_dual<T>) {
        auto const vp = primal_part(v), wp = primal_part(w), qp = primal_part(q), tp = primal_part(t);
        eigen_tangents(vp, wp, qp, tp);
        using P = typename T::primal_type;
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const vk = direction_part(v, k), wk = direction_part(w, k);
            multiply(tp, false, vk, vp);
            // Vᵀ t, of complex numbers Vᴴ t
            conjugate_all(tp);
            multiply(qp, false, transposed(vp), tp);
            conjugate_all(qp);
            for (std::size_t i = 0; i < v.shape[0]; ++i) {
                set(wk, i, 0, real_only(entry(qp, i, i)));
                for (std::size_t j = 0; j < v.shape[0]; ++j) set(qp, i, j, i == j ? P(0) : P(entry(qp, i, j) / (entry(wp, j, 0) - entry(wp, i, 0))));
            }
            multiply(vk, false, vp, qp);
        }
    }
}

}

// v = the eigenvectors of a, one a column, w its eigenvalues in ascending order.
template <class T>
class eigensolver {
    using S = scalar_of_t<T>;

public:
    eigensolver(scratch_room& room, std::size_t n)
        : n_(n),
          q(room.take_matrix<T>(n, n)),
          t(room.take_matrix<T>(n, n)),
          work_(room.take<S>(work_size())),
          reals_(room.take<real_scalar_t<T>>(real_work_size())),
          integers_(room.take<blas_index>(3 + 5 * n)) {}

    template <class A>
    void decompose(char const* call, dense<A> const& a, dense<T> const& v, dense<T> const& w, [[maybe_unused]] bool with_vectors, bool needs_distinct,
                   bool /*is_differentiated*/) const {
        symmetric_part(v, a);
        auto const vp = bottom_part(v), wp = bottom_part(w);
        detail::require_finite(call, vp);
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        auto const n = static_cast<blas_index>(n_);
        char const job = with_vectors ? 'V' : 'N';
        auto const size = static_cast<blas_index>(work_size()), integers = static_cast<blas_index>(3 + 5 * n_);
        if constexpr (is_complex<T>) {
            if (n_ != 0)
                info = routine::heevd(job, 'U', n, vp.data, n, reals_, work_, size, reals_ + n_, static_cast<blas_index>(real_work_size() - n_), integers_,
                                      integers);
            for (std::size_t i = 0; i < n_; ++i) wp.data[i] = reals_[i];
            // the memory is that of the transposed matrix, whose vectors are the conjugates
            conjugate_all(vp);
        } else if (n_ != 0) info = routine::syevd(job, 'U', n, vp.data, n, wp.data, work_, size, integers_, integers);
#endif
        if (info != 0) detail::no_convergence(call, to_string(a.shape), is_complex<T> ? "heevd" : "syevd", info);
        if (needs_distinct && detail::has_repeated(wp.data, n_))
            detail::repeated(call, "eigenvalues", to_string(a.shape), "take eigvalsh, if only they are needed, or expm");
        detail::transpose_in_place(vp);
        detail::eigen_tangents(v, w, q, t);
    }

private:
    std::size_t n_;

public:
    dense<T> q, t;

private:
    S* work_;
    real_scalar_t<T>* reals_;
    blas_index* integers_;
    std::size_t work_size() const { return 1 + 6 * n_ + 2 * n_ * n_; }
    // The eigenvalues, and what heevd needs of real numbers.
    std::size_t real_work_size() const { return is_complex<T> ? 1 + 6 * n_ + 2 * n_ * n_ : 0; }
};

// What the rules of eigenvalues share, of symmetric matrices and of others: w and behind it V, or w alone, where V is kept for the pullback.
template <template <class> class Op, template <class> class Solver, bool Vectors, class T>
struct rule_of_eigenvalues {
    static constexpr bool has_scratch = check_lapack<T>();
    using operation = Op<T>;
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(operation const&, extents<A> const& a) {
        shape_of_square(operation::call, a);
        return {{Vectors ? a[0] * (a[0] + 1) : a[0]}};
    }
    template <int A>
    static std::size_t scratch(operation const&, extents<A> const& a) {
        scratch_room room;
        kept(room, a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, A const& a) {
        scratch_room room(s);
        std::size_t const n = a.shape[0];
        kept const k(room, n);
        k.solver.decompose(operation::call, as_matrix(a), Vectors ? dense_at<T>(y.data + n, n, n) : k.v, dense_at<T>(y.data, n, 1),
                           Vectors || o.is_differentiated, Vectors ? o.is_differentiated : number_dual<T>, o.is_differentiated);
    }

protected:
    struct kept {
        Solver<T> solver;
        dense<T> v;
        kept(scratch_room& room, std::size_t n) : solver(room, n), v(room.take_matrix<T>(Vectors ? 0 : n, n)) {}
    };
};

}

template <class T> inline constexpr bool takes_complex<op::eigh<T>> = true;
template <class T>
struct array_rule<op::eigh<T>> : linalg::rule_of_eigenvalues<op::eigh, linalg::eigensolver, true, T> {
    template <int I, class X, class Y, class A>
    static void pullback(op::eigh<T> const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        linalg::scratch_room room(s);
        std::size_t const n = a.shape[0];
        linalg::eigensolver<T> const k(room, n);
        auto const v = linalg::dense_at<T const>(y.data + n, n, n), vbar = linalg::dense_at<T const>(ybar.data + n, n, n);
        linalg::multiply(k.q, false, linalg::transposed(v), vbar);
        // the symmetric part of diag w̄ + F ∘ Q
        linalg::each_lower(n, [&](std::size_t i, std::size_t j) {
            T m = linalg::real_only(T(ybar.data[i]));
            if (i != j) m = T(0.5) * (linalg::entry(k.q, i, j) - linalg::conjugated(linalg::entry(k.q, j, i))) / (T(y.data[j]) - T(y.data[i]));
            linalg::set(k.q, i, j, m);
            linalg::set(k.q, j, i, linalg::conjugated(m));
        });
        if constexpr (linalg::is_complex<T>) {
            // conj(V) (...) Vᵀ
            linalg::multiply(k.t, false, k.q, linalg::transposed(v));
            linalg::copy_conjugated(k.q, v);
            linalg::multiply(linalg::as_matrix(xbar), add, k.q, k.t);
        } else {
            linalg::multiply(k.t, false, v, k.q);
            linalg::multiply(linalg::as_matrix(xbar), add, k.t, linalg::transposed(v));
        }
    }
};

// The gradient of a function that treats repeated eigenvalues alike; of one that does not, an element of its subdifferential.
template <class T> inline constexpr bool takes_complex<op::eigvalsh<T>> = true;
template <class T>
struct array_rule<op::eigvalsh<T>> : linalg::rule_of_eigenvalues<op::eigvalsh, linalg::eigensolver, false, T> {
    template <int I, class X, class Y, class A>
    static void pullback(op::eigvalsh<T> const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        std::size_t const n = a.shape[0];
        typename array_rule::kept const k(room, n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                linalg::set(k.solver.t, i, j,
                            T(linalg::conjugated(linalg::entry(k.v, i, j)) * linalg::real_only(T(ybar.data[static_cast<std::ptrdiff_t>(j) * ybar.stride[0]]))));
        linalg::multiply(linalg::as_matrix(xbar), add, k.solver.t, linalg::transposed(k.v));
    }
};

}
XGRAD_DETAIL_QUIET_END
