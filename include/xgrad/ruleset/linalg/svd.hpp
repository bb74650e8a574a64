// Defines the rules of svd and svdvals: one thin singular value decomposition by LAPACK's gesdd, kept for the pullback.
//
// A = U S Vᵀ, F(i, j) = 1 / (s(j)² - s(i)²) and 0 where i = j; P = Uᵀ Ȧ V:  ṡ = diag P,  U̇ = U (F ∘ (P S + S Pᵀ)) + (I - U Uᵀ) Ȧ V S⁻¹,
// V̇ = V (F ∘ (S P + Pᵀ S)) + (I - V Vᵀ) Ȧᵀ U S⁻¹;  Ā = [U (F ∘ (Uᵀ Ū - Ūᵀ U)) S + (I - U Uᵀ) Ū S⁻¹] Vᵀ + U diag(s̄) Vᵀ
// + U [S (F ∘ (Vᵀ V̄ - V̄ᵀ V)) Vᵀ + S⁻¹ V̄ᵀ (I - V Vᵀ)]   (Townsend 2016, "Differentiating the singular value decomposition").
//
// Of complex numbers adjoints stand for transposes; the factor of modulus one that a pair of vectors has is taken to be that of U, so that Uᴴ U̇ has
// i im P(i, i) / s(i) on its diagonal, and F ∘ (...) in Ā gets -i im(Ūᴴ U)(i, i) / s(i) there (Wan and Zhang 2019, "Automatic differentiation for complex
// valued SVD").
// Cotangents come conjugated: Ā is that formula of conj U, S, conj Vᵀ and what comes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <xgrad/ruleset/linalg/svd_solver.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// U, S and Vᵀ, row by row, one behind the other in one array.
template <class T>
struct svd {
    static constexpr bool may_throw = true;
    bool is_differentiated = true;
};
template <class T>
struct svdvals {
    static constexpr bool may_throw = true;
};
}

template <class T> inline constexpr bool takes_complex<op::svd<T>> = true;
template <class T>
struct array_rule<op::svd<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using operation = op::svd<T>;
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(operation const&, extents<A> const& a) {
        linalg::check_matrix("svd(A)", a);
        return {{linalg::svd_parts<T>::size(a[0], a[1])}};
    }
    template <int A>
    static std::size_t scratch(operation const&, extents<A> const& a) {
        linalg::scratch_room room;
        linalg::svd_solver<T>(room, a[0], a[1]);
        return room.size();
    }
    template <class Y, class A>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        linalg::svd_solver<T> const solver(room, a.shape[0], a.shape[1]);
        solver.decompose("svd(A)", linalg::as_matrix(a), linalg::svd_parts<T>(y.data, a.shape[0], a.shape[1]), o.is_differentiated);
    }
    template <int I, class X, class Y, class A>
    static void pullback(operation const&, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        std::size_t const m = a.shape[0], n = a.shape[1], k = std::min(m, n);
        svd_solver<T> const w(room, m, n);
        svd_parts<T const> const v(y.data, m, n), g(ybar.data, m, n);
        auto const sigma = [&](std::size_t i) { return entry(v.s, i, 0); };
        multiply(w.p, false, transposed(v.u), g.u);
        multiply(w.x, false, v.vt, transposed(g.vt));
        w.with_conjugates(v.u, v.vt, [&](auto const& cu, auto const& cvt) {
            // the parts outside the spaces of U and V
            if (m > k) {
                copy(w.tall, g.u);
                subtract_product(w.tall, cu, w.p);
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t j = 0; j < k; ++j) set(w.tall, i, j, T(entry(w.tall, i, j) / sigma(j)));
            }
            if (n > k) {
                copy(w.wide, g.vt);
                subtract_product(w.wide, transposed(w.x), cvt);
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < n; ++j) set(w.wide, i, j, T(entry(w.wide, i, j) / sigma(i)));
            }
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j <= i; ++j) {
                    if (i == j) {
                        T d = real_only(T(entry(g.s, i, 0)));
                        if constexpr (is_complex<T>)
                            if (!(sigma(i) == T(0))) d = d + imaginary_only(entry(w.p, i, i)) / sigma(i);
                        set(w.p, i, i, d);
                        continue;
                    }
                    T const f = T(1) / ((sigma(j) - sigma(i)) * (sigma(j) + sigma(i)));
                    T const r = (entry(w.p, i, j) - conjugated(entry(w.p, j, i))) * f, l = (conjugated(entry(w.x, i, j)) - entry(w.x, j, i)) * f;
                    set(w.p, i, j, T(r * sigma(j) + sigma(i) * l));
                    set(w.p, j, i, T(conjugated(r) * sigma(i) + sigma(j) * conjugated(l)));
                }
            multiply(w.tall, m > k, cu, w.p);
            multiply(as_matrix(xbar), add, w.tall, cvt);
            if (n > k) multiply(as_matrix(xbar), true, cu, w.wide);
        });
    }
};

// The gradient of a function that treats repeated singular values alike; of one that does not, and where one is 0, an element of its subdifferential.
template <class T> inline constexpr bool takes_complex<op::svdvals<T>> = true;
template <class T>
struct array_rule<op::svdvals<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = 1;
    template <int A>
    static extents<1> shape(extents<A> const& a) {
        linalg::check_matrix("svdvals(A)", a);
        return {{std::min(a[0], a[1])}};
    }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        kept(room, a[0], a[1]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0], a.shape[1]);
        k.solver.decompose("svdvals(A)", linalg::as_matrix(a), k.parts, number_dual<T>);
        linalg::copy(linalg::as_matrix(y), k.parts.s);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        using namespace linalg;
        scratch_room room(s);
        kept const k(room, a.shape[0], a.shape[1]);
        auto const g = as_matrix(ybar);
        for (std::size_t i = 0; i < a.shape[0]; ++i)
            for (std::size_t j = 0; j < g.shape[0]; ++j) set(k.solver.tall, i, j, T(conjugated(entry(k.parts.u, i, j)) * real_only(T(entry(g, j, 0)))));
        if constexpr (is_complex<T>) {
            copy_conjugated(k.solver.cvt, k.parts.vt);
            multiply(as_matrix(xbar), add, k.solver.tall, k.solver.cvt);
        } else multiply(as_matrix(xbar), add, k.solver.tall, k.parts.vt);
    }

private:
    struct kept {
        linalg::svd_solver<T> solver;
        linalg::svd_parts<T> parts;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n) : solver(room, m, n), parts(room.take<T>(linalg::svd_parts<T>::size(m, n)), m, n) {}
    };
};

}
XGRAD_DETAIL_QUIET_END
