// Defines the rule of pinv: the Moore-Penrose inverse by one singular value decomposition.
//
// P = A⁺:  Ṗ = -P Ȧ P + P Pᵀ Ȧᵀ (I - A P) + (I - P A) Ȧᵀ Pᵀ P;  Ā = -Pᵀ P̄ Pᵀ + (I - A P) P̄ᵀ P Pᵀ + Pᵀ P P̄ᵀ (I - P A), where the rank does not change
// (Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate"). Of complex numbers adjoints
// stand for transposes; the cotangent comes conjugated, and Ā is that formula of conj A and conj P.
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

template <class T> inline constexpr bool takes_complex<op::pinv<T>> = true;
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
        using R = real_scalar_t<T>;
        R const least =
            r == 0 ? R(0)
                   : std::real(entry(k.parts.s, 0, 0)) * std::max(static_cast<R>(o.rcond), static_cast<R>(std::max(m, n)) * std::numeric_limits<R>::epsilon());
        for (std::size_t i = 0; i < r; ++i) {
            R const v = std::real(entry(k.parts.s, i, 0)), inverse = v > least ? 1 / v : R(0);
            for (std::size_t j = 0; j < n; ++j) set(k.parts.vt, i, j, S(entry(k.parts.vt, i, j) * inverse));
        }
        conjugate_all(k.parts.vt);
        conjugate_all(k.parts.u);
        multiply(bottom_part(p), false, transposed(k.parts.vt), transposed(k.parts.u));
        tangents(x, p, k.nn, k.mm, k.nm, k.ca, k.cp);
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
        with_conjugates(k, as_matrix(a), p, [&](auto const& ca, auto const& cp) {
            multiply(k.nn, false, cp, transposed(p));
            multiply(k.nm, false, k.nn, g);
            conjugate_all(k.nm);
            give(out, true, transposed(k.nm));
            multiply(k.nn, false, cp, transposed(k.nm));
            negate(k.nn);
            multiply(out, true, ca, k.nn);
            // (Pᵀ P) P̄ᵀ (I - P A)
            multiply(k.mm, false, transposed(p), cp);
            multiply(k.nm, false, g, k.mm);
            conjugate_all(k.nm);
            give(out, true, transposed(k.nm));
            multiply(k.mm, false, transposed(k.nm), cp);
            negate(k.mm);
            multiply(out, true, k.mm, ca);
        });
    }

private:
    struct kept {
        linalg::svd_solver<S> solver;
        linalg::svd_parts<S> parts;
        linalg::dense<T> nn, mm, nm, ca, cp;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n)
            : solver(room, m, n),
              parts(room.take<S>(linalg::svd_parts<S>::size(m, n)), m, n),
              nn(room.take_matrix<T>(n, n)),
              mm(room.take_matrix<T>(m, m)),
              nm(room.take_matrix<T>(n, m)),
              ca(room.take_matrix<T>(linalg::is_complex<T> ? m : 0, n)),
              cp(room.take_matrix<T>(linalg::is_complex<T> ? n : 0, m)) {}
    };
    // f(conj A, conj P), of real numbers A and P themselves.
    template <class A, class P, class F>
    static void with_conjugates(kept const& k, linalg::dense<A> const& a, linalg::dense<P> const& p, F f) noexcept {
        if constexpr (linalg::is_complex<T>) {
            linalg::copy_conjugated(k.ca, a);
            linalg::copy_conjugated(k.cp, p);
            f(linalg::constant(k.ca), linalg::constant(k.cp));
        } else f(a, p);
    }
    template <class A, class U>
    static void tangents(linalg::dense<A> const& a, linalg::dense<U> const& p, linalg::dense<U> const& nn, linalg::dense<U> const& mm,
                         linalg::dense<U> const& nm, linalg::dense<U> const& ca, linalg::dense<U> const& cp) noexcept {
        if constexpr (number_dual<U>) {
            using namespace linalg;
            using linalg::detail::direction_part, linalg::detail::primal_part;
            auto const ap = primal_part(a);
            auto const pp = primal_part(p), n2 = primal_part(nn), m2 = primal_part(mm), t = primal_part(nm);
            tangents(ap, pp, n2, m2, t, primal_part(ca), primal_part(cp));
            // Pᴴ
            auto ppc = primal_part(cp);
            if constexpr (is_complex<U>) copy_conjugated(ppc, pp);
            else ppc = pp;
            for (std::size_t d = 0; d < U::count; ++d) {
                auto const ad = direction_part(a, d);
                auto const pd = direction_part(p, d);
                multiply(n2, false, pp, ad);
                negate(n2);
                multiply(pd, false, n2, pp);
                multiply(n2, false, pp, transposed(ppc));
                // P Pᴴ Ȧᴴ, the conjugate of conj(P Pᴴ) Ȧᵀ
                conjugate_all(n2);
                multiply(t, false, n2, transposed(ad));
                conjugate_all(t);
                give(pd, true, t);
                multiply(n2, false, t, ap);
                subtract_product(pd, n2, pp);
                multiply(m2, false, transposed(ppc), pp);
                conjugate_all(m2);
                multiply(t, false, transposed(ad), m2);
                conjugate_all(t);
                give(pd, true, t);
                multiply(m2, false, ap, t);
                subtract_product(pd, pp, m2);
            }
        } else (void)a, (void)p, (void)nn, (void)mm, (void)nm, (void)ca, (void)cp;
    }
};

}
XGRAD_DETAIL_QUIET_END
