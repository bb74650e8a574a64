// Defines the functions that add, drop, exchange, move and turn the axes of an active array, or part it along one: squeeze, swapaxes, flip, split and the like.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <xgrad/reshape.hpp>
#include <xgrad/scope/call/keep_alive.hpp>

namespace xgrad {

namespace detail {

// The axes of these bits, of one element each, go.
template <int Q, class E>
auto drop_axes(E&& e, std::uint32_t axes) {
    return restride<Q>(std::forward<E>(e), [&](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t&) {
        int left = 0;
        for (int d = 0; d < x.rank(); ++d) left += !(axes >> d & 1u);
        s.set_rank(left);
        t.set_rank(left);
        int k = 0;
        for (int d = 0; d < x.rank(); ++d) {
            if (axes >> d & 1u) {
                if (x[d] != 1)
                    throw std::invalid_argument("xgrad[E205]: squeeze(x, axes) requires axes of one element, found axis " + std::to_string(d) +
                                                " of an array of shape " + to_string(x));
                continue;
            }
            s[k] = x[d];
            t[k++] = step[d];
        }
    });
}
template <class E>
auto squeeze_all(E&& e) {
    if constexpr (std::remove_cvref_t<E>::rank == 0) return std::remove_cvref_t<E>(std::forward<E>(e));
    else {
        auto const x = e.extent();
        std::uint32_t axes = 0;
        for (int d = 0; d < x.rank(); ++d) axes |= static_cast<std::uint32_t>(x[d] == 1) << d;
        return drop_axes<dynamic_rank>(std::forward<E>(e), axes);
    }
}
template <class E, class S>
auto squeeze_axes(E&& e, S const& list) {
    constexpr int N = length_of_list<S>;
    std::uint32_t const bits = axis_bits("squeeze(x, axes)", listed(list), e.extent());
    return drop_axes<rank_after<E, N == dynamic_rank ? dynamic_rank : -N>>(std::forward<E>(e), bits);
}
// New axes of one element: `before` in front of the axis, and others behind, so that there are `rank` in all.
template <int Q, class E>
auto add_axes(E&& e, int front, int axis, int rank) {
    return restride<Q>(std::forward<E>(e), [&](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t&) {
        s.set_rank(rank);
        t.set_rank(rank);
        for (int d = 0; d < rank; ++d) s[d] = 1;
        for (int d = 0; d < x.rank(); ++d) {
            int const k = d < axis ? d : d + front;
            s[k] = x[d];
            t[k] = step[d];
        }
    });
}
template <class E>
auto make_expand_dims(E&& e, std::ptrdiff_t given) {
    int const r = e.extent().rank();
    if (given < -r - 1 || given > r)
        throw std::invalid_argument("xgrad[E205]: expand_dims(x, axis) requires a place among the axes of x, found " + std::to_string(given) +
                                    " for an array of shape " + to_string(e.extent()));
    return add_axes<rank_after<E, 1>>(std::forward<E>(e), 1, static_cast<int>(given < 0 ? given + r + 1 : given), r + 1);
}
template <int N, class E>
auto make_atleast(E&& e) {
    constexpr int X = std::remove_cvref_t<E>::rank;
    int const r = e.extent().rank(), missing = r < N ? N - r : 0;
    // as in xtensor and NumPy: of the missing axes the first half stands in front, rounded up
    int const front = missing == 0 ? 0 : (2 * missing + N) / (2 * N);
    return add_axes<X == dynamic_rank ? dynamic_rank : std::max(X, N)>(std::forward<E>(e), front, 0, std::max(r, N));
}

// Axis d of the result is axis order(d) of x.
template <class E, class F>
auto reorder_axes(E&& e, F order) {
    constexpr int X = std::remove_cvref_t<E>::rank;
    return restride<X>(std::forward<E>(e), [&](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t&) {
        s.set_rank(x.rank());
        t.set_rank(x.rank());
        for (int d = 0; d < x.rank(); ++d) {
            s[d] = x[order(d)];
            t[d] = step[order(d)];
        }
    });
}
template <class E>
auto make_swapaxes(E&& e, std::ptrdiff_t first, std::ptrdiff_t second) {
    auto const x = e.extent();
    int const a = checked_axis("swapaxes(x, a, b)", first, x), b = checked_axis("swapaxes(x, a, b)", second, x);
    return reorder_axes(std::forward<E>(e), [=](int d) { return d == a ? b : d == b ? a : d; });
}
template <class E>
auto make_moveaxis(E&& e, std::ptrdiff_t source, std::ptrdiff_t destination) {
    auto const x = e.extent();
    int const from = checked_axis("moveaxis(x, from, to)", source, x), to = checked_axis("moveaxis(x, from, to)", destination, x);
    return reorder_axes(std::forward<E>(e), [=](int d) {
        return d == to ? from : d < std::min(from, to) || d > std::max(from, to) ? d : from < to ? d + 1 : d - 1;
    });
}
// The axes of these bits run backwards.
template <class E>
auto make_flip(E&& e, std::uint32_t axes) {
    constexpr int X = std::remove_cvref_t<E>::rank;
    return restride<X>(std::forward<E>(e), [&](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t& offset) {
        s = x;
        t = step;
        for (int d = 0; d < x.rank(); ++d)
            if (axes >> d & 1u) {
                if (x[d] != 0) offset += (static_cast<std::ptrdiff_t>(x[d]) - 1) * step[d];
                t[d] = -step[d];
            }
    });
}
template <class E>
auto flip_axis(E&& e, std::ptrdiff_t axis) {
    int const k = checked_axis("flip(x, axis)", axis, e.extent());
    return make_flip(std::forward<E>(e), 1u << k);
}
template <std::ptrdiff_t N, class E>
auto make_rot90(E&& e, std::array<std::ptrdiff_t, 2> const& axes) {
    auto const x = e.extent();
    int const a = checked_axis("rot90(x, axes)", axes[0], x), b = checked_axis("rot90(x, axes)", axes[1], x);
    if (a == b) throw std::invalid_argument("xgrad[E205]: rot90(x, axes) requires two axes that differ, found axis " + std::to_string(a) + " twice");
    constexpr std::ptrdiff_t n = (4 + N % 4) % 4;
    // a quarter: the second axis backwards, then both exchanged; three quarters: the first one
    auto turned = make_flip(std::forward<E>(e), n == 0 ? 0 : n == 2 ? 1u << a | 1u << b : n == 1 ? 1u << b : 1u << a);
    return make_swapaxes(turned, a, n % 2 == 1 ? b : a);
}
template <class E>
auto make_diagonal(E&& e, std::ptrdiff_t k, std::ptrdiff_t first, std::ptrdiff_t second) {
    static_assert(std::remove_cvref_t<E>::rank == dynamic_rank || std::remove_cvref_t<E>::rank >= 2,
                  "xgrad[E065]: diagonal(x) requires an array of at least 2 dimensions, but x has less: diag(x) makes a matrix of a line");
    auto const shape = e.extent();
    int const a = checked_axis("diagonal(x, k, a, b)", first, shape), b = checked_axis("diagonal(x, k, a, b)", second, shape);
    if (a == b) throw std::invalid_argument("xgrad[E205]: diagonal(x, k, a, b) requires two axes that differ, found axis " + std::to_string(a) + " twice");
    return restride<rank_after<E, -1>>(std::forward<E>(e), [&](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t& offset) {
        s.set_rank(x.rank() - 1);
        t.set_rank(x.rank() - 1);
        int i = 0;
        for (int d = 0; d < x.rank(); ++d)
            if (d != a && d != b) {
                s[i] = x[d];
                t[i++] = step[d];
            }
        auto const rows = static_cast<std::ptrdiff_t>(x[a]) - (k < 0 ? -k : 0), columns = static_cast<std::ptrdiff_t>(x[b]) - (k > 0 ? k : 0);
        auto const n = std::max<std::ptrdiff_t>(0, std::min(rows, columns));
        s[i] = static_cast<std::size_t>(n);
        t[i] = step[a] + step[b];
        if (n > 0) offset = k < 0 ? -k * step[a] : k * step[b];
    });
}
template <class E>
auto make_split(E&& e, std::size_t n, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("split(x, n, axis)", given, x);
    if (n == 0 || x[axis] % n != 0)
        throw std::invalid_argument("xgrad[E207]: split(x, n, axis) requires an axis that n divides, found n = " + std::to_string(n) + " and axis " +
                                    std::to_string(axis) + " of an array of shape " + to_string(x));
    std::size_t const size = x[axis] / n;
    auto const& whole = keep_alive(std::forward<E>(e));
    std::vector<decltype(slice_along(whole, axis, 0, size))> parts;
    parts.reserve(n);
    for (std::size_t i = 0; i < n; ++i) parts.push_back(slice_along(whole, axis, i * size, size));
    return parts;
}

}

// Parts of x, without a copy; negative axes count from the end. Each throws std::invalid_argument for an axis that x does not have, or that is given twice.
//   squeeze(x), squeeze(x, axes)        without the axes of one element, or without these; throws std::invalid_argument where one has more
//   expand_dims(x, axis)                with a new axis of one element there
//   atleast_1d atleast_2d atleast_3d    with as many axes at least, new ones on both sides as xtensor has it
//   swapaxes(x, a, b) moveaxis(x, from, to)    with two axes exchanged, or one in another place
//   flip(x), flip(x, axis)              backwards along all axes, or along one
//   rot90<N>(x, axes)                   turned N times by a quarter in the plane of two axes, which must differ
//   diagonal(x, k, a, b)                the k-th diagonal of two axes, which go, as the last axis; less than 2 dimensions are refused (E065)
//   split(x, n, axis) hsplit vsplit     a std::vector of n equal parts along an axis, 1, 0; throws std::invalid_argument where n does not divide it
XGRAD_DETAIL_ACTIVE(squeeze, (), detail::squeeze_all(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(squeeze, (std::size_t axis), detail::squeeze_axes(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(squeeze, (std::size_t axis, auto), detail::squeeze_axes(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(squeeze, (detail::other_integer auto axis), detail::squeeze_axes(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(squeeze, (detail::other_integer auto axis, auto), detail::squeeze_axes(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(squeeze, (detail::list_of_axes auto&& axes), detail::squeeze_axes(XGRAD_DETAIL_E, axes))
XGRAD_DETAIL_ACTIVE(squeeze, (detail::list_of_axes auto&& axes, auto), detail::squeeze_axes(XGRAD_DETAIL_E, axes))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), squeeze, (I const (&axes)[N]), detail::squeeze_axes(XGRAD_DETAIL_E, axes))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), squeeze, (I const (&axes)[N], auto), detail::squeeze_axes(XGRAD_DETAIL_E, axes))
XGRAD_DETAIL_ACTIVE(expand_dims, (std::size_t axis), detail::make_expand_dims(XGRAD_DETAIL_E, static_cast<std::ptrdiff_t>(axis)))
XGRAD_DETAIL_ACTIVE(atleast_1d, (), detail::make_atleast<1>(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(atleast_2d, (), detail::make_atleast<2>(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(atleast_3d, (), detail::make_atleast<3>(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(swapaxes, (std::ptrdiff_t a, std::ptrdiff_t b), detail::make_swapaxes(XGRAD_DETAIL_E, a, b))
XGRAD_DETAIL_ACTIVE(moveaxis, (std::ptrdiff_t from, std::ptrdiff_t to), detail::make_moveaxis(XGRAD_DETAIL_E, from, to))
XGRAD_DETAIL_ACTIVE(flip, (), detail::make_flip(XGRAD_DETAIL_E, ~0u))
XGRAD_DETAIL_ACTIVE(flip, (std::size_t axis), detail::flip_axis(XGRAD_DETAIL_E, static_cast<std::ptrdiff_t>(axis)))
XGRAD_DETAIL_ACTIVE_TEMPLATE((std::ptrdiff_t N = 1), rot90, (), (detail::make_rot90<N>(XGRAD_DETAIL_E, {0, 1})))
XGRAD_DETAIL_ACTIVE_TEMPLATE((std::ptrdiff_t N = 1), rot90, (std::array<std::ptrdiff_t, 2> const& axes), detail::make_rot90<N>(XGRAD_DETAIL_E, axes))
XGRAD_DETAIL_ACTIVE(diagonal, (int k = 0, std::size_t a = 0, std::size_t b = 1),
                    detail::make_diagonal(XGRAD_DETAIL_E, k, static_cast<std::ptrdiff_t>(a), static_cast<std::ptrdiff_t>(b)))
XGRAD_DETAIL_ACTIVE(split, (std::size_t n, std::size_t axis = 0), detail::make_split(XGRAD_DETAIL_E, n, static_cast<std::ptrdiff_t>(axis)))
XGRAD_DETAIL_ACTIVE(hsplit, (std::size_t n), detail::make_split(XGRAD_DETAIL_E, n, 1))
XGRAD_DETAIL_ACTIVE(vsplit, (std::size_t n), detail::make_split(XGRAD_DETAIL_E, n, 0))

}

namespace xt {
using xgrad::atleast_1d, xgrad::atleast_2d, xgrad::atleast_3d, xgrad::diagonal, xgrad::expand_dims, xgrad::flip, xgrad::hsplit, xgrad::rot90, xgrad::split,
    xgrad::squeeze, xgrad::vsplit;
}
namespace xgrad {
using xt::atleast_1d, xt::atleast_2d, xt::atleast_3d, xt::diagonal, xt::expand_dims, xt::flip, xt::hsplit, xt::rot90, xt::split, xt::squeeze, xt::vsplit;
}
