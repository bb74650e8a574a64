// Defines matmul, tensordot and einsum: sums of products of arrays of any rank, each as few products of matrices as strides allow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/algebra.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/linalg/contraction.hpp>
#include <xgrad/ruleset/linalg/labels.hpp>
#include <xgrad/shape.hpp>

namespace xgrad {

namespace detail {

template <int R, class E1, class E2>
auto contraction(op::contraction<rank_c<R>> const& o, E1&& a, E2&& b) {
    return array_operation(o, std::forward<E1>(a), std::forward<E2>(b));
}

}

// Products of the matrices in the last two axes of arrays, the axes before them broadcast; a vector is a row on the left and a column on the right, and its
// axis goes. Throws std::invalid_argument where the inner sizes differ or the axes before do not broadcast.
template <algebraic A, algebraic B>
auto matmul(A&& a, B&& b) {
    return detail::algebra(
        []<class X, class Y>(X&& x, Y&& y) {
            constexpr int P = detail::operand_rank<X>, Q = detail::operand_rank<Y>;
            constexpr int R = P == dynamic_rank || Q == dynamic_rank ? dynamic_rank : P == 1 || Q == 1 ? P + Q - 2 : std::max(P, Q);
            op::contraction<rank_c<R>> o{{}, {}, {}, true, "matmul(a, b)"};
            linalg::label_matmul(detail::rank_at_run_time(x), detail::rank_at_run_time(y), o.a, o.b, o.y);
            return detail::contraction<R>(o, std::forward<X>(x), std::forward<Y>(y));
        },
        std::forward<A>(a), std::forward<B>(b));
}
namespace detail {
// Σ over these axes of x and, in the same order, of y, a result of rank R.
template <int R, class X, class Y>
auto tensordot_over(std::span<std::ptrdiff_t const> axes_of_x, std::span<std::ptrdiff_t const> axes_of_y, X&& x, Y&& y) {
    op::contraction<rank_c<R>> o{{}, {}, {}, false, "tensordot(a, b, axes)"};
    int label = static_cast<int>(axes_of_x.size()), free = 0;
    int const p = rank_at_run_time(x), q = rank_at_run_time(y);
    if (axes_of_x.size() != axes_of_y.size() || label > std::min(p, q))
        throw std::invalid_argument("xgrad[E205]: tensordot(a, b, axes) requires as many axes of a as of b, and no more than they have, found " +
                                    std::to_string(axes_of_x.size()) + " and " + std::to_string(axes_of_y.size()) + " for " + std::to_string(p) + " and " +
                                    std::to_string(q) + " dimensions");
    auto const enter = [&](axis_labels& l, int rank, auto const& axes) {
        l.set_rank(rank);
        for (int d = 0; d < rank; ++d) l[d] = -1;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            auto const given = axes[k];
            auto const d = given < 0 ? given + rank : given;
            if (d < 0 || d >= rank || l[static_cast<int>(d)] != -1)
                throw std::invalid_argument("xgrad[E205]: tensordot(a, b, axes) requires different axes of each operand, found " + std::to_string(given) +
                                            " for " + std::to_string(rank) + " dimensions");
            l[static_cast<int>(d)] = static_cast<int>(k);
        }
        for (int d = 0; d < rank; ++d)
            if (l[d] == -1) {
                l[d] = label++;
                o.y.set_rank(free + 1);
                o.y[free++] = l[d];
            }
    };
    enter(o.a, p, axes_of_x);
    enter(o.b, q, axes_of_y);
    return contraction<R>(o, std::forward<X>(x), std::forward<Y>(y));
}
}
// Σ over the given axes of a and, in the same order, of b; the result has the other axes of a and then those of b. Throws std::invalid_argument for an axis
// that is not there or is given twice, and where the sizes differ; more axes than there are, are refused (E098).
template <std::size_t N, algebraic A, algebraic B>
auto tensordot(A&& a, B&& b, std::array<std::ptrdiff_t, N> const& axes_of_a, std::array<std::ptrdiff_t, N> const& axes_of_b) {
    return detail::algebra(
        [&]<class X, class Y>(X&& x, Y&& y) {
            constexpr int P = detail::operand_rank<X>, Q = detail::operand_rank<Y>, S = static_cast<int>(N);
            static_assert(P == dynamic_rank || Q == dynamic_rank || (P >= S && Q >= S),
                          "xgrad[E098]: tensordot(a, b, axes) requires as many axes of a as of b, and no more than they have: give fewer");
            constexpr int R = P == dynamic_rank || Q == dynamic_rank ? dynamic_rank : P + Q - 2 * S;
            return detail::tensordot_over<R>(axes_of_a, axes_of_b, std::forward<X>(x), std::forward<Y>(y));
        },
        std::forward<A>(a), std::forward<B>(b));
}
// How many axes there are is known when the program runs: the result has a dynamic number of axes, and more than there are throw std::invalid_argument.
template <algebraic A, algebraic B>
auto tensordot(A&& a, B&& b, std::vector<std::size_t> const& axes_of_a, std::vector<std::size_t> const& axes_of_b) {
    std::vector<std::ptrdiff_t> const left(axes_of_a.begin(), axes_of_a.end()), right(axes_of_b.begin(), axes_of_b.end());
    return detail::algebra(
        [&]<class X, class Y>(X&& x, Y&& y) { return detail::tensordot_over<dynamic_rank>(left, right, std::forward<X>(x), std::forward<Y>(y)); },
        std::forward<A>(a), std::forward<B>(b));
}
template <algebraic A, algebraic B>
auto tensordot(A&& a, B&& b, std::size_t last) {
    std::vector<std::size_t> left(last), right(last);
    std::size_t const rank = static_cast<std::size_t>(detail::rank_at_run_time(a));
    for (std::size_t k = 0; k < last; ++k) left[k] = std::max(rank, last) - last + k, right[k] = k;
    return xgrad::tensordot(std::forward<A>(a), std::forward<B>(b), left, right);
}
// With both lists of axes in braces: tensordot(a, b, {1, 2}, {0, 1}).
template <algebraic A, algebraic B, class I, std::size_t N>
auto tensordot(A&& a, B&& b, I const (&axes_of_a)[N], I const (&axes_of_b)[N]) {
    std::array<std::ptrdiff_t, N> left{}, right{};
    std::copy(axes_of_a, axes_of_a + N, left.begin());
    std::copy(axes_of_b, axes_of_b + N, right.begin());
    return tensordot<N>(std::forward<A>(a), std::forward<B>(b), left, right);
}
// Over the last N axes of a and the first N of b; the errors are the same.
template <std::size_t N = 2, algebraic A, algebraic B>
auto tensordot(A&& a, B&& b) {
    std::array<std::ptrdiff_t, N> last{}, first{};
    for (std::size_t k = 0; k < N; ++k) {
        last[k] = static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(N);
        first[k] = static_cast<std::ptrdiff_t>(k);
    }
    return tensordot<N>(std::forward<A>(a), std::forward<B>(b), last, first);
}

namespace detail {

// One operand: its axes in the order of the result, repeated ones along their diagonal, and then the sum over those that are left. R and D are the ranks of
// both.
template <int R, int D, class X>
auto einsum_of_one(linalg::einsum_plan const& plan, X&& x) {
    auto const& given = plan.operand(0);
    auto all = plan.result();
    for (int d = 0; d < given.count; ++d)
        if (all.times(given[d]) == 0) all.append(given[d]);
    auto seen = restride<D>(std::forward<X>(x), [&](auto const& from, auto const& steps, auto& s, auto& t, std::ptrdiff_t&) {
        bool fits = from.rank() == given.count;
        s.set_rank(all.count);
        t.set_rank(all.count);
        for (int k = 0; k < all.count; ++k) {
            bool first = true;
            for (int d = 0; d < given.count && fits; ++d) {
                if (given[d] != all[k]) continue;
                fits = first || s[k] == from[d];
                s[k] = from[d];
                t[k] = (first ? 0 : t[k]) + steps[d];
                first = false;
            }
        }
        if (!fits)
            throw std::invalid_argument("xgrad[E203]: einsum(labels, x) requires an x with an axis for each letter, of one size where a letter stands twice, "
                                        "found " + to_string(from) + ": transpose or reshape it");
    });
    if constexpr (R == dynamic_rank) {
        std::vector<std::size_t> rest;
        for (int k = plan.result().count; k < all.count; ++k) rest.push_back(static_cast<std::size_t>(k));
        return sum(std::move(seen), rest);
    } else if constexpr (R == D) return seen;
    else if constexpr (R == 0) return sum(std::move(seen));
    else {
        std::array<std::size_t, static_cast<std::size_t>(D - R)> rest{};
        for (int k = R; k < D; ++k) rest[static_cast<std::size_t>(k - R)] = static_cast<std::size_t>(k);
        return sum(std::move(seen), rest);
    }
}
// What is left of the first K operands times the next one, and so on.
template <int R, class A, class B>
auto einsum_of_two(char const* call, bool broadcasts, linalg::axis_letters const& p, linalg::axis_letters const& q, linalg::axis_letters const& r, A&& a,
                   B&& b) {
    return algebra(
        [&]<class X, class Y>(X&& x, Y&& y) {
            op::contraction<rank_c<R>> o{{}, {}, {}, broadcasts, call};
            linalg::number_letters(p, q, r, o.a, o.b, o.y);
            return contraction<R>(o, std::forward<X>(x), std::forward<Y>(y));
        },
        std::forward<A>(a), std::forward<B>(b));
}
template <linalg::einsum_labels L, class Ranks, int K, class A, class B, class... C>
auto einsum_step(A&& a, B&& b, C&&... c) {
    static constexpr auto plan = L.plan(Ranks{});
    static constexpr auto left = plan.before(K), right = plan.operand(K), result = plan.before(K + 1);
    char const* const call = sizeof...(C) == 0 && K == 1 ? "einsum(labels, a, b)" : "einsum(labels, x...)";
    auto y = einsum_of_two<result.count>(call, plan.has_ellipsis(), left, right, result, std::forward<A>(a), std::forward<B>(b));
    if constexpr (sizeof...(C) == 0) return y;
    else return einsum_step<L, Ranks, K + 1>(std::move(y), std::forward<C>(c)...);
}
template <class A, class B, class... C>
auto einsum_step(linalg::einsum_plan const& plan, int k, A&& a, B&& b, C&&... c) {
    char const* const call = sizeof...(C) == 0 && k == 1 ? "einsum(labels, a, b)" : "einsum(labels, x...)";
    auto y = einsum_of_two<dynamic_rank>(call, plan.has_ellipsis(), plan.before(k), plan.operand(k), plan.before(k + 1), std::forward<A>(a),
                                         std::forward<B>(b));
    if constexpr (sizeof...(C) == 0) return y;
    else return einsum_step(plan, k + 1, std::move(y), std::forward<C>(c)...);
}
// An ellipsis asks for the ranks of the operands: those that only the call knows are asked for there.
template <linalg::einsum_labels L, class... E>
inline constexpr bool einsum_at_run_time = L.has_ellipsis() && ((operand_rank<E> == dynamic_rank) || ...);
template <linalg::einsum_labels L, class... E>
using einsum_ranks = std::conditional_t<L.has_ellipsis(), std::integer_sequence<int, operand_rank<E>...>, std::integer_sequence<int>>;

}

// The sum of products that the labels say, as in NumPy: einsum<"bij,bjk->bik">(a, b); einsum("ij,j->i", a, b) gives an array of dynamic rank. Of one operand a
// trace "ii->", a diagonal "ii->i", a transposition "ij->ji" or a sum "ij->i": the first three are parts of its memory. Several are multiplied from left to
// right, each letter summed over as soon as nothing behind asks for it: the order of operands that makes the arrays between them small is the caller's. An
// ellipsis stands for all axes that an operand has beside its letters, einsum<"...ij,...jk->...ik">(a, b), and then axes of one element broadcast. Labels
// that do not fit the operands are refused (E099, E110), or, where only the call knows them, throw std::invalid_argument, as sizes that differ do.
template <algebraic A>
auto einsum(char const* labels, A&& a) {
    int const ranks[] = {detail::rank_at_run_time(a)};
    auto const plan = linalg::read_einsum(labels, 1, ranks);
    return detail::algebra([&]<class X>(X&& x) { return detail::einsum_of_one<dynamic_rank, dynamic_rank>(plan, std::forward<X>(x)); }, std::forward<A>(a));
}
template <algebraic A, algebraic B, algebraic... C>
auto einsum(char const* labels, A&& a, B&& b, C&&... c) {
    int const ranks[] = {detail::rank_at_run_time(a), detail::rank_at_run_time(b), detail::rank_at_run_time(c)...};
    return detail::einsum_step(linalg::read_einsum(labels, 2 + static_cast<int>(sizeof...(C)), ranks), 1, std::forward<A>(a), std::forward<B>(b),
                               std::forward<C>(c)...);
}
template <linalg::einsum_labels L, algebraic A, algebraic B>
auto einsum(A&& a, B&& b) {
    if constexpr (detail::einsum_at_run_time<L, A, B>) return einsum(L.text, std::forward<A>(a), std::forward<B>(b));
    else {
        using ranks = detail::einsum_ranks<L, A, B>;
        static_assert(
            L.plan(ranks{}).is_for(2),
            "xgrad[E099]: einsum<labels>(a, b) requires labels of two operands and a result, each of whose letters stands in one of them: write them like "
            "\"ij,jk->ik\"");
        if constexpr (L.plan(ranks{}).is_for(2)) return detail::einsum_step<L, ranks, 1>(std::forward<A>(a), std::forward<B>(b));
    }
}
template <linalg::einsum_labels L, algebraic A>
auto einsum(A&& a) {
    if constexpr (detail::einsum_at_run_time<L, A>) return einsum(L.text, std::forward<A>(a));
    else {
        using ranks = detail::einsum_ranks<L, A>;
        constexpr bool fits = L.plan(ranks{}).is_for(1);
        static_assert(
            fits,
            "xgrad[E110]: einsum<labels>(x...) requires labels of as many operands as there are and of a result, each of whose letters stands in one of them: "
            "write them like \"ij,jk,kl->il\"");
        if constexpr (fits) {
            return detail::algebra(
                []<class X>(X&& x) {
                    static constexpr auto plan = L.plan(ranks{});
                    constexpr int rank = plan.result().count;
                    constexpr int distinct = [] {
                        auto all = plan.result();
                        for (int d = 0; d < plan.operand(0).count; ++d)
                            if (all.times(plan.operand(0)[d]) == 0) all.append(plan.operand(0)[d]);
                        return all.count;
                    }();
                    return detail::einsum_of_one<rank, distinct>(plan, std::forward<X>(x));
                },
                std::forward<A>(a));
        }
    }
}
template <linalg::einsum_labels L, algebraic A, algebraic B, algebraic... C>
    requires(sizeof...(C) > 0)
auto einsum(A&& a, B&& b, C&&... c) {
    if constexpr (detail::einsum_at_run_time<L, A, B, C...>) return einsum(L.text, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c)...);
    else {
        using ranks = detail::einsum_ranks<L, A, B, C...>;
        constexpr bool fits = L.plan(ranks{}).is_for(2 + static_cast<int>(sizeof...(C)));
        static_assert(
            fits,
            "xgrad[E110]: einsum<labels>(x...) requires labels of as many operands as there are and of a result, each of whose letters stands in one of them: "
            "write them like \"ij,jk,kl->il\"");
        if constexpr (fits) return detail::einsum_step<L, ranks, 1>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c)...);
    }
}

}
