// Defines the rules of cholesky, logdet, solve_cholesky and gaussian_quadratic: one Cholesky factorisation, kept for the pullback.
//
// A = L Lᵀ:  Ā = ½ L⁻ᵀ (P + Pᵀ) L⁻¹, P = Φ(Lᵀ L̄), in products and solves of matrices (Murray 2016, "Differentiation of the Cholesky decomposition",
// equation 10). log det A:  Ā = l̄ A⁻¹.  x = A⁻¹ b:  b̄ = A⁻¹ x̄,  Ā = -½ (b̄ xᵀ + x b̄ᵀ).  q = xᵀ A⁻¹ x, w = A⁻¹ x:  x̄ = 2 q̄ w,  Ā = -q̄ w wᵀ.
// A is read as its symmetric part ½ (A + Aᵀ), and so its cotangent is symmetric. Of complex numbers A is read as its Hermitian part, and L Lᴴ = A with a real
// diagonal of L: the same with adjoints for transposes (Boeddeker et al. 2017, "On the computation of complex-valued gradients with application to
// statistically optimum beamforming"). Cotangents come conjugated: the rules below are the conjugates of those formulas, a plain transpose where there is one.
#pragma once

#include <cstddef>

#include <xgrad/ruleset/linalg/definite.hpp>
#include <xgrad/ruleset/scalar/exponential.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct cholesky {
    static constexpr bool may_throw = true;
};
template <class T>
struct logdet {
    static constexpr bool may_throw = true;
};
template <class T>
struct solve_cholesky {
    static constexpr bool may_throw = true;
};
// xᵀ A⁻¹ x and log det A.
template <class T>
struct gaussian_quadratic {
    static constexpr bool may_throw = true;
};
}

template <class T> inline constexpr bool takes_complex<op::cholesky<T>> = true;
template <class T>
struct array_rule<op::cholesky<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(extents<A> const& a) { return linalg::shape_of_square("cholesky(A)", a); }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        room.take<T>(a[0] * a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t*, Y const& y, A const& a) {
        linalg::factorise_definite("cholesky(A)", linalg::dense_at<T>(y.data, a.shape[0], a.shape[0]), linalg::as_matrix(a), true);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const&) noexcept {
        linalg::scratch_room room(s);
        auto const l = linalg::as_matrix(y);
        std::size_t const n = l.shape[0];
        auto const p = room.take_matrix<T>(n, n);
        auto const lt = linalg::transposed(l);
        linalg::copy(p, linalg::as_matrix(ybar));
        linalg::clear_above_diagonal(p);
        linalg::multiply_triangle(lt, false, p);
        // ½ (Φ + Φᵀ) is half of the lower triangle on both sides of the whole diagonal's half
        linalg::each_lower(n, [&](std::size_t i, std::size_t j) {
            T const v = (i == j ? linalg::real_only(linalg::entry(p, i, i)) : linalg::entry(p, i, j)) * T(0.5);
            linalg::set(p, i, j, v);
            linalg::set(p, j, i, linalg::conjugated(v));
        });
        // L⁻ᵀ M L⁻¹, of complex numbers L⁻ᵀ M conj(L)⁻¹, the adjoint of L⁻ᵀ (L⁻ᵀ M)ᴴ
        linalg::solve_triangle(lt, false, false, p);
        linalg::conjugate_all(p);
        linalg::solve_triangle(lt, false, false, linalg::transposed(p));
        linalg::conjugate_all(p);
        linalg::give(linalg::as_matrix(xbar), add, p);
    }
};

template <class T> inline constexpr bool takes_complex<op::logdet<T>> = true;
template <class T>
struct array_rule<op::logdet<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = 0;
    template <int A>
    static extents<0> shape(extents<A> const& a) {
        linalg::shape_of_square("logdet(A)", a);
        return {};
    }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        kept(room, a[0]);
        return room.size();
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        linalg::factorise_definite("logdet(A)", k.l, linalg::as_matrix(a));
        *y.data = linalg::log_determinant(k.l);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        T const g = linalg::real_only(T(*ybar.data));
        linalg::invert_definite(k.l, k.inverse, k.t);
        linalg::give_symmetric(linalg::as_matrix(xbar), add,
                               [&](std::size_t i, std::size_t j) { return g * linalg::conjugated(linalg::entry(k.inverse, i, j)); });
    }

private:
    struct kept {
        linalg::dense<T> l, inverse, t;
        kept(linalg::scratch_room& room, std::size_t n)
            : l(room.take_matrix<T>(n, n)), inverse(room.take_matrix<T>(n, n)), t(room.take_matrix<T>(number_dual<T> ? n : 0, n)) {}
    };
};

template <class T> inline constexpr bool takes_complex<op::solve_cholesky<T>> = true;
template <class T>
struct array_rule<op::solve_cholesky<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A, int B>
    static constexpr int rank = B;
    template <int A, int B>
    static extents<B> shape(extents<A> const& a, extents<B> const& b) { return linalg::shape_of_solution("solve_cholesky(A, b)", a, b); }
    template <int A, int B>
    static std::size_t scratch(extents<A> const& a, extents<B> const& b) {
        linalg::scratch_room room;
        kept(room, a[0], linalg::columns_of(b));
        return room.size();
    }
    template <class Y, class A, class B>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a, B const& b) {
        linalg::scratch_room room(s);
        auto const x = linalg::as_matrix(y);
        kept const k(room, x.shape[0], x.shape[1]);
        k.shared.forget();
        if (linalg::is_lower_factor(linalg::as_matrix(a))) linalg::detail::is_factor("solve_cholesky(A, b)", to_string(a.shape));
        linalg::factorise_definite("solve_cholesky(A, b)", k.l, linalg::as_matrix(a));
        linalg::copy(x, linalg::as_matrix(b));
        linalg::solve_definite(k.l, x);
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const&, B const&) noexcept {
        linalg::scratch_room room(s);
        auto const g = linalg::as_matrix(ybar), x = linalg::as_matrix(y);
        kept const k(room, g.shape[0], g.shape[1]);
        // w = -½ A⁻¹ x̄
        k.shared.template need<I>([&] {
            linalg::map(k.w, false, g, [](auto const& v) { return v * T(-0.5); });
            linalg::solve_definite_transposed(k.l, k.w);
        });
        if constexpr (I == 0 && linalg::is_complex<T>) {
            linalg::multiply(linalg::as_matrix(xbar), add, k.w, linalg::transposed(x));
            // the adjoint of that, while w is conjugated
            linalg::copy_conjugated(k.x, x);
            linalg::conjugate_all(k.w);
            linalg::multiply(linalg::as_matrix(xbar), true, k.x, linalg::transposed(k.w));
            linalg::conjugate_all(k.w);
        } else if constexpr (I == 0) {
            linalg::multiply(linalg::as_matrix(xbar), add, k.w, linalg::transposed(x));
            linalg::multiply(linalg::as_matrix(xbar), true, x, linalg::transposed(k.w));
        } else linalg::map(linalg::as_matrix(xbar), add, k.w, [](auto const& v) { return v * T(-2.0); });
    }

private:
    struct kept {
        linalg::shared_solution shared;
        linalg::dense<T> l, w, x;
        kept(linalg::scratch_room& room, std::size_t n, std::size_t columns)
            : shared(room), l(room.take_matrix<T>(n, n)), w(room.take_matrix<T>(n, columns)), x(room.take_matrix<T>(linalg::is_complex<T> ? n : 0, columns)) {}
    };
};

template <class T> inline constexpr bool takes_complex<op::gaussian_quadratic<T>> = true;
template <class T>
struct array_rule<op::gaussian_quadratic<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A, int X>
    static constexpr int rank = 1;
    template <int A, int X>
    static extents<1> shape(extents<A> const& a, extents<X> const& x) {
        static_assert(
            X == 1 || X == dynamic_rank,
            "xgrad[E095]: gaussian_quadratic(A, x) requires for x a vector (1 dimension), but x has others: take one column, or trace(dot(transpose(x), "
            "solve_cholesky(A, x)))");
        linalg::shape_of_solution("gaussian_quadratic(A, x)", a, x);
        if (x.rank() != 1)
            throw std::invalid_argument("xgrad[E203]: gaussian_quadratic(A, x) requires a vector x, found " + to_string(a) + " and " + to_string(x) +
                                        ": take one column");
        return {{2}};
    }
    template <int A, int X>
    static std::size_t scratch(extents<A> const& a, extents<X> const&) {
        linalg::scratch_room room;
        kept(room, a[0]);
        return room.size();
    }
    template <class Y, class A, class X>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a, X const& x) {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        auto const v = linalg::as_matrix(x);
        linalg::factorise_definite("gaussian_quadratic(A, x)", k.l, linalg::as_matrix(a));
        linalg::copy(k.w, v);
        linalg::solve_definite(k.l, k.w);
        T q = T(0);
        for (std::size_t i = 0; i < v.shape[0]; ++i) q = q + linalg::conjugated(T(linalg::entry(v, i, 0))) * linalg::entry(k.w, i, 0);
        y.data[0] = q;
        y.data[y.stride[0]] = linalg::log_determinant(k.l);
    }
    template <int I, class Z, class Y, class A, class X>
    static void pullback(std::ptrdiff_t* s, Z const& xbar, bool add, Y const& ybar, Y const&, A const& a, X const&) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        T const q = linalg::real_only(T(ybar.data[0])), d = linalg::real_only(T(ybar.data[ybar.stride[0]]));
        auto const bar = linalg::as_matrix(xbar);
        if constexpr (I == 1) linalg::map(bar, add, k.w, [&](auto const& v) { return (q + q) * linalg::conjugated(v); });
        else {
            linalg::invert_definite(k.l, k.inverse, k.t);
            linalg::give_symmetric(bar, add, [d, q, n = a.shape[0], inverse = k.inverse.data, w = k.w.data](std::size_t i, std::size_t j) {
                return d * linalg::conjugated(T(inverse[i * n + j])) - q * linalg::conjugated(T(w[i])) * T(w[j]);
            });
        }
    }

private:
    struct kept {
        linalg::dense<T> l, inverse, t, w;
        kept(linalg::scratch_room& room, std::size_t n)
            : l(room.take_matrix<T>(n, n)),
              inverse(room.take_matrix<T>(n, n)),
              t(room.take_matrix<T>(number_dual<T> ? n : 0, n)),
              w(room.take_matrix<T>(n, 1)) {}
    };
};

}
XGRAD_DETAIL_QUIET_END
