// Defines cofactors_by_svd: the matrix of cofactors by a singular value decomposition, and its derivative along a matrix, of singular matrices, too.
//
// A = U S Vᴴ, σ = det U det Vᴴ, M = Uᴴ E V:  cof A = σ conj(U) diag(Π s(k), k ≠ i) conj(Vᴴ);  along E:  σ conj(U) K conj(Vᴴ),
// K(i, j) = -M(j, i) Π s(k), k ≠ i, j, and K(i, i) = Σ M(j, j) Π s(k), k ≠ i, j, over j ≠ i: the cofactors of S + ε M   (Magnus and Neudecker 2019, "Matrix
// differential calculus", chapter 8; Stewart 1998, "On the adjugate matrix"; cofactors of a product are the product of cofactors, and those of a unitary U are
// det U conj(U)).
#pragma once

#include <cmath>
#include <cstddef>

#include <xgrad/ruleset/linalg/lu.hpp>
#include <xgrad/ruleset/linalg/svd.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

template <blas_scalar S>
class cofactors_by_svd {
public:
    cofactors_by_svd(scratch_room& room, std::size_t n)
        : solver_(room, n, n),
          parts_(room.take<S>(svd_parts<S>::size(n, n)), n, n),
          lu_(room, n),
          m_(room.take_matrix<S>(n, n)),
          k_(room.take_matrix<S>(n, n)),
          sigma_(room.take<S>(1)) {}

    template <class A>
    void decompose(char const* call, dense<A> const& a) const {
        solver_.decompose(call, a, parts_, false);
        *sigma_ = determinant_of_unitary(call, parts_.u) * determinant_of_unitary(call, parts_.vt);
    }
    // y = cof A.
    void value(dense<S> const& y) const noexcept {
        fill(k_, S(0));
        for (std::size_t i = 0; i < k_.shape[0]; ++i) set(k_, i, i, product_but(i, i));
        solver_.with_conjugates(parts_.u, parts_.vt, [&](auto const& u, auto const& vt) { turn(y, u, vt); });
    }
    // y = its derivative along e.
    template <class E>
    void along(dense<S> const& y, dense<E> const& e) const noexcept {
        std::size_t const n = k_.shape[0];
        solver_.with_conjugates(parts_.u, parts_.vt, [&](auto const& u, auto const& vt) {
            multiply(k_, false, e, transposed(vt));
            multiply(m_, false, transposed(u), k_);
            for (std::size_t i = 0; i < n; ++i) {
                S diagonal = S(0);
                for (std::size_t j = 0; j < n; ++j) {
                    if (i == j) continue;
                    S const p = product_but(i, j);
                    diagonal += entry(m_, j, j) * p;
                    set(k_, i, j, S(-entry(m_, j, i) * p));
                }
                set(k_, i, i, diagonal);
            }
            turn(y, u, vt);
        });
    }

private:
    svd_solver<S> solver_;
    svd_parts<S> parts_;
    lu_factors<S> lu_;
    dense<S> m_, k_;
    S* sigma_;

    // Of modulus one: by the arguments of the pivots alone.
    S determinant_of_unitary(char const* call, dense<S> const& q) const {
        (void)lu_.factorise(call, q);
        S d = lu_.permutation_sign();
        for (std::size_t i = 0; i < q.shape[0]; ++i) d *= lu_.pivot(i) / std::abs(lu_.pivot(i));
        return d;
    }
    S product_but(std::size_t i, std::size_t j) const noexcept {
        S p = *sigma_;
        for (std::size_t k = 0; k < k_.shape[0]; ++k)
            if (k != i && k != j) p *= entry(parts_.s, k, 0);
        return p;
    }
    // y = u k vt
    template <class U>
    void turn(dense<S> const& y, U const& u, U const& vt) const noexcept {
        multiply(m_, false, u, k_);
        multiply(y, false, m_, vt);
    }
};

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
