// Defines the rule of lstsq: least squares by one QR decomposition, kept for the pullback.
//
// Of a tall A = Q R: x = R⁻¹ Qᵀ b, r = b - A x;  b̄ = Q R⁻ᵀ x̄,  w = R⁻¹ R⁻ᵀ x̄,  Ā = r wᵀ - b̄ xᵀ   (Golub and Pereyra 1973, "The differentiation of
// pseudo-inverses and nonlinear least squares problems whose variables separate"). Of a wide A with Aᵀ = Q R: x = Q R⁻ᵀ b, y = R⁻¹ R⁻ᵀ b;  b̄ = R⁻¹ Qᵀ x̄,
// Ā = y (x̄ - Aᵀ b̄)ᵀ - b̄ xᵀ. Of complex numbers adjoints stand for transposes; cotangents come conjugated, and those that leave are these formulas of the
// conjugates of A, b and x.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/ruleset/linalg/qr.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
template <class T>
struct lstsq {
    static constexpr bool may_throw = true;
};
}

template <class T> inline constexpr bool takes_complex<op::lstsq<T>> = true;
// Duals go through the rules of qr, dot and solve_triangular instead.
template <class T>
    requires(!number_dual<T>)
struct array_rule<op::lstsq<T>> {
    static constexpr bool has_scratch = linalg::check_lapack<T>();
    template <int A, int B>
    static constexpr int rank = B;
    template <int A, int B>
    static extents<B> shape(extents<A> const& a, extents<B> const& b) {
        static_assert(A == 2 || A == dynamic_rank,
                      "xgrad[E058]: a factorisation requires a matrix (2 dimensions), but this operand has others: reshape it, or take a view of one matrix");
        static_assert(B == 1 || B == 2 || B == dynamic_rank,
                      "xgrad[E059]: solve(A, b) requires for b a vector or a matrix of right-hand sides (1 or 2 dimensions), but b has others: reshape it");
        if (a.rank() != 2 || (b.rank() != 1 && b.rank() != 2) || a[0] != b[0])
            throw std::invalid_argument("xgrad[E202]: lstsq(A, b) requires a matrix A and a vector or matrix b of as many rows, found " + to_string(a) +
                                        " and " + to_string(b) + ": transpose or reshape one of them");
        extents<B> x = b;
        x[0] = a[1];
        return x;
    }
    template <int A, int B>
    static std::size_t scratch(extents<A> const& a, extents<B> const& b) {
        linalg::scratch_room room;
        kept(room, a[0], a[1], linalg::columns_of(b));
        return room.size();
    }
    template <class Y, class A, class B>
    static void value(std::ptrdiff_t* s, Y const& y, A const& a, B const& b) {
        using namespace linalg;
        scratch_room room(s);
        auto const x = as_matrix(y);
        auto const m = as_matrix(a), right = as_matrix(b);
        kept const k(room, m.shape[0], m.shape[1], x.shape[1]);
        k.shared.forget();
        copy(k.q, k.is_wide ? transposed(m) : m);
        linalg::detail::require_finite("lstsq(A, b)", m);
        if (auto const i = decompose_in_place(k.q, k.r, k.tau, k.work); i != k.r.shape[0])
            throw std::runtime_error(std::string("xgrad[E210]: lstsq(A, b) requires linearly independent ") + (k.is_wide ? "rows" : "columns") + ", found " +
                                     to_string(m.shape) + " whose " + (k.is_wide ? "row " : "column ") + std::to_string(i) +
                                     " depends on those before it: leave it out, or take pinv");
        if (k.is_wide) {
            copy(k.w, right);
            solve_triangle(transposed(k.r), true, false, k.w);
            conjugate_all(k.w);
            multiply(x, false, k.q, k.w);
            conjugate_all(x);
            // conj(y)
            solve_triangle(k.r, false, false, k.w);
        } else {
            if constexpr (is_complex<T>) {
                // Qᴴ b, the conjugate of Qᵀ conj(b)
                copy_conjugated(k.bbar, right);
                multiply(k.w, false, transposed(k.q), k.bbar);
                conjugate_all(k.w);
            } else multiply(k.w, false, transposed(k.q), right);
            solve_triangle(k.r, false, false, k.w);
            copy(x, k.w);
        }
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(std::ptrdiff_t* s, X const& xbar, bool add, Y const& ybar, Y const& y, A const& a, B const& b) noexcept {
        using namespace linalg;
        scratch_room room(s);
        auto const x = as_matrix(y), g = as_matrix(ybar), m = as_matrix(a);
        auto const out = as_matrix(xbar);
        kept const k(room, m.shape[0], m.shape[1], x.shape[1]);
        k.shared.template need<I>([&] { k.is_wide ? pull_wide(k, g) : pull_tall(k, g); });
        if constexpr (I == 1) give(out, add, k.bbar);
        else if (k.is_wide) {
            // conj(x̄ - Aᵀ b̄)
            copy(k.rest, g);
            negate(k.rest);
            multiply(k.rest, true, transposed(m), k.bbar);
            map(k.rest, false, k.rest, [](auto const& v) { return -conjugated(v); });
            two_products(out, add, k.w, k.rest, k.bbar, x);
        } else {
            // conj(r), and in w what was conj(w) above
            solve_triangle(k.r, false, false, k.w);
            copy(k.rest, as_matrix(b));
            negate(k.rest);
            multiply(k.rest, true, m, x);
            map(k.rest, false, k.rest, [](auto const& v) { return -conjugated(v); });
            two_products(out, add, k.rest, k.w, k.bbar, x);
        }
    }

private:
    struct kept {
        bool is_wide;
        linalg::shared_solution shared;
        linalg::dense<T> q, r, w, bbar, rest;
        T* tau;
        T* work;
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n, std::size_t columns) : kept(room, m, n, columns, std::min(m, n)) {}

    private:
        kept(linalg::scratch_room& room, std::size_t m, std::size_t n, std::size_t columns, std::size_t k)
            : is_wide(m < n),
              shared(room),
              q(room.take_matrix<T>(std::max(m, n), k)),
              r(room.take_matrix<T>(k, k)),
              w(room.take_matrix<T>(k, columns)),
              bbar(room.take_matrix<T>(m, columns)),
              rest(room.take_matrix<T>(std::max(m, n), columns)),
              tau(room.take<T>(k)),
              work(room.take<T>(32 * k)) {}
    };
    // b̄, and in w conj(R⁻ᵀ x̄).
    static void pull_tall(kept const& k, linalg::dense<T const> const& g) noexcept {
        using namespace linalg;
        copy(k.w, g);
        solve_triangle(transposed(k.r), true, false, k.w);
        conjugate_all(k.w);
        multiply(k.bbar, false, k.q, k.w);
        conjugate_all(k.bbar);
    }
    // b̄; w stays.
    static void pull_wide(kept const& k, linalg::dense<T const> const& g) noexcept {
        using namespace linalg;
        copy_conjugated(k.rest, g);
        multiply(k.bbar, false, transposed(k.q), k.rest);
        conjugate_all(k.bbar);
        solve_triangle(k.r, false, false, k.bbar);
    }
    // y = u vᵀ - p qᵀ, or y += that.
    template <class V, class Q>
    static void two_products(linalg::dense<T> const& y, bool add, linalg::dense<T> const& u, linalg::dense<V> const& v, linalg::dense<T> const& p,
                             linalg::dense<Q> const& q) noexcept {
        using namespace linalg;
        if (v.shape[1] != 1) {
            multiply(y, add, u, transposed(v));
            negate(p);
            multiply(y, true, p, transposed(q));
            negate(p);
            return;
        }
        auto const run = [&](auto sy, auto sv, auto sq) {
            auto const n = static_cast<std::ptrdiff_t>(y.shape[1]);
            for (std::size_t i = 0; i < y.shape[0]; ++i) {
                T const a = entry(u, i, 0), b = entry(p, i, 0);
                auto* const to = y.data + static_cast<std::ptrdiff_t>(i) * y.stride[0];
                if (add)
                    for (std::ptrdiff_t j = 0; j < n; ++j) to[j * sy] += a * v.data[j * sv] - b * q.data[j * sq];
                else
                    for (std::ptrdiff_t j = 0; j < n; ++j) to[j * sy] = a * v.data[j * sv] - b * q.data[j * sq];
            }
        };
        constexpr std::integral_constant<std::ptrdiff_t, 1> unit{};
        if (y.stride[1] == 1 && v.stride[0] == 1 && q.stride[0] == 1) run(unit, unit, unit);
        else run(y.stride[1], v.stride[0], q.stride[0]);
    }
};

}
XGRAD_DETAIL_QUIET_END
