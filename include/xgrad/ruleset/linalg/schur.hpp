// Defines schur_form, a matrix as a triangular one by LAPACK's gees, its square root, and solve_sylvester, which solves A X + X B = C by two of them.
//
// A = U T Uᴴ, B = V S Vᴴ:  T Y + Y S = Uᴴ C V, a column after the other, X = U Y Vᴴ (Bartels and Stewart 1972, "Solution of the matrix equation
// AX + XB = C"). Of duals: A Ẋ + Ẋ B = Ċ - Ȧ X - X Ḃ. Matrices of real numbers go by complex forms, too, of which the real part is taken at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/ruleset/linalg/eigen.hpp>
#include <xgrad/ruleset/linalg/solve.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

// R is the type of the real numbers.
template <class R>
class schur_form {
    using C = std::complex<R>;

public:
    schur_form(scratch_room& room, std::size_t n)
        : n_(n),
          t_(room.take_matrix<C>(n, n)),
          u_(room.take_matrix<C>(n, n)),
          conjugate_(room.take_matrix<C>(n, n)),
          w_(room.take<C>(n)),
          work_(room.take<C>(work_size())),
          reals_(room.take<R>(n)) {}

    std::size_t size() const noexcept { return n_; }
    // What lies there are LAPACK's columns.
    dense<C> t() const noexcept { return transposed(t_); }
    dense<C> u() const noexcept { return transposed(u_); }
    dense<C> conjugate_of_u() const noexcept { return transposed(conjugate_); }
    C t(std::size_t i, std::size_t j) const noexcept { return t_.data[j * n_ + i]; }

    template <class A>
    void decompose(char const* call, dense<A> const& a) const {
        auto const x = bottom_part(a);
        copy(t_, transposed(x));
        detail::require_finite(call, t_);
#if defined(HAVE_CBLAS)
        if (n_ == 0) return;
        auto const n = static_cast<blas_index>(n_);
        blas_index in_front = 0;
        auto const info = routine::gees('V', 'N', static_cast<blas_index (*)(C const*)>(nullptr), n, t_.data, n, in_front, w_, u_.data, n, work_,
                                        static_cast<blas_index>(work_size()), reals_, static_cast<blas_index*>(nullptr));
        if (info != 0) detail::no_convergence(call, to_string(a.shape), "gees", info);
#endif
        copy_conjugated(conjugate_, u_);
    }
    // Throws where an eigenvalue has no root, or logarithm, beside which that of its neighbours are: 0, and below 0 where numbers are real.
    void require_principal(char const* call, bool is_real) const {
        R largest = R(0);
        for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, std::abs(t(i, i)));
        R const rounding = largest * static_cast<R>(n_) * std::numeric_limits<R>::epsilon();
        for (std::size_t i = 0; i < n_; ++i) {
            bool const negative = is_real && t(i, i).real() <= R(0) && std::abs(t(i, i).imag()) <= rounding;
            if (!negative && t(i, i) != C(0)) continue;
            throw std::runtime_error(std::string("xgrad[E210]: ") + call + " requires a matrix A without eigenvalues that are 0" +
                                     (is_real ? " or negative" : "") + ", found " + to_string(extents<2>{{n_, n_}}) + " with one" +
                                     (is_real ? ": of negative ones pass complex numbers" : ": add a small multiple of the identity"));
        }
    }
    // This becomes the form of the square root: R R = T, with the root in the right half of the plane for each eigenvalue (Björck and Hammarling 1983, "A
    // Schur method for the square root of a matrix").
    void take_root() const noexcept {
        for (std::size_t j = 0; j < n_; ++j) {
            set(t(), j, j, std::sqrt(t(j, j)));
            for (std::size_t i = j; i-- > 0;) {
                C s = t(i, j);
                for (std::size_t k = i + 1; k < j; ++k) s -= t(i, k) * t(k, j);
                C const d = t(i, i) + t(j, j);
                set(t(), i, j, d == C(0) ? C(0) : s / d);
            }
        }
    }
    // y = U T Uᴴ; a and b are memory of its size.
    template <class S>
    void multiply_out(dense<S> const& y, dense<C> const& a, dense<C> const& b) const noexcept {
        clear_above_diagonal(t_);
        multiply(a, false, u(), t());
        multiply(b, false, a, transposed(conjugate_of_u()));
        take_numbers(y, b);
    }
    // y = x, or its real part where y's numbers are real.
    template <class S>
    static void take_numbers(dense<S> const& y, dense<C> const& x) noexcept {
        for (std::size_t i = 0; i < y.shape[0]; ++i)
            for (std::size_t j = 0; j < y.shape[1]; ++j)
                if constexpr (is_complex<S>) set(y, i, j, entry(x, i, j));
                else set(y, i, j, entry(x, i, j).real());
    }

private:
    std::size_t n_;
    dense<C> t_, u_, conjugate_;
    C* w_;
    C* work_;
    R* reals_;

    std::size_t work_size() const { return 33 * n_ + 1; }
};

// Solves by the forms of A and B.
template <class R>
class sylvester_solver {
    using C = std::complex<R>;

public:
    sylvester_solver(scratch_room& room, schur_form<R> const& a, schur_form<R> const& b)
        : a_(a), b_(b), f_(room.take_matrix<C>(a.size(), b.size())), g_(room.take_matrix<C>(a.size(), b.size())) {}

    // x becomes what solves A X + X B = x.
    template <class S>
    void solve(dense<S> const& x) const noexcept {
        std::size_t const m = a_.size(), n = b_.size();
        if (m == 0 || n == 0) return;
        copy(g_, x);
        multiply(f_, false, transposed(a_.conjugate_of_u()), g_);
        multiply(g_, false, f_, b_.u());
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                C const s = b_.t(k, j);
                for (std::size_t i = 0; i < m; ++i) g_.data[i * n + j] -= g_.data[i * n + k] * s;
            }
            for (std::size_t i = m; i-- > 0;) {
                C s = g_.data[i * n + j];
                for (std::size_t k = i + 1; k < m; ++k) s -= a_.t(i, k) * g_.data[k * n + j];
                g_.data[i * n + j] = s / (a_.t(i, i) + b_.t(j, j));
            }
        }
        multiply(f_, false, a_.u(), g_);
        multiply(g_, false, f_, transposed(b_.conjugate_of_u()));
        schur_form<R>::take_numbers(x, g_);
    }
    // Throws where it has no solution, or many.
    void require_solvable() const {
        R largest = R(0);
        for (std::size_t i = 0; i < a_.size(); ++i) largest = std::max(largest, std::abs(a_.t(i, i)));
        for (std::size_t j = 0; j < b_.size(); ++j) largest = std::max(largest, std::abs(b_.t(j, j)));
        for (std::size_t i = 0; i < a_.size(); ++i)
            for (std::size_t j = 0; j < b_.size(); ++j)
                if (std::abs(a_.t(i, i) + b_.t(j, j)) <= largest * std::numeric_limits<R>::epsilon())
                    throw std::runtime_error("xgrad[E210]: sylvester(A, B, C) requires an A and a B of which no eigenvalue is that of the other with its sign "
                                             "changed, found " +
                                             to_string(extents<2>{{a_.size(), a_.size()}}) + " and " + to_string(extents<2>{{b_.size(), b_.size()}}) +
                                             " with such a pair: there are no solutions, or many");
    }

private:
    schur_form<R> const& a_;
    schur_form<R> const& b_;
    dense<C> f_, g_;
};

// x becomes what solves a X + X b = x; the forms are those of the numbers in a and b.
template <class R, class A, class B, class T>
void solve_sylvester(sylvester_solver<R> const& by, dense<A> const& a, dense<B> const& b, dense<T> const& x) noexcept {
    if constexpr (!number_dual<T>) by.solve(x);
    else {
        auto const ap = detail::primal_part(a);
        auto const bp = detail::primal_part(b);
        auto const xp = detail::primal_part(x);
        solve_sylvester(by, ap, bp, xp);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const xk = detail::direction_part(x, k);
            if constexpr (number_dual<A>) subtract_product(xk, detail::direction_part(a, k), xp);
            if constexpr (number_dual<B>) subtract_product(xk, xp, detail::direction_part(b, k));
            solve_sylvester(by, ap, bp, xk);
        }
    }
}
// The tangents of x, the square root of a, whose form is x's: Ȧ = Ẋ X + X Ẋ.
template <class R, class A, class T>
void root_tangents(sylvester_solver<R> const& by, dense<A> const& a, dense<T> const& x) noexcept {
    if constexpr (number_dual<T>) {
        auto const ap = detail::primal_part(a);
        auto const xp = detail::primal_part(x);
        root_tangents(by, ap, xp);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const xk = detail::direction_part(x, k);
            copy(xk, detail::direction_part(a, k));
            solve_sylvester(by, xp, xp, xk);
        }
    } else (void)by, (void)a, (void)x;
}

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
