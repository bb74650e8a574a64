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

#include <xgrad/ruleset/linalg/eigen.hpp>

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

namespace linalg {

// The parts of a thin decomposition of an (m, n) matrix: (m, k), (k,) and (k, n), k the smaller extent. T may be const.
template <class T>
struct svd_parts {
    dense<T> u, s, vt;
    svd_parts(memory_t<T> p, std::size_t m, std::size_t n)
        : u(dense_at<T>(p, m, std::min(m, n))),
          s(dense_at<T>(p + m * std::min(m, n), std::min(m, n), 1)),
          vt(dense_at<T>(p + (m + 1) * std::min(m, n), std::min(m, n), n)) {}
    static std::size_t size(std::size_t m, std::size_t n) { return (m + n + 1) * std::min(m, n); }
};

template <int A>
void check_matrix(char const* call, extents<A> const& a) {
    static_assert(A == 2 || A == dynamic_rank,
                  "xgrad[E058]: a factorisation requires a matrix (2 dimensions), but this operand has others: reshape it, or take a view of one matrix");
    if (a.rank() != 2)
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires a matrix A, found " + to_string(a) +
                                    ": reshape it, or take a view of one matrix");
}

template <class T>
class svd_solver {
    using S = scalar_of_t<T>;
    using R = real_scalar_t<T>;

public:
    // memory of the sizes (m, k), (k, k), (k, k), (k, n), and of complex numbers (m, k), (k, n) for the conjugates of U and Vᵀ
    dense<T> tall, p, x, wide, cu, cvt;

    svd_solver(scratch_room& room, std::size_t m, std::size_t n)
        : tall(room.take_matrix<T>(m, std::min(m, n))),
          p(room.take_matrix<T>(std::min(m, n), std::min(m, n))),
          x(room.take_matrix<T>(std::min(m, n), std::min(m, n))),
          wide(room.take_matrix<T>(std::min(m, n), n)),
          cu(room.take_matrix<T>(is_complex<T> ? m : 0, std::min(m, n))),
          cvt(room.take_matrix<T>(is_complex<T> ? std::min(m, n) : 0, n)),
          a_(room.take_matrix<S>(m, n)),
          work_(room.take<S>(work_size())),
          reals_(room.take<R>(real_work_size())),
          integers_(room.take<blas_index>(8 * std::min(m, n))) {}

    // f(conj U, conj Vᵀ), of real numbers U and Vᵀ themselves.
    template <class U, class F>
    void with_conjugates(dense<U> const& u, dense<U> const& vt, F f) const noexcept {
        if constexpr (is_complex<T>) {
            copy_conjugated(cu, u);
            copy_conjugated(cvt, vt);
            f(constant(cu), constant(cvt));
        } else f(constant(u), constant(vt));
    }

    template <class A>
    void decompose(char const* call, dense<A> const& a, svd_parts<T> const& y, bool needs_distinct) const {
        copy(a_, bottom_part(a));
        detail::require_finite(call, a_);
        auto const u = bottom_part(y.u), s = bottom_part(y.s), vt = bottom_part(y.vt);
        std::size_t const k = s.shape[0];
        blas_index info = 0;
#if defined(HAVE_CBLAS)
        // rows are LAPACK's columns: it decomposes Aᵀ = V S Uᵀ
        auto const m = static_cast<blas_index>(a.shape[0]), n = static_cast<blas_index>(a.shape[1]);
        auto const l = static_cast<blas_index>(k), size = static_cast<blas_index>(work_size());
        if constexpr (is_complex<T>) {
            if (k != 0) info = routine::gesdd('S', n, m, a_.data, n, reals_, vt.data, n, u.data, l, work_, size, reals_ + k, integers_);
            for (std::size_t i = 0; i < k; ++i) s.data[i] = reals_[i];
        } else if (k != 0) info = routine::gesdd('S', n, m, a_.data, n, s.data, vt.data, n, u.data, l, work_, size, integers_);
#endif
        if (info != 0) detail::no_convergence(call, to_string(a.shape), "gesdd", info);
        if (needs_distinct) {
            if (detail::has_repeated(s.data, k))
                detail::repeated(call, "singular values", to_string(a.shape), "take svdvals, if only they are needed, or pinv");
            if (a.shape[0] != a.shape[1] && k != 0 &&
                !(std::real(entry(s, k - 1, 0)) > std::real(entry(s, 0, 0)) * static_cast<R>(k) * std::numeric_limits<R>::epsilon()))
                throw std::domain_error(std::string("xgrad: ") + call + " requires a matrix of full rank where its vectors are differentiated, found " +
                                        to_string(a.shape) + " of less: take svdvals, if only they are needed, or pinv");
        }
        if constexpr (number_dual<T>) tangents_of(a, y.u, y.s, y.vt, tall, p, x, wide, cu, cvt);
    }

private:
    dense<S> a_;
    S* work_;
    R* reals_;
    blas_index* integers_;

    std::size_t work_size() const {
        std::size_t const k = p.shape[0], larger = std::max(tall.shape[0], wide.shape[1]);
        return 3 * k + std::max(larger, 9 * k * k + 11 * k) + 64 * (tall.shape[0] + wide.shape[1]);
    }
    // The singular values, and what gesdd needs of real numbers.
    std::size_t real_work_size() const {
        std::size_t const k = p.shape[0], larger = std::max(tall.shape[0], wide.shape[1]);
        return is_complex<T> ? k + std::max(5 * k * k + 5 * k, 2 * larger * k + 2 * k * k + k) : 0;
    }
    template <class A, class U>
    static void tangents_of(dense<A> const& a, dense<U> const& u, dense<U> const& s, dense<U> const& vt, dense<U> const& tall, dense<U> const& p,
                            dense<U> const& x, dense<U> const& wide, dense<U> const& conjugate_of_u, dense<U> const& conjugate_of_vt) noexcept {
        if constexpr (number_dual<U>) {
            using detail::direction_part, detail::primal_part;
            using P = typename U::primal_type;
            auto const up = primal_part(u), sp = primal_part(s), vp = primal_part(vt), b = primal_part(tall), q = primal_part(p), f = primal_part(x),
                       c = primal_part(wide);
            auto cup = primal_part(conjugate_of_u), cvp = primal_part(conjugate_of_vt);
            tangents_of(primal_part(a), up, sp, vp, b, q, f, c, cup, cvp);
            if constexpr (is_complex<P>) {
                copy_conjugated(cup, up);
                copy_conjugated(cvp, vp);
            } else {
                cup = up;
                cvp = vp;
            }
            std::size_t const k = s.shape[0];
            auto const divide = [&](bool left) {
                for (std::size_t i = 0; i < k; ++i)
                    for (std::size_t j = 0; j < k; ++j) {
                        P const si = entry(sp, i, 0), sj = entry(sp, j, 0), pij = entry(q, i, j), pji = conjugated(entry(q, j, i));
                        if (i == j) set(f, i, j, is_complex<P> && left ? P(imaginary_only(pij) / si) : P(0));
                        else set(f, i, j, P((left ? pij * sj + si * pji : si * pij + pji * sj) / ((sj - si) * (sj + si))));
                    }
            };
            for (std::size_t d = 0; d < U::count; ++d) {
                auto const ad = direction_part(a, d);
                auto const ud = direction_part(u, d), sd = direction_part(s, d), vd = direction_part(vt, d);
                multiply(b, false, ad, transposed(cvp));
                multiply(q, false, transposed(cup), b);
                for (std::size_t i = 0; i < k; ++i) set(sd, i, 0, real_only(entry(q, i, i)));
                fill(ud, P(0));
                fill(vd, P(0));
                if (u.shape[0] > k) {
                    subtract_product(b, up, q);
                    for (std::size_t i = 0; i < u.shape[0]; ++i)
                        for (std::size_t j = 0; j < k; ++j) set(ud, i, j, P(entry(b, i, j) / entry(sp, j, 0)));
                }
                if (vt.shape[1] > k) {
                    multiply(c, false, transposed(cup), ad);
                    subtract_product(c, q, vp);
                    for (std::size_t i = 0; i < k; ++i)
                        for (std::size_t j = 0; j < vt.shape[1]; ++j) set(vd, i, j, P(entry(c, i, j) / entry(sp, i, 0)));
                }
                divide(true);
                multiply(ud, true, up, f);
                divide(false);
                conjugate_all(f);
                multiply(vd, true, transposed(f), vp);
            }
        } else (void)a, (void)u, (void)s, (void)vt, (void)tall, (void)p, (void)x, (void)wide, (void)conjugate_of_u, (void)conjugate_of_vt;
    }
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
