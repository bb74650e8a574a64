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
#include <xgrad/ruleset/pick.hpp>

namespace xgrad {

namespace detail {

// y[i, j, ...] = x[p[i], q[j], ...] of this shape; runs(d, give) calls give(first, n, step) for each run of places along axis d (ruleset/pick.hpp), those of
// no place, too.
template <class E, int R, class F>
auto make_pick(E&& e, extents<R> const& shape, bool is_permutation, double fill, F runs) {
    require_room("a copy of elements (pad, repeat, tile)", shape);
    op::pick<rank_c<R>> pick{shape, shape, is_permutation, fill};
    std::size_t total = 0;
    for (int d = 0; d < shape.rank(); ++d) {
        pick.runs[d] = 0;
        runs(d, [&](std::ptrdiff_t, std::ptrdiff_t n, std::ptrdiff_t) { pick.runs[d] += n > 0; });
        total += pick.runs[d];
    }
    auto list = written_index_operand(owner_or_none(e), extents<1>{{3 * total}}, [&](std::ptrdiff_t* p) {
        for (int d = 0; d < shape.rank(); ++d)
            runs(d, [&](std::ptrdiff_t first, std::ptrdiff_t n, std::ptrdiff_t step) {
                if (n <= 0) return;
                for (std::ptrdiff_t const v : {first, n, step}) *p++ = v;
            });
    });
    return array_operation(pick, std::forward<E>(e), std::move(list));
}
// Gives the places place(i) for begin <= i < end as runs that go up, down or stay where they are.
template <class F, class G>
void give_runs(std::ptrdiff_t begin, std::ptrdiff_t end, F place, G const& give) {
    while (begin < end) {
        auto const first = place(begin), step = begin + 1 < end ? place(begin + 1) - first : 0;
        std::ptrdiff_t n = 1;
        if (step >= -1 && step <= 1)
            while (begin + n < end && place(begin + n) == first + n * step) ++n;
        give(first, n, step);
        begin += n;
    }
}
inline std::ptrdiff_t wrapped(std::ptrdiff_t i, std::ptrdiff_t n) {
    std::ptrdiff_t const r = i % n;
    return r < 0 ? r + n : r;
}
template <class E>
auto roll_axis(E&& e, std::ptrdiff_t shift, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("roll(x, shift, axis)", given, x);
    return make_pick(std::forward<E>(e), x, true, 0, [=](int d, auto const& give) {
        auto const n = static_cast<std::ptrdiff_t>(x[d]), moved = d == axis && n > 0 ? wrapped(shift, n) : 0;
        give(n - moved, moved, 1);
        give(0, n - moved, 1);
    });
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
        throw std::invalid_argument("xgrad[E207]: tile(x, reps) requires a number of repetitions for each axis, or one for the first, found " +
                                    to_string(given) + " for an array of shape " + to_string(x));
    auto s = x;
    for (int d = 0; d < given.rank(); ++d) s[d] = checked_product(s[d], static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, given[d])));
    return make_pick(std::forward<E>(e), s, false, 0, [=](int d, auto const& give) {
        for (std::size_t i = 0; i < s[d]; i += x[d]) give(0, static_cast<std::ptrdiff_t>(x[d]), 1);
    });
}
template <class E, class N>
auto make_repeat(E&& e, N const& repeats, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("repeat(x, repeats, axis)", given, x);
    auto const count = [&](std::size_t i) {
        if constexpr (std::integral<N>) return static_cast<std::ptrdiff_t>(repeats);
        else return static_cast<std::ptrdiff_t>(repeats[i]);
    };
    if constexpr (!std::integral<N>)
        if (std::size(repeats) != x[axis])
            throw std::invalid_argument("xgrad[E207]: repeat(x, repeats, axis) requires a number for each element along the axis, found " +
                                        std::to_string(std::size(repeats)) + " for axis " + std::to_string(axis) + " of an array of shape " + to_string(x));
    auto s = x;
    s[axis] = 0;
    for (std::size_t i = 0; i < x[axis]; ++i) s[axis] = checked_sum(s[axis], static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, count(i))));
    return make_pick(std::forward<E>(e), s, false, 0, [&](int d, auto const& give) {
        if (d != axis) return give(0, static_cast<std::ptrdiff_t>(x[d]), 1);
        for (std::size_t i = 0; i < x[d]; ++i) give(static_cast<std::ptrdiff_t>(i), count(i), 0);
    });
}

enum class padding { constant, symmetric, reflect, wrap, periodic };
// The widths before and behind each axis, and for how many axes they were given.
template <int R>
struct pad_widths {
    strides<R> before, behind;
    std::size_t count;
};
template <int R, class W>
pad_widths<R> widths_of(extents<R> const& x, W const& width) {
    pad_widths<R> r{};
    r.before.set_rank(x.rank());
    r.behind.set_rank(x.rank());
    auto const set = [&](std::size_t d, auto const& before, auto const& behind) {
        if (d >= static_cast<std::size_t>(x.rank())) return;
        r.before[static_cast<int>(d)] = static_cast<std::ptrdiff_t>(before);
        r.behind[static_cast<int>(d)] = static_cast<std::ptrdiff_t>(behind);
    };
    auto const set_pair = [&](std::size_t d, auto const& list) {
        auto it = std::begin(list);
        auto const& before = *it;
        set(d, before, std::next(it) == std::end(list) ? before : *std::next(it));
    };
    r.count = static_cast<std::size_t>(x.rank());
    if constexpr (requires { std::begin(*std::begin(width)); }) {
        r.count = std::size(width);
        std::size_t d = 0;
        for (auto const& w : width) set_pair(d++, w);
    } else
        for (std::size_t d = 0; d < r.count; ++d) {
            if constexpr (std::integral<W>) set(d, width, width);
            else set_pair(d, width);
        }
    return r;
}

template <class E, class W>
auto make_pad(E&& e, W const& widths, xt::pad_mode given, double fill) {
    auto const x = e.extent();
    auto const width = widths_of(x, widths);
    auto const mode = static_cast<padding>(given);
    if (width.count != static_cast<std::size_t>(x.rank()))
        throw std::invalid_argument("xgrad[E207]: pad(x, widths) requires a pair of widths for each axis, found " + std::to_string(width.count) +
                                    " for an array of shape " + to_string(x));
    auto s = x;
    for (int d = 0; d < x.rank(); ++d) {
        if (width.before[d] < 0 || width.behind[d] < 0)
            throw std::invalid_argument("xgrad[E207]: pad(x, widths) requires widths that are not negative, found one for an array of shape " + to_string(x));
        s[d] = checked_sum(s[d], checked_sum(static_cast<std::size_t>(width.before[d]), static_cast<std::size_t>(width.behind[d])));
        if (x[d] == 0 && s[d] != 0 && mode != padding::constant)
            throw std::invalid_argument("xgrad[E206]: pad(x, widths, mode) requires elements to repeat, found an array of shape " + to_string(x));
    }
    return make_pick(std::forward<E>(e), s, mode == padding::constant, fill, [&](int d, auto const& give) {
        auto const n = static_cast<std::ptrdiff_t>(x[d]);
        if (mode == padding::constant) {
            give(-1, width.before[d], 0);
            give(0, n, 1);
            give(-1, width.behind[d], 0);
            return;
        }
        auto const place = [&](std::ptrdiff_t i) {
            if (mode == padding::wrap || mode == padding::periodic) return wrapped(i, n);
            // there and back again: with the last element twice, or once
            std::ptrdiff_t const period = mode == padding::symmetric ? 2 * n : std::max<std::ptrdiff_t>(1, 2 * n - 2), j = wrapped(i, period);
            return j < n ? j : mode == padding::symmetric ? period - 1 - j : period - j;
        };
        give_runs(-width.before[d], 0, place, give);
        give(0, n, 1);
        give_runs(n, n + width.behind[d], place, give);
    });
}

// The elements on one side of a diagonal of a matrix: 0 elsewhere, and nothing goes there.
template <bool Lower, class E>
auto make_triangle(E&& e, std::ptrdiff_t k) {
    static_assert(std::remove_cvref_t<E>::rank == dynamic_rank || std::remove_cvref_t<E>::rank == 2,
                  "xgrad[E066]: tril(x) and triu(x) require a matrix, but x has other dimensions: take them of its parts");
    auto const x = e.extent();
    if (x.rank() != 2) throw std::invalid_argument("xgrad[E203]: tril(x) and triu(x) require a matrix, found an array of shape " + to_string(x));
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
    if (x.rank() != 1) throw std::invalid_argument("xgrad[E203]: diag(x) requires a line, found an array of shape " + to_string(x));
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
// xt::pad_mode's; without one, constant. Throws std::invalid_argument where there is not a pair for each axis, for negative widths, and
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
