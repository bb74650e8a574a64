// Defines the rule of expm: the exponential of a matrix by Padé approximants with scaling and squaring, and its pullback by the same on duals.
//
// Y = exp A (Higham 2005, "The scaling and squaring method for the matrix exponential revisited");  Ā = L(Aᵀ, Ȳ), L the Fréchet derivative, which is the
// derivative of the algorithm along Ȳ (Al-Mohy and Higham 2009, "Computing the Fréchet derivative of the matrix exponential"): what
// exp [Aᵀ Ȳ; 0 Aᵀ] has in its corner, for three eighths of the products.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/ruleset/linalg/solve.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct expm {
    static constexpr bool may_throw = true;
};
}

namespace linalg {

struct frechet_level;

// The memory of one exponential of elements T: the algorithm in it.
template <class T>
class exponential {
    using S = scalar_of_t<T>;

public:
    dense<T> a, y;  // what to take the exponential of (it is overwritten), and the result

    exponential(scratch_room& room, std::size_t n)
        : a(room.take_matrix<T>(n, n)),
          y(room.take_matrix<T>(n, n)),
          lu_(room, n),
          squares_{room.take_matrix<T>(n, n), room.take_matrix<T>(n, n), room.take_matrix<T>(n, n), room.take_matrix<T>(n, n)},
          t_(room.take_matrix<T>(n, n)) {}

    // Whether the elements are finite is known.
    void run() const {
        std::size_t const n = a.shape[0];
        if (n == 0) return;
        auto const size = norm();
        int degree = 13, halvings = 0;
        // where the approximant of this degree is right to rounding in double precision
        constexpr std::array<std::pair<int, double>, 4> bounds{
            {{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1}, {9, 2.097847961257068e0}}};
        for (auto const& [m, bound] : bounds)
            if (degree == 13 && static_cast<double>(size) <= bound) degree = m;
        if (degree == 13 && static_cast<double>(size) > 5.371920351148152) {
            std::frexp(static_cast<double>(size) / 5.371920351148152, &halvings);
            S const scale = S(static_cast<real_scalar_t<T>>(std::ldexp(1.0, -halvings)));
            map(a, false, a, [&](auto const& v) { return v * T(scale); });
        }
        pade(degree);
        for (int i = 0; i < halvings; ++i) {
            multiply(t_, false, y, y);
            copy(y, t_);
        }
    }

private:
    lu_factors<S> lu_;
    std::array<dense<T>, 4> squares_;  // a², a⁴, a⁶, a⁸
    dense<T> t_;

    // The largest sum of a column.
    real_scalar_t<T> norm() const {
        auto const x = bottom_part(a);
        using R = real_scalar_t<T>;
        R largest = R(0);
        for (std::size_t j = 0; j < x.shape[1]; ++j) {
            R s = R(0);
            for (std::size_t i = 0; i < x.shape[0]; ++i) s += std::abs(entry(x, i, j));
            largest = std::max(largest, s);
        }
        return largest;
    }
    // y = c[0] I + c[2] a² + ..., over `count` coefficients, each second one.
    void polynomial(dense<T> const& p, double const* c, int count) const {
        fill(p, T(0));
        for (int k = 1; k < count; ++k) map(p, true, squares_[static_cast<std::size_t>(k - 1)], [&](auto const& v) { return v * T(c[2 * k]); });
        for (std::size_t i = 0; i < p.shape[0]; ++i) set(p, i, i, T(entry(p, i, i) + T(c[0])));
    }
    // y = (V - U)⁻¹ (V + U), U = a odd(a²), V = even(a²).
    void pade(int degree) const {
        static constexpr double c3[] = {120, 60, 12, 1}, c5[] = {30240, 15120, 3360, 420, 30, 1},
                                c7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1},
                                c9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1},
                                c13[] = {64764752532480000,
                                         32382376266240000,
                                         7771770303897600,
                                         1187353796428800,
                                         129060195264000,
                                         10559470521600,
                                         670442572800,
                                         33522128640,
                                         1323241920,
                                         40840800,
                                         960960,
                                         16380,
                                         182,
                                         1};
        double const* const c = degree == 3 ? c3 : degree == 5 ? c5 : degree == 7 ? c7 : degree == 9 ? c9 : c13;
        auto const& [a2, a4, a6, a8] = squares_;
        multiply(a2, false, a, a);
        if (degree > 3) multiply(a4, false, a2, a2);
        if (degree > 5) multiply(a6, false, a2, a4);
        auto const& u = y;
        if (degree < 13) {
            if (degree > 7) multiply(a8, false, a4, a4);
            int const terms = (degree + 1) / 2;
            polynomial(t_, c + 1, terms);
            multiply(u, false, a, t_);
            polynomial(t_, c, terms);
        } else {
            auto const both = [&](dense<T> const& to, double const* high, double const* low) {
                // a⁶ (high) + low
                map(a8, false, a2, [&](auto const& v) { return v * T(high[0]); });
                map(a8, true, a4, [&](auto const& v) { return v * T(high[2]); });
                map(a8, true, a6, [&](auto const& v) { return v * T(high[4]); });
                polynomial(to, low, 4);
                multiply(to, true, a6, a8);
            };
            both(t_, c + 9, c + 1);
            multiply(u, false, a, t_);
            both(t_, c + 8, c);
        }
        // a is no longer needed: V - U
        copy(a, t_);
        map(a, true, u, [](auto const& v) { return -v; });
        give(u, true, t_);
        lu_.factorise("expm(A)", a);
        solve_with(lu_, a, false, y);
    }
};

}

template <class T> inline constexpr bool takes_complex<op::expm<T>> = true;
template <class T>
struct array_rule<op::expm<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using dual_type = dual<T, 1, linalg::frechet_level>;
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(extents<A> const& a) { return linalg::shape_of_square("expm(A)", a); }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room forward, backward;
        linalg::exponential<T>(forward, a[0]);
        linalg::exponential<dual_type>(backward, a[0]);
        return std::max(forward.size(), backward.size());
    }
    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        linalg::exponential<T> const e(room, a.shape[0]);
        linalg::detail::require_finite("expm(A)", a);
        linalg::copy(e.a, linalg::as_matrix(a));
        e.run();
        if (!linalg::is_finite(linalg::bottom_part(e.y)))
            throw std::domain_error("xgrad[E209]: expm(A) requires a matrix A whose exponential is finite, found one of shape " + to_string(a.shape) +
                                    " whose exponential overflows: scale it down");
        linalg::copy(linalg::as_matrix(y), e.y);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a) noexcept {
        using linalg::detail::direction_part, linalg::detail::primal_part;
        linalg::scratch_room room(s);
        linalg::exponential<dual_type> const e(room, a.shape[0]);
        linalg::copy(primal_part(e.a), linalg::transposed(linalg::as_matrix(a)));
        linalg::copy(direction_part(e.a, 0), linalg::as_matrix(ybar));
        e.run();
        linalg::give(linalg::as_matrix(xbar), add, direction_part(e.y, 0));
    }
};

}
XGRAD_DETAIL_QUIET_END
