// Defines the rules of sqrtm and logm: the principal square root and logarithm of a square matrix.
//
// X = A^½:  Xᵀ Ā + Ā Xᵀ = X̄, which is X Āᵀ + Āᵀ X = X̄ᵀ: what Ẋ X + X Ẋ = Ȧ is the other way round.
// Y = log A, by inverse scaling and squaring with a Padé approximant as a sum of fractions: with A^(1/2^s) = I + Z,
// log A = 2^s Σ w(j) (I + x(j) Z)⁻¹ Z, nodes and weights those of Gauss (Higham 2008, "Functions of Matrices", 11.4 and 11.5). Ā = L(Aᵀ, Ȳ), L the Fréchet
// derivative, which is the derivative of the algorithm along Ȳ, as that of expm.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>

#include <xgrad/ruleset/linalg/schur.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct sqrtm {
    static constexpr bool may_throw = true;
};
template <class T>
struct logm {
    static constexpr bool may_throw = true;
};
}

namespace linalg {

struct logarithm_level;

// The memory of one logarithm of elements T: the algorithm in it.
template <class T>
class logarithm {
    using S = scalar_of_t<T>;
    using R = real_scalar_t<T>;

public:
    dense<T> a, y;  // what to take the logarithm of (it is overwritten), and the result

    logarithm(scratch_room& room, std::size_t n)
        : a(room.take_matrix<T>(n, n)),
          y(room.take_matrix<T>(n, n)),
          form_(room, n),
          solver_(room, form_, form_),
          lu_(room, n),
          f_(room.take_matrix<std::complex<R>>(n, n)),
          g_(room.take_matrix<std::complex<R>>(n, n)),
          z_(room.take_matrix<T>(n, n)),
          t_(room.take_matrix<T>(n, n)) {}

    void run() const {
        std::size_t const n = a.shape[0];
        if (n == 0) return;
        form_.decompose("logm(A)", a);
        form_.require_principal("logm(A)", !is_complex<S>);
        // where the approximant of 8 fractions is right to rounding in double precision
        int roots = 0;
        for (; roots < 100 && !(distance_from_identity() <= R(0.34)); ++roots) {
            form_.take_root();
            form_.multiply_out(bottom_part(z_), f_, g_);
            root_tangents(solver_, a, z_);
            copy(a, z_);
        }
        for (std::size_t i = 0; i < n; ++i) set(a, i, i, T(entry(a, i, i) - T(S(1))));
        constexpr std::array<std::pair<double, double>, 4> nodes{{{0.1834346424956498049394761, 0.3626837833783619829651504},
                                                                  {0.5255324099163289858177390, 0.3137066458778872873379622},
                                                                  {0.7966664774136267395915539, 0.2223810344533744705443560},
                                                                  {0.9602898564975362316835609, 0.1012285362903762591525314}}};
        fill(y, T(S(0)));
        for (auto const& [node, weight] : nodes)
            for (double const x : {0.5 - 0.5 * node, 0.5 + 0.5 * node}) {
                map(z_, false, a, [&](auto const& v) { return v * T(S(static_cast<R>(x))); });
                for (std::size_t i = 0; i < n; ++i) set(z_, i, i, T(entry(z_, i, i) + T(S(1))));
                lu_.factorise("logm(A)", z_);
                map(t_, false, a, [&](auto const& v) { return v * T(S(static_cast<R>(0.5 * weight))); });
                solve_with(lu_, z_, false, t_);
                give(y, true, t_);
            }
        map(y, false, y, [&](auto const& v) { return v * T(S(static_cast<R>(std::ldexp(1.0, roots)))); });
    }

private:
    schur_form<R> form_;
    sylvester_solver<R> solver_;
    lu_factors<S> lu_;
    dense<std::complex<R>> f_, g_;
    dense<T> z_, t_;

    // The largest sum of a column.
    R distance_from_identity() const {
        auto const x = bottom_part(a);
        R largest = R(0);
        for (std::size_t j = 0; j < x.shape[1]; ++j) {
            R s = R(0);
            for (std::size_t i = 0; i < x.shape[0]; ++i) s += std::abs(entry(x, i, j) - S(i == j ? 1 : 0));
            largest = std::max(largest, s);
        }
        return largest;
    }
};

}

template <class T> inline constexpr bool takes_complex<op::sqrtm<T>> = true;
template <class T>
struct array_rule<op::sqrtm<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(extents<A> const& a) { return linalg::shape_of_square("sqrtm(A)", a); }
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
        k.form.decompose("sqrtm(A)", linalg::as_matrix(a));
        k.form.require_principal("sqrtm(A)", !linalg::is_complex<T>);
        k.form.take_root();
        k.form.multiply_out(linalg::bottom_part(k.x), k.f, k.g);
        linalg::root_tangents(k.solver, linalg::as_matrix(a), k.x);
        linalg::copy(linalg::as_matrix(y), k.x);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        linalg::copy(k.w, linalg::transposed(linalg::as_matrix(ybar)));
        linalg::solve_sylvester(k.solver, k.x, k.x, k.w);
        linalg::give(linalg::as_matrix(xbar), add, linalg::transposed(k.w));
    }

private:
    using real = linalg::real_scalar_t<T>;
    struct kept {
        linalg::schur_form<real> form;
        linalg::sylvester_solver<real> solver;
        linalg::dense<std::complex<real>> f, g;
        linalg::dense<T> x, w;
        kept(linalg::scratch_room& room, std::size_t n)
            : form(room, n), solver(room, form, form), f(room.take_matrix<std::complex<real>>(n, n)), g(room.take_matrix<std::complex<real>>(n, n)),
              x(room.take_matrix<T>(n, n)), w(room.take_matrix<T>(n, n)) {}
    };
};

template <class T> inline constexpr bool takes_complex<op::logm<T>> = true;
template <class T>
struct array_rule<op::logm<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using dual_type = dual<T, 1, linalg::logarithm_level>;
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(extents<A> const& a) { return linalg::shape_of_square("logm(A)", a); }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room forward, backward;
        linalg::logarithm<T>(forward, a[0]);
        linalg::logarithm<dual_type>(backward, a[0]);
        return std::max(forward.size(), backward.size());
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        linalg::logarithm<T> const l(room, a.shape[0]);
        linalg::copy(l.a, linalg::as_matrix(a));
        l.run();
        linalg::copy(linalg::as_matrix(y), l.y);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        using linalg::detail::direction_part, linalg::detail::primal_part;
        linalg::scratch_room room(s);
        linalg::logarithm<dual_type> const l(room, a.shape[0]);
        linalg::copy(primal_part(l.a), linalg::transposed(linalg::as_matrix(a)));
        linalg::copy(direction_part(l.a, 0), linalg::as_matrix(ybar));
        l.run();
        linalg::give(linalg::as_matrix(xbar), add, direction_part(l.y, 0));
    }
};

}
XGRAD_DETAIL_QUIET_END
