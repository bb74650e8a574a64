// Defines the rule of solve_triangular: forward or backward substitution; of A one triangle is read, and has a cotangent.
//
// x = A⁻¹ b:  b̄ = A⁻ᵀ x̄,  Ā = -tri(b̄ xᵀ)   (Giles 2008, 2.2.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <xgrad/ruleset/linalg/solve.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The triangle that is read; a unit one has ones on its diagonal, whatever lies there.
enum class triangle : unsigned char { lower, upper, unit_lower, unit_upper };

namespace op {
template <class T>
struct solve_triangular {
    static constexpr bool may_throw = true;
    triangle part = triangle::lower;
    bool lower() const { return part == triangle::lower || part == triangle::unit_lower; }
    bool unit() const { return part == triangle::unit_lower || part == triangle::unit_upper; }
};
}

template <class T> inline constexpr bool takes_complex<op::solve_triangular<T>> = true;
template <class T>
struct array_rule<op::solve_triangular<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    using operation = op::solve_triangular<T>;
    template <int A, int B>
    static constexpr int rank = B;
    template <int A, int B>
    static extents<B> shape(operation const&, extents<A> const& a, extents<B> const& b) { return linalg::shape_of_solution("solve_triangular(A, b)", a, b); }
    template <int A, int B>
    static std::size_t scratch(operation const&, extents<A> const& a, extents<B> const& b) {
        linalg::scratch_room room;
        kept(room, a[0], linalg::columns_of(b));
        return room.size();
    }
    template <class Y, class A, class B>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, A const& a, B const& b) {
        linalg::scratch_room room(s);
        auto const x = linalg::as_matrix(y);
        auto const m = linalg::as_matrix(a);
        kept const k(room, x.shape[0], x.shape[1]);
        k.shared.forget();
        check(o, linalg::bottom_part(m));
        linalg::copy(x, linalg::as_matrix(b));
        with_triangle(o, k, m, true, [&](auto const& l) { linalg::solve_triangle(l, o.lower(), o.unit(), x); });
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(operation const& o, std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a, B const&) noexcept {
        linalg::scratch_room room(s);
        auto const g = linalg::as_matrix(ybar), x = linalg::as_matrix(y);
        kept const k(room, g.shape[0], g.shape[1]);
        k.shared.template need<I>([&] {
            linalg::map(k.w, false, g, [](auto const& v) { return -v; });
            with_triangle(o, k, linalg::as_matrix(a), false, [&](auto const& l) { linalg::solve_triangle(linalg::transposed(l), !o.lower(), o.unit(), k.w); });
        });
        auto const bar = linalg::as_matrix(xbar);
        if constexpr (I == 1) linalg::map(bar, add, k.w, [](auto const& v) { return -v; });
        else {
            // the triangle of w xᵀ, or by columns the other one of x wᵀ
            auto const w = linalg::constant(k.w);
            if (std::abs(bar.stride[0]) < std::abs(bar.stride[1])) give_triangle(k, linalg::transposed(bar), add, !o.lower(), o.unit(), x, w);
            else give_triangle(k, bar, add, o.lower(), o.unit(), w, x);
        }
    }

private:
    struct kept {
        linalg::shared_solution shared;
        linalg::dense<T> w, clean, product;
        kept(linalg::scratch_room& room, std::size_t n, std::size_t columns)
            : shared(room),
              w(room.take_matrix<T>(n, columns)),
              clean(room.take_matrix<T>(n, n)),
              product(room.take_matrix<T>(columns == 1 ? 0 : std::min(n, rows_at_once), std::min(n, rows_at_once))) {}
    };
    // The triangle of y = u vᵀ, or of y += u vᵀ: a product of matrices beside each square on the diagonal, and one for the square.
    static constexpr std::size_t rows_at_once = 64;
    template <class U, class V>
    static void give_triangle(kept const& k, linalg::dense<T> const& y, bool add, bool lower, bool unit, linalg::dense<U> const& u,
                              linalg::dense<V> const& v) noexcept {
        using namespace linalg;
        std::size_t const n = y.shape[0], columns = v.shape[1];
        for (std::size_t i = 0; i < n && !add; ++i) {
            std::size_t const first = lower ? i + !unit : 0, last = lower ? n : i + unit;
            fill(submatrix(y, i, first, 1, last - first), T(0));
        }
        if (columns == 1) {
            for (std::size_t i = 0; i < n; ++i) {
                std::size_t const first = lower ? 0 : i + unit, last = lower ? i + !unit : n;
                T const s = entry(u, i, 0);
                map(submatrix(y, i, first, 1, last - first), add, transposed(submatrix(v, first, 0, last - first, 1)), [&](auto const& e) { return s * e; });
            }
            return;
        }
        for (std::size_t i = 0; i < n; i += rows_at_once) {
            std::size_t const rows = std::min(rows_at_once, n - i), first = lower ? 0 : i + rows, beside = lower ? i : n - first;
            auto const these = submatrix(u, i, 0, rows, columns);
            if (beside != 0) multiply(submatrix(y, i, first, rows, beside), add, these, transposed(submatrix(v, first, 0, beside, columns)));
            auto const square = submatrix(k.product, 0, 0, rows, rows);
            multiply(square, false, these, transposed(submatrix(v, i, 0, rows, columns)));
            for (std::size_t l = 0; l < rows; ++l) {
                std::size_t const from = lower ? 0 : l + unit, to = lower ? l + !unit : rows;
                give(submatrix(y, i + l, i + from, 1, to - from), add, submatrix(square, l, from, 1, to - from));
            }
        }
    }
    static bool inside(operation const& o, std::size_t i, std::size_t j) { return i == j ? !o.unit() : (j < i) == o.lower(); }
    // BLAS reads the triangle where it lies; where it cannot, and of duals, it is copied without the other one.
    template <class A, class F>
    static void with_triangle(operation const& o, kept const& k, linalg::dense<A> const& a, bool first, F f) {
        if constexpr (!number_dual<A>)
            if (linalg::lies_for_blas(a)) return f(a);
        if (first)
            for (std::size_t i = 0; i < a.shape[0]; ++i)
                for (std::size_t j = 0; j < a.shape[1]; ++j) linalg::set(k.clean, i, j, inside(o, i, j) ? T(linalg::entry(a, i, j)) : T(0));
        if constexpr (number_dual<A> || !number_dual<T>) f(k.clean);
        else f(linalg::bottom_part(k.clean));
    }
    template <class S>
    static void check(operation const& o, linalg::dense<S> const& a) {
        for (std::size_t i = 0; i < a.shape[0]; ++i) {
            std::remove_const_t<S> const d = linalg::entry(a, i, i);
            if (!o.unit() && d == std::remove_const_t<S>(0))
                linalg::detail::singular("solve_triangular(A, b)", to_string(a.shape), "trtrs", static_cast<linalg::blas_index>(i + 1));
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
