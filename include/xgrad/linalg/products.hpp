// Defines the products of linear algebra: dot, outer, vdot, inner, kron, and the trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/algebra.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/linalg/dot.hpp>
#include <xgrad/shape.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

// a b, for vectors (n,) and matrices (m, n) whose inner sizes agree: vector · vector is a scalar. Operands may be active, plain,
// transposed, views or expressions. Throws std::invalid_argument with both shapes where they do not fit.
template <class E1, class E2>
    requires active_pair<E1, E2>
XGRAD_DETAIL_INLINE auto dot(E1&& e1, E2&& e2) {
    return make_formula<op::dot>(std::forward<E1>(e1), std::forward<E2>(e2));
}

template <plain_array E1, plain_array E2>
auto dot(E1 const& a, E2 const& b) {
    using T = std::common_type_t<typename E1::value_type, typename E2::value_type>;
    context& c = plain_context();
    auto const l = as_constant_array<T>(std::cref(a), c);
    auto const r = as_constant_array<T>(std::cref(b), c);
    using rule = array_rule<op::dot>;
    auto const s = rule::shape(l.extent(), r.extent());
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity;
    if constexpr (R == 0) {
        T y{};
        rule::value(array_ref<T, 0>{&y, {}, {}}, l.source(), r.source());
        return y;
    } else {
        auto y = detail::primal_of_shape<T>(s);
        rule::value(array_ref<T, R>{y.data(), s, row_major_strides(s)}, l.source(), r.source());
        return y;
    }
}

// The sum of the elements (i, i + offset) of a matrix; 0 of none. Refuses what is no matrix (E096), of dynamic rank by std::invalid_argument.
template <algebraic A>
auto trace(A&& a, std::ptrdiff_t offset = 0) {
    return detail::algebra(
        [offset](auto&& x) {
            using X = std::remove_cvref_t<decltype(x)>;
            static_assert(
                X::rank == 2 || X::rank == dynamic_rank,
                "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a view "
                "of one matrix");
            auto const p = detail::part_source(std::forward<decltype(x)>(x));
            auto const s = p.extent();
            if (s.rank() != 2)
                throw std::invalid_argument("xgrad[E203]: trace(A) requires a matrix, found " + to_string(s) + ": reshape it, or take a view of one matrix");
            auto const& t = detail::steps_of(p);
            auto const at = [&](int d, std::ptrdiff_t skip) { return static_cast<std::ptrdiff_t>(s[d]) - (skip > 0 ? skip : 0); };
            auto const n = std::max<std::ptrdiff_t>(0, std::min(at(0, -offset), at(1, offset)));
            auto const first = n == 0 ? 0 : offset > 0 ? offset * t[1] : -offset * t[0];
            return sum(detail::make_slot_view(p, first, extents<1>{{static_cast<std::size_t>(n)}}, strides<1>{{t[0] + t[1]}}));
        },
        std::forward<A>(a));
}

namespace detail {
// A vector as a column, or as a row.
template <bool Column, class E>
auto as_matrix_of_one(char const* call, E&& e) {
    static_assert(std::remove_cvref_t<E>::rank == 1 || std::remove_cvref_t<E>::rank == dynamic_rank,
                  "xgrad[E097]: outer(a, b) requires vectors (1 dimension), but an operand has others: flatten it by ravel(x)");
    return restride<2>(std::forward<E>(e), [call](auto const& x, auto const& steps, auto& s, auto& t, std::ptrdiff_t&) {
        if (x.rank() != 1)
            throw std::invalid_argument(std::string("xgrad[E203]: ") + call + " requires vectors, found " + to_string(x) + ": flatten it by ravel(x)");
        s = Column ? extents<2>{{x[0], 1}} : extents<2>{{1, x[0]}};
        t = Column ? strides<2>{{steps[0], 0}} : strides<2>{{0, steps[0]}};
    });
}
}

// The matrix of the products a(i) b(j) of two vectors, of shape (n of a, n of b). Refuses what is no vector (E097), of dynamic rank by std::invalid_argument.
template <algebraic A, algebraic B>
auto outer(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            if constexpr (detail::is_written_out<op::outer, std::remove_cvref_t<X>, std::remove_cvref_t<Y>>)
                return array_operation(op::outer(), std::forward<X>(x), std::forward<Y>(y));
            else return dot(detail::as_matrix_of_one<true>("outer(a, b)", detail::active_or_variable<T>(std::forward<X>(x))),
                            detail::as_matrix_of_one<false>("outer(a, b)", detail::active_or_variable<T>(std::forward<Y>(y))));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// Σ a b over all elements of two arrays of one shape, a number; of complex ones Σ conj(a) b. Throws std::invalid_argument where the shapes differ.
template <algebraic A, algebraic B>
auto vdot(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            auto const shape_of_operand = [](auto const& e) {
                if constexpr (active<decltype(e)>) return e.extent();
                else return detail::shape_of<rank_of<std::remove_cvref_t<decltype(e)>>>(e);
            };
            auto const s = to_string(shape_of_operand(x)), t = to_string(shape_of_operand(y));
            if (s != t)
                throw std::invalid_argument("xgrad[E202]: vdot(a, b) requires operands of one shape, found " + s + " and " + t + ": reshape one of them");
            // Σ conj(a) b of complex ones, which is the conjugate of Σ a conj(b)
            constexpr bool is_complex = detail::is_complex_number<typename std::remove_cvref_t<X>::value_type>;
            if constexpr (!is_complex) return sum(std::forward<X>(x) * std::forward<Y>(y));
            else if constexpr (active<X>) return sum(conj(std::forward<X>(x)) * std::forward<Y>(y));
            else return conj(sum(std::forward<X>(x) * conj(std::forward<Y>(y))));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// Σ a(k) b(k) over the last axes: of vectors a number, of matrices a bᵀ. Throws std::invalid_argument where these axes differ in length.
template <algebraic A, algebraic B>
auto inner(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            if constexpr (active<Y>) return dot(std::forward<X>(x), transpose(std::forward<Y>(y)));
            else return dot(std::forward<X>(x), xt::eval(xt::transpose(y)));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// The Kronecker product of matrices (m, n) and (p, q), of shape (m p, n q): a(i, j) b in the block (i, j). Refuses what is no matrix (E096), of dynamic rank by
// std::invalid_argument.
template <algebraic A, algebraic B>
auto kron(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            using T = detail::operation_element<X, Y>;
            auto spread = [](auto&& e, int first) {
                constexpr int R = std::remove_cvref_t<decltype(e)>::rank;
                static_assert(
                    R == 2 || R == dynamic_rank,
                    "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a "
                    "view of one matrix");
                return detail::restride<4>(e, [first](auto const& from, auto const& steps, auto& s, auto& t, std::ptrdiff_t&) {
                    if (from.rank() != 2) throw std::invalid_argument("xgrad[E203]: kron(a, b) requires matrices, found " + to_string(from) + ": reshape it");
                    s = {{1, 1, 1, 1}};
                    t = {{0, 0, 0, 0}};
                    for (int d = 0; d < 2; ++d) {
                        s[first + 2 * d] = from[d];
                        t[first + 2 * d] = steps[d];
                    }
                });
            };
            auto u = spread(detail::active_or_variable<T>(std::forward<X>(x)), 0);
            auto v = spread(detail::active_or_variable<T>(std::forward<Y>(y)), 1);
            auto const m = u.extent(), n = v.extent();
            return detail::make_reshape(u * v, extents<2>{{m[0] * n[1], m[2] * n[3]}});
        },
        std::forward<A>(a), std::forward<B>(b));
}

}
