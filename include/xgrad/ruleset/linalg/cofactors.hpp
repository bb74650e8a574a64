// Defines singular_cofactors: the matrix of cofactors by a singular value decomposition, and its derivative along a matrix, which hold for singular matrices, too.
//
// A = U S Vᵀ, σ = det U det V, M = Uᵀ E V:  cof A = σ U diag(Π s(k), k ≠ i) Vᵀ;  along E:  σ U K Vᵀ, K(i, j) = -M(j, i) Π s(k), k ≠ i, j, and
// K(i, i) = Σ M(j, j) Π s(k), k ≠ i, j, over j ≠ i: the cofactors of S + ε M   (Magnus and Neudecker 2019, "Matrix differential calculus", chapter 8;
// Stewart 1998, "On the adjugate matrix").
#pragma once

#include <cmath>
#include <cstddef>

#include <xgrad/ruleset/linalg/lu.hpp>
#include <xgrad/ruleset/linalg/svd.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::linalg {

template <blas_real S>
class singular_cofactors {
public:
    singular_cofactors(scratch_room& room, std::size_t n)
        : solver_(room, n, n), parts_(room.take<S>(svd_parts<S>::size(n, n)), n, n), lu_(room, n), m_(room.take_matrix<S>(n, n)), k_(room.take_matrix<S>(n, n)), sign_(room.take<S>(1)) {}

    template <class A>
    void decompose(char const* call, dense<A> const& a) const {
        solver_.decompose(call, a, parts_, false);
        *sign_ = sign_of(call, parts_.u) * sign_of(call, parts_.vt);
    }
    // y = cof A.
    void value(dense<S> const& y) const noexcept {
        fill(k_, S(0));
        for (std::size_t i = 0; i < k_.shape[0]; ++i) set(k_, i, i, product_but(i, i));
        turn(y);
    }
    // y = its derivative along e.
    template <class E>
    void along(dense<S> const& y, dense<E> const& e) const noexcept {
        std::size_t const n = k_.shape[0];
        multiply(k_, false, e, transposed(parts_.vt));
        multiply(m_, false, transposed(parts_.u), k_);
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
        turn(y);
    }

private:
    svd_solver<S> solver_;
    svd_parts<S> parts_;
    lu_factors<S> lu_;
    dense<S> m_, k_;
    S* sign_;

    S sign_of(char const* call, dense<S> const& q) const {
        (void)lu_.factorise(call, q);
        S s = lu_.permutation_sign();
        for (std::size_t i = 0; i < q.shape[0]; ++i) s = lu_.pivot(i) < S(0) ? -s : s;
        return s;
    }
    S product_but(std::size_t i, std::size_t j) const noexcept {
        S p = *sign_;
        for (std::size_t k = 0; k < k_.shape[0]; ++k)
            if (k != i && k != j) p *= entry(parts_.s, k, 0);
        return p;
    }
    // y = U k Vᵀ
    void turn(dense<S> const& y) const noexcept {
        multiply(m_, false, parts_.u, k_);
        multiply(y, false, m_, parts_.vt);
    }
};

}  // namespace xgrad::linalg
XGRAD_DETAIL_QUIET_END
