// Defines the rule of solve_triangular: forward or backward substitution; of A one triangle is read, and has a cotangent.
//
// x = A⁻¹ b:  b̄ = A⁻ᵀ x̄,  Ā = -tri(b̄ xᵀ)   (Giles 2008, 2.2.3).
#pragma once

#include <cstddef>

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
            bool const one = x.shape[1] == 1;
            if (!one) linalg::multiply(k.product, false, k.w, linalg::transposed(x));
            for (std::size_t i = 0; i < bar.shape[0]; ++i)
                for (std::size_t j = 0; j < bar.shape[1]; ++j) {
                    if (!inside(o, i, j)) {
                        if (!add) linalg::set(bar, i, j, T(0));
                        continue;
                    }
                    T const v = one ? T(linalg::entry(k.w, i, 0) * linalg::entry(x, j, 0)) : linalg::entry(k.product, i, j);
                    linalg::set(bar, i, j, add ? T(linalg::entry(bar, i, j) + v) : v);
                }
        }
    }

private:
    struct kept {
        linalg::shared_solution shared;
        linalg::dense<T> w, clean, product;
        kept(linalg::scratch_room& room, std::size_t n, std::size_t columns)
            : shared(room), w(room.take_matrix<T>(n, columns)), clean(room.take_matrix<T>(n, n)), product(room.take_matrix<T>(columns == 1 ? 0 : n, n)) {}
    };
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
            auto const d = linalg::entry(a, i, i);
            if (!o.unit() && d == 0) linalg::detail::singular("solve_triangular(A, b)", to_string(a.shape), "trtrs", static_cast<linalg::blas_index>(i + 1));
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
