// Defines the rule of pinv: the Moore-Penrose inverse by one singular value decomposition.
//
// P = A⁺:  Ṗ = -P Ȧ P + P Pᵀ Ȧᵀ (I - A P) + (I - P A) Ȧᵀ Pᵀ P;  Ā = -Pᵀ P̄ Pᵀ + (I - A P) P̄ᵀ P Pᵀ + Pᵀ P P̄ᵀ (I - P A), where the rank does not change
// (Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate").
#pragma once

#include <cstddef>

#include <xgrad/ruleset/linalg/svd.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// Singular values up to rcond times the largest count as 0.
template <class T>
struct pinv {
    static constexpr bool may_throw = true;
    double rcond = 1e-15;
};
}

template <class T>
struct array_rule<op::pinv<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using operation = op::pinv<T>;
    using S = scalar_of_t<T>;
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(operation const&, extents<A> const& a) {
        linalg::check_matrix("pinv(A)", a);
        extents<A> y = a;
        y[0] = a[1];
        y[1] = a[0];
        return y;
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
        std::size_t const m = a.shape[0], n = a.shape[1], r = std::min(m, n);
        kept const k(room, m, n);
        auto const p = dense_at<T>(y.data, n, m);
        auto const x = as_matrix(a);
        k.solver.decompose("pinv(A)", bottom_part(x), k.parts, false);
        S const least = r == 0 ? S(0) : entry(k.parts.s, 0, 0) * std::max(static_cast<S>(o.rcond), static_cast<S>(std::max(m, n)) * std::numeric_limits<S>::epsilon());
        for (std::size_t i = 0; i < r; ++i) {
            S const v = entry(k.parts.s, i, 0), inverse = v > least ? 1 / v : S(0);
            for (std::size_t j = 0; j < n; ++j) set(k.parts.vt, i, j, entry(k.parts.vt, i, j) * inverse);
        }
        multiply(bottom_part(p), false, transposed(k.parts.vt), transposed(k.parts.u));
        tangents(x, p, k.nn, k.mm, k.nm);
    }
    template <int I, class X, class Y, class A>
    static void pullback(operation const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const m = a.shape[0], n = a.shape[1];
        kept const k(room, m, n);
        auto const p = dense_at<T const>(y.data, n, m), g = dense_at<T const>(ybar.data, n, m);
        auto const out = as_matrix(xbar);
        multiply(k.nn, false, g, transposed(p));
        negate(k.nn);
        multiply(out, add, transposed(p), k.nn);
        // (I - A P) P̄ᵀ (P Pᵀ)
        multiply(k.nn, false, p, transposed(p));
        multiply(k.nm, false, k.nn, g);
        give(out, true, transposed(k.nm));
        multiply(k.nn, false, p, transposed(k.nm));
        negate(k.nn);
        multiply(out, true, as_matrix(a), k.nn);
        // (Pᵀ P) P̄ᵀ (I - P A)
        multiply(k.mm, false, transposed(p), p);
        multiply(k.nm, false, g, k.mm);
        give(out, true, transposed(k.nm));
        multiply(k.mm, false, transposed(k.nm), p);
        negate(k.mm);
        multiply(out, true, k.mm, as_matrix(a));
    }

private:
    struct kept {
        linalg::svd_solver<S> solver;
        linalg::svd_parts<S> parts;
        linalg::dense<T> nn, mm, nm;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n)
            : solver(room, m, n), parts(room.take<S>(linalg::svd_parts<S>::size(m, n)), m, n), nn(room.take_matrix<T>(n, n)), mm(room.take_matrix<T>(m, m)), nm(room.take_matrix<T>(n, m)) {}
    };
    template <class A, class U>
    static void tangents(linalg::dense<A> const& a, linalg::dense<U> const& p, linalg::dense<U> const& nn, linalg::dense<U> const& mm, linalg::dense<U> const& nm) noexcept {
        if constexpr (number_dual<U>) {
            using namespace linalg;
            using linalg::detail::direction_part, linalg::detail::primal_part;
            auto const ap = primal_part(a);
            auto const pp = primal_part(p), n2 = primal_part(nn), m2 = primal_part(mm), t = primal_part(nm);
            tangents(ap, pp, n2, m2, t);
            for (std::size_t d = 0; d < U::count; ++d) {
                auto const ad = direction_part(a, d);
                auto const pd = direction_part(p, d);
                multiply(n2, false, pp, ad);
                negate(n2);
                multiply(pd, false, n2, pp);
                multiply(n2, false, pp, transposed(pp));
                multiply(t, false, n2, transposed(ad));
                give(pd, true, t);
                multiply(n2, false, t, ap);
                subtract_product(pd, n2, pp);
                multiply(m2, false, transposed(pp), pp);
                multiply(t, false, transposed(ad), m2);
                give(pd, true, t);
                multiply(m2, false, ap, t);
                subtract_product(pd, pp, m2);
            }
        } else (void)a, (void)p, (void)nn, (void)mm, (void)nm;
    }
};

}
XGRAD_DETAIL_QUIET_END
