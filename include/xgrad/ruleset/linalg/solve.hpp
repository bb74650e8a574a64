// Defines the rules of solve and inv: one LU factorisation, kept for the pullback.
//
// x = A⁻¹ b:  b̄ = A⁻ᵀ x̄,  Ā = -b̄ xᵀ.   Y = A⁻¹:  Ā = -Yᵀ Ȳ Yᵀ   (Giles 2008, "Collected matrix derivative results", 2.2.3 and 2.2.4).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/ruleset/linalg/lu.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// T is the element type of the active operands.
namespace op {
template <class T>
struct solve {
    static constexpr bool may_throw = true;
};
template <class T>
struct inv {
    static constexpr bool may_throw = true;
};
}

namespace linalg {

// The shape of A⁻¹ b: that of b, for a vector or the columns of a matrix.
template <int A, int B>
extents<B> shape_of_solution(char const* call, extents<A> const& a, extents<B> const& b) {
    static_assert(A == 2 || A == dynamic_rank, "xgrad[E058]: a factorisation requires a matrix (2 dimensions), but this operand has others: reshape it, or take a view of one matrix");
    static_assert(B == 1 || B == 2 || B == dynamic_rank, "xgrad[E059]: solve(A, b) requires for b a vector or a matrix of right-hand sides (1 or 2 dimensions), but b has others: reshape it");
    auto const shapes = [&] { return to_string(a) + " and " + to_string(b); };
    if (a.rank() != 2 || a[0] != a[1]) detail::require_square(call, "A", a.rank(), a[0], a.rank() > 1 ? a[1] : 0, shapes());
    if ((b.rank() != 1 && b.rank() != 2) || b[0] != a[0])
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires a vector or matrix b of as many rows as A, found " + shapes() + ": transpose or reshape one of them");
    return b;
}
template <int A>
extents<A> shape_of_square(char const* call, extents<A> const& a) {
    static_assert(A == 2 || A == dynamic_rank, "xgrad[E058]: a factorisation requires a matrix (2 dimensions), but this operand has others: reshape it, or take a view of one matrix");
    if (a.rank() != 2 || a[0] != a[1]) detail::require_square(call, "A", a.rank(), a.rank() > 0 ? a[0] : 0, a.rank() > 1 ? a[1] : 0, to_string(a));
    return a;
}
template <int B>
std::size_t columns_of(extents<B> const& b) { return b.rank() == 2 ? b[b.rank() - 1] : 1; }

// What the pullbacks of a solution share: the first one computes w = -A⁻ᵀ x̄, the one behind it uses it.
class shared_solution {
public:
    explicit shared_solution(scratch_room& room) : known_(room.take<bool>(1)) {}
    void forget() const noexcept { *known_ = false; }
    // The pullback of A comes first where there is one.
    template <int I, class F>
    void need(F compute) const noexcept {
        if (I == 0 || !*known_) compute();
        *known_ = I == 0;
    }

private:
    bool* known_;
};

}

template <class T>
struct array_rule<op::solve<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A, int B>
    static constexpr int rank = B;
    template <int A, int B>
    static extents<B> shape(extents<A> const& a, extents<B> const& b) { return linalg::shape_of_solution("solve(A, b)", a, b); }
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
        auto const m = linalg::as_matrix(a);
        if (auto const info = k.lu.factorise("solve(A, b)", m); info != 0) linalg::detail::singular("solve(A, b)", to_string(m.shape), "getrf", info);
        linalg::copy(x, linalg::as_matrix(b));
        linalg::solve_with(k.lu, m, false, x);
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a, B const&) noexcept {
        linalg::scratch_room room(s);
        auto const g = linalg::as_matrix(ybar);
        kept const k(room, g.shape[0], g.shape[1]);
        k.shared.template need<I>([&] {
            linalg::map(k.w, false, g, [](auto const& v) { return -v; });
            linalg::solve_with(k.lu, linalg::as_matrix(a), true, k.w);
        });
        if constexpr (I == 0) linalg::multiply(linalg::as_matrix(xbar), add, k.w, linalg::transposed(linalg::as_matrix(y)));
        else linalg::map(linalg::as_matrix(xbar), add, k.w, [](auto const& v) { return -v; });
    }

private:
    struct kept {
        linalg::shared_solution shared;
        linalg::lu_factors<scalar_of_t<T>> lu;
        linalg::dense<T> w;
        kept(linalg::scratch_room& room, std::size_t n, std::size_t columns) : shared(room), lu(room, n), w(room.take_matrix<T>(n, columns)) {}
    };
};

template <class T>
struct array_rule<op::inv<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A>
    static constexpr int rank = A;
    template <int A>
    static extents<A> shape(extents<A> const& a) { return linalg::shape_of_square("inv(A)", a); }
    template <int A>
    static std::size_t scratch(extents<A> const& a) {
        linalg::scratch_room room;
        kept(room, a[0]);
        return room.size();
    }

    template <class Y, class A>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a) {
        linalg::scratch_room room(s);
        auto const m = linalg::as_matrix(a);
        kept const k(room, m.shape[0]);
        if (auto const info = k.lu.factorise("inv(A)", m); info != 0) linalg::detail::singular("inv(A)", to_string(m.shape), "getrf", info);
        // an extent of one has no stride
        auto const x = linalg::dense_at<T>(y.data, m.shape[0], m.shape[0]);
        linalg::invert_with(k.lu, m, x, k.t, k.work);
    }
    template <int I, class X, class Y, class A>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, a.shape[0]);
        auto const yt = linalg::transposed(linalg::as_matrix(y));
        linalg::multiply(k.t, false, yt, linalg::as_matrix(ybar));
        linalg::negate(k.t);
        linalg::multiply(linalg::as_matrix(xbar), add, k.t, yt);
    }

private:
    struct kept {
        linalg::lu_factors<scalar_of_t<T>> lu;
        linalg::dense<T> t;
        scalar_of_t<T>* work;
        kept(linalg::scratch_room& room, std::size_t n) : lu(room, n), t(room.take_matrix<T>(n, n)), work(room.take<scalar_of_t<T>>(32 * n)) {}
    };
};

}
XGRAD_DETAIL_QUIET_END
