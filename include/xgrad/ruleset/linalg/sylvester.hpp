// Defines the rule of sylvester(A, B, C), the X with A X + X B = C.
//
// Aᵀ C̄ + C̄ Bᵀ = X̄, which is B C̄ᵀ + C̄ᵀ A = X̄ᵀ;  Ā = -C̄ Xᵀ,  B̄ = -Xᵀ C̄: what Ȧ X + A Ẋ + Ẋ B + X Ḃ = Ċ is the other way round.
#pragma once

#include <cstddef>
#include <stdexcept>

#include <xgrad/ruleset/linalg/schur.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct sylvester {
    static constexpr bool may_throw = true;
};
}

template <class T> inline constexpr bool takes_complex<op::sylvester<T>> = true;
template <class T>
struct array_rule<op::sylvester<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A, int B, int C>
    static constexpr int rank = C;
    template <int A, int B, int C>
    static extents<C> shape(extents<A> const& a, extents<B> const& b, extents<C> const& c) {
        (void)linalg::shape_of_square("sylvester(A, B, C)", a);
        (void)linalg::shape_of_square("sylvester(A, B, C)", b);
        if (c.rank() != 2 || c[0] != a[0] || c[c.rank() - 1] != b[0])
            throw std::invalid_argument("xgrad[E202]: sylvester(A, B, C) requires a matrix C of the rows of A and the columns of B, found " + to_string(a) +
                                        ", " + to_string(b) + " and " + to_string(c) + ": reshape or transpose one of them");
        return c;
    }
    template <int A, int B, int C>
    static std::size_t scratch(extents<A> const& a, extents<B> const& b, extents<C> const&) {
        linalg::scratch_room room;
        kept(room, a[0], b[0]);
        return room.size();
    }
    template <class Y, class A, class B, class C>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a, B const& b, C const& c) {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0], b.shape[0]);
        *k.is_known = false;
        linalg::detail::require_finite("sylvester(A, B, C)", c);
        k.a.decompose("sylvester(A, B, C)", linalg::as_matrix(a));
        k.b.decompose("sylvester(A, B, C)", linalg::as_matrix(b));
        k.forward.require_solvable();
        linalg::copy(k.x, linalg::as_matrix(c));
        linalg::solve_sylvester(k.forward, linalg::as_matrix(a), linalg::as_matrix(b), k.x);
        linalg::copy(linalg::as_matrix(y), k.x);
    }
    template <int I, class X, class Y, class A, class B, class C>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b, C const&) noexcept {
        using namespace linalg;
        scratch_room room(s);
        kept const k(room, a.shape[0], b.shape[0]);
        if (I == 0 || !*k.is_known) {
            copy(k.cbar, transposed(as_matrix(ybar)));
            solve_sylvester(k.backward, as_matrix(b), as_matrix(a), k.cbar);
            negate(k.cbar);
        }
        // the pullback of A comes first where there is one, and that of C last
        *k.is_known = I == 0 || (I == 1 && *k.is_known);
        auto const w = transposed(k.cbar), xt = transposed(k.x);
        if constexpr (I == 0) multiply(as_matrix(xbar), add, w, xt);
        else if constexpr (I == 1) multiply(as_matrix(xbar), add, xt, w);
        else map(as_matrix(xbar), add, w, [](auto const& v) { return -v; });
    }

private:
    using real = linalg::real_scalar_t<T>;
    struct kept {
        linalg::schur_form<real> a, b;
        linalg::sylvester_solver<real> forward, backward;
        linalg::dense<T> x, cbar;  // cbar holds -C̄ᵀ
        bool* is_known;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n)
            : a(room, m), b(room, n), forward(room, a, b), backward(room, b, a), x(room.take_matrix<T>(m, n)), cbar(room.take_matrix<T>(n, m)),
              is_known(room.take<bool>(1)) {}
    };
};

}
XGRAD_DETAIL_QUIET_END
