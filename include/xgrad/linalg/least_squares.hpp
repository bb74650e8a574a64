// Defines lstsq and pinv: solutions of linear systems that have none, or many.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/linalg/solve.hpp>
#include <xgrad/ruleset/linalg/lstsq.hpp>
#include <xgrad/ruleset/linalg/pinv.hpp>
#include <xgrad/shape.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

// The x that makes |A x - b| least, for a vector b or the columns of a matrix b, of shape (n,) or (n, columns of b) for an (m, n) matrix A; of a wide A the
// shortest of those that solve A x = b. By one QR decomposition (Golub and Pereyra 1973: see ruleset/linalg/lstsq.hpp). Throws std::invalid_argument where b
// has not as many rows as A, std::runtime_error where A has not full rank: dot(pinv(A), b) is defined there.
template <algebraic A, algebraic B>
auto lstsq(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            if constexpr (!number_dual<T>) return array_operation(op::lstsq<T>{}, std::forward<X>(x), std::forward<Y>(y));
            else {
                variable<typename detail::primal_of<T, detail::operand_rank<Y>>::type> solution;
                auto const m = detail::window_on_all(detail::active_or_variable<T>(std::forward<X>(x)));
                auto const v = detail::window_on_all(detail::active_or_variable<T>(std::forward<Y>(y)));
                auto const s = m.extent();
                auto const t = v.extent();
                if (s.rank() != 2 || (t.rank() != 1 && t.rank() != 2) || s[0] != t[0])
                    throw std::invalid_argument("xgrad[E202]: lstsq(A, b) requires a matrix A and a vector or matrix b of as many rows, found " + to_string(s) +
                                                " and " + to_string(t) + ": transpose or reshape one of them");
                auto const parts = [&](auto const& e, std::size_t rows, std::size_t columns) {
                    auto const whole = array_operation(op::qr<T>{"lstsq(A, b)"}, e).share();
                    return std::pair(detail::part_of(whole, 0, extents<2>{{rows, columns}}),
                                     detail::part_of(whole, rows * columns, extents<2>{{columns, columns}}));
                };
                if (s[0] >= s[1]) {
                    auto const [q, r] = parts(m, s[0], s[1]);
                    if constexpr (linalg::is_complex<T>) solution = solve_triangular(r, dot(conj(transpose(q)), v), triangle::upper);
                    else solution = solve_triangular(r, dot(transpose(q), v), triangle::upper);
                } else {
                    auto const [q, r] = parts(transpose(m), s[1], s[0]);
                    if constexpr (linalg::is_complex<T>) solution = dot(conj(q), solve_triangular(transpose(r), v));
                    else solution = dot(q, solve_triangular(transpose(r), v));
                }
                return solution;
            }
        },
        std::forward<A>(a), std::forward<B>(b));
}
// The Moore-Penrose inverse, of shape (n, m) for an (m, n) matrix; singular values up to rcond (or rounding) times the largest count as 0. The gradient is that
// at constant rank (Golub and Pereyra 1973: see ruleset/linalg/pinv.hpp). Refuses what is no matrix (E058), of dynamic rank by std::invalid_argument.
template <algebraic A>
auto pinv(A&& a, double rcond = 1e-15) {
    return detail::algebra([rcond]<class X>(X&& x) { return array_operation(op::pinv<detail::operation_element<X>>{rcond}, std::forward<X>(x)); },
                           std::forward<A>(a));
}

}
