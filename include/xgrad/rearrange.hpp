// Defines the functions that move, repeat and surround the elements of an active array: roll, tile, repeat, pad; and triangles and diagonals of matrices.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/choice.hpp>
#include <xgrad/reshape.hpp>
#include <xgrad/ruleset/gather.hpp>

// Its enumerators are in xtensor's own header, which costs those who pad.
namespace xt {
enum class pad_mode;
}

namespace xgrad {

namespace detail {

// y[i, j, ...] = x[place(0, i), place(1, j), ...], and `fill` where a place is -1.
template <class E, int R, class F>
auto make_pick(E&& e, extents<R> const& shape, double fill, F place) {
    std::size_t total = 0;
    for (int d = 0; d < shape.rank(); ++d) total += shape[d];
    int d = 0;
    std::size_t begin = 0;
    auto places = index_operand(owner_or_none(e), extents<1>{{total}}, [&](std::size_t k) {
        while (k - begin == shape[d]) begin += shape[d++];
        return place(d, static_cast<std::ptrdiff_t>(k - begin));
    });
    return array_operation(op::pick<rank_c<R>>{shape, fill}, std::forward<E>(e), std::move(places));
}
inline std::ptrdiff_t wrapped(std::ptrdiff_t i, std::ptrdiff_t n) {
    std::ptrdiff_t const r = i % n;
    return r < 0 ? r + n : r;
}
template <class E>
auto roll_axis(E&& e, std::ptrdiff_t shift, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("roll(x, shift, axis)", given, x);
    return make_pick(std::forward<E>(e), x, 0,
                     [=](int d, std::ptrdiff_t i) { return d == axis ? wrapped(i - shift, static_cast<std::ptrdiff_t>(x[axis])) : i; });
}
// As one line, and then in the old shape again.
template <class E>
auto roll_all(E&& e, std::ptrdiff_t shift) {
    auto const x = e.extent();
    return make_reshape(roll_axis(make_flat<xt::layout_type::row_major>(std::forward<E>(e)), shift, 0), x);
}
template <class E, class S>
auto make_tile(E&& e, S const& list) {
    auto const x = e.extent();
    auto const given = listed(list);
    if (given.rank() > x.rank() || (given.rank() != x.rank() && !std::integral<S>))
        throw std::invalid_argument("xgrad: tile(x, reps) requires a number of repetitions for each axis, or one for the first, found " + to_string(given) +
                                    " for an array of shape " + to_string(x));
    auto s = x;
    for (int d = 0; d < given.rank(); ++d) s[d] *= static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, given[d]));
    return make_pick(std::forward<E>(e), s, 0, [=](int d, std::ptrdiff_t i) { return i % static_cast<std::ptrdiff_t>(x[d]); });
}
template <class E, class N>
auto make_repeat(E&& e, N const& repeats, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("repeat(x, repeats, axis)", given, x);
    std::vector<when_used_t<std::ptrdiff_t, E>> of_axis;
    if constexpr (std::integral<N>) {
        for (std::size_t i = 0; i < x[axis]; ++i)
            for (N k = 0; k < repeats; ++k) of_axis.push_back(static_cast<std::ptrdiff_t>(i));
    } else {
        if (std::size(repeats) != x[axis])
            throw std::invalid_argument("xgrad: repeat(x, repeats, axis) requires a number for each element along the axis, found " +
                                        std::to_string(std::size(repeats)) + " for axis " + std::to_string(axis) + " of an array of shape " + to_string(x));
        std::ptrdiff_t i = 0;
        for (auto n : repeats) {
            for (auto k = n; k > 0; --k) of_axis.push_back(i);
            ++i;
        }
    }
    auto s = x;
    s[axis] = of_axis.size();
    return make_pick(std::forward<E>(e), s, 0, [&](int d, std::ptrdiff_t i) { return d == axis ? of_axis[static_cast<std::size_t>(i)] : i; });
}

enum class padding { constant, symmetric, reflect, wrap, periodic };
template <class X, class W>
auto widths_of(X const& x, W const& width) {
    auto const pair = [](auto const& list) {
        auto it = std::begin(list);
        auto const before = static_cast<std::size_t>(*it);
        return std::array<std::size_t, 2>{before, static_cast<std::size_t>(std::next(it) == std::end(list) ? *it : *std::next(it))};
    };
    std::vector<std::array<when_used_t<std::size_t, X>, 2>> r;
    if constexpr (std::integral<W>) r.assign(static_cast<std::size_t>(x.rank()), {static_cast<std::size_t>(width), static_cast<std::size_t>(width)});
    else if constexpr (requires { std::begin(*std::begin(width)); })
        for (auto const& w : width) r.push_back(pair(w));
    else r.assign(static_cast<std::size_t>(x.rank()), pair(width));
    return r;
}

template <class E, class W>
auto make_pad(E&& e, W const& widths, xt::pad_mode given, double fill) {
    auto const x = e.extent();
    auto const width = widths_of(x, widths);
    auto const mode = static_cast<padding>(given);
    if (width.size() != static_cast<std::size_t>(x.rank()))
        throw std::invalid_argument("xgrad: pad(x, widths) requires a pair of widths for each axis, found " + std::to_string(width.size()) +
                                    " for an array of shape " + to_string(x));
    auto s = x;
    for (int d = 0; d < x.rank(); ++d) {
        auto const& w = width[static_cast<std::size_t>(d)];
        if (constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max(); w[0] > most || w[1] > most)
            throw std::invalid_argument("xgrad: pad(x, widths) requires widths that are not negative, found one for an array of shape " + to_string(x));
        s[d] += w[0] + w[1];
        if (x[d] == 0 && s[d] != 0 && mode != padding::constant)
            throw std::invalid_argument("xgrad: pad(x, widths, mode) requires elements to repeat, found an array of shape " + to_string(x));
    }
    return make_pick(std::forward<E>(e), s, fill, [&](int d, std::ptrdiff_t k) {
        auto const n = static_cast<std::ptrdiff_t>(x[d]), i = k - static_cast<std::ptrdiff_t>(width[static_cast<std::size_t>(d)][0]);
        if (i >= 0 && i < n) return i;
        if (mode == padding::constant) return std::ptrdiff_t{-1};
        if (mode == padding::wrap || mode == padding::periodic) return wrapped(i, n);
        // there and back again: with the last element twice, or once
        std::ptrdiff_t const period = mode == padding::symmetric ? 2 * n : std::max<std::ptrdiff_t>(1, 2 * n - 2), j = wrapped(i, period);
        return j < n ? j : mode == padding::symmetric ? period - 1 - j : period - j;
    });
}

// The elements on one side of a diagonal of a matrix: 0 elsewhere, and nothing goes there.
template <bool Lower, class E>
auto make_triangle(E&& e, std::ptrdiff_t k) {
    static_assert(std::remove_cvref_t<E>::rank == dynamic_rank || std::remove_cvref_t<E>::rank == 2,
                  "xgrad[E066]: tril(x) and triu(x) require a matrix, but x has other dimensions: take them of its parts");
    auto const x = e.extent();
    if (x.rank() != 2) throw std::invalid_argument("xgrad: tril(x) and triu(x) require a matrix, found an array of shape " + to_string(x));
    auto keep = primal_of_shape<bool>(x);
    for (std::size_t i = 0; i < x[0]; ++i)
        for (std::size_t j = 0; j < x[1]; ++j) {
            auto const above = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i);
            keep(i, j) = Lower ? above <= k : above >= k;
        }
    return where(keep, std::forward<E>(e), 0);
}
// The matrix that has x on its k-th diagonal.
template <class E>
auto make_diag(E&& e, std::ptrdiff_t k) {
    static_assert(std::remove_cvref_t<E>::rank == dynamic_rank || std::remove_cvref_t<E>::rank == 1,
                  "xgrad[E067]: diag(x) requires a line (1 dimension), but x has others: diagonal(x) reads one");
    using T = scalar_of_t<typename std::remove_cvref_t<E>::value_type>;
    auto const x = e.extent();
    if (x.rank() != 1) throw std::invalid_argument("xgrad: diag(x) requires a line, found an array of shape " + to_string(x));
    auto const n = x[0] + static_cast<std::size_t>(k < 0 ? -k : k);
    auto places = index_operand(owner_or_none(e), extents<1>{{x[0]}}, [&](std::size_t i) {
        auto const row = static_cast<std::ptrdiff_t>(i) + (k < 0 ? -k : 0), column = static_cast<std::ptrdiff_t>(i) + (k > 0 ? k : 0);
        return row * static_cast<std::ptrdiff_t>(n) + column;
    });
    xt::xtensor<T, 1> none = xt::zeros<T>({n * n});
    return make_reshape(array_operation(op::scatter_add{0}, std::move(none), std::move(places), std::forward<E>(e)), extents<2>{{n, n}});
}

}

// Each is a copy, and throws std::invalid_argument for an axis that x does not have.
//   roll(x, shift), roll(x, shift, axis)    elements move by `shift` places, in row-major order or along an axis, and come in again on the other side
//   tile(x, reps)                           the whole array so often along each axis, one number for the first; throws std::invalid_argument for another count
//   repeat(x, repeats, axis)                each element so often, one number for all or one for each; throws std::invalid_argument for another count
XGRAD_DETAIL_ACTIVE(roll, (std::ptrdiff_t shift), detail::roll_all(XGRAD_DETAIL_E, shift))
XGRAD_DETAIL_ACTIVE(roll, (std::ptrdiff_t shift, std::ptrdiff_t axis), detail::roll_axis(XGRAD_DETAIL_E, shift, axis))
XGRAD_DETAIL_ACTIVE(tile, (std::integral auto reps), detail::make_tile(XGRAD_DETAIL_E, reps))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class S), tile, (std::initializer_list<S> reps), detail::make_tile(XGRAD_DETAIL_E, std::vector<S>(reps)))
XGRAD_DETAIL_ACTIVE(tile, (detail::list_of_axes auto const& reps), detail::make_tile(XGRAD_DETAIL_E, reps))
XGRAD_DETAIL_ACTIVE(repeat, (std::size_t repeats, std::size_t axis), detail::make_repeat(XGRAD_DETAIL_E, repeats, static_cast<std::ptrdiff_t>(axis)))
XGRAD_DETAIL_ACTIVE(repeat, (std::vector<std::size_t> const& repeats, std::size_t axis),
                    detail::make_repeat(XGRAD_DETAIL_E, repeats, static_cast<std::ptrdiff_t>(axis)))
XGRAD_DETAIL_ACTIVE(repeat, (std::vector<std::size_t>&& repeats, std::size_t axis),
                    detail::make_repeat(XGRAD_DETAIL_E, repeats, static_cast<std::ptrdiff_t>(axis)))
// pad(x, widths, mode, value): more elements around x; {{before, behind}, ...} for each axis, {before, behind} or one width for all. The modes are
// xt::pad_mode's (xtensor/xpad.hpp); without one, constant. Throws std::invalid_argument where there is not a pair for each axis, for negative widths, and
// where x has no element that could be repeated.
XGRAD_DETAIL_ACTIVE_TEMPLATE((class S = std::size_t), pad, (std::vector<std::vector<S>> const& widths, xt::pad_mode mode = {}, double value = 0),
                             detail::make_pad(XGRAD_DETAIL_E, widths, mode, value))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class S = std::size_t), pad, (std::vector<S> const& widths, xt::pad_mode mode = {}, double value = 0),
                             detail::make_pad(XGRAD_DETAIL_E, widths, mode, value))
XGRAD_DETAIL_ACTIVE(pad, (std::integral auto width, xt::pad_mode mode = {}, double value = 0), detail::make_pad(XGRAD_DETAIL_E, width, mode, value))
// tril(x, k), triu(x, k): the matrix x with 0 above, or below, its k-th diagonal. diag(x, k): the matrix of shape (n + |k|, n + |k|) that has the line x on its
// k-th diagonal. What is no matrix (E066) and no line (E067) is refused, of dynamic rank by std::invalid_argument.
XGRAD_DETAIL_ACTIVE(tril, (int k = 0), detail::make_triangle<true>(XGRAD_DETAIL_E, k))
XGRAD_DETAIL_ACTIVE(triu, (int k = 0), detail::make_triangle<false>(XGRAD_DETAIL_E, k))
XGRAD_DETAIL_ACTIVE(diag, (int k = 0), detail::make_diag(XGRAD_DETAIL_E, k))

}

namespace xt {
using xgrad::diag, xgrad::pad, xgrad::repeat, xgrad::roll, xgrad::tile, xgrad::tril, xgrad::triu;
}
namespace xgrad {
using xt::diag, xt::pad, xt::repeat, xt::roll, xt::tile, xt::tril, xt::triu;
}
