// Defines the functions that give an active array another shape: reshape, squeeze, flip, roll, tile, concatenate and the like.
// Where strides allow it the result is a part of the same memory, otherwise an operation that moves elements.
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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/array_operation.hpp>
#include <xgrad/choice.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/ruleset/join.hpp>
#include <xgrad/ruleset/shape.hpp>
#include <xgrad/view.hpp>

// Its enumerators are in xtensor's own header, which costs those who pad.
namespace xt {
enum class pad_mode;
}

namespace xgrad {

namespace detail {

template <class I>
concept other_integer = std::integral<I> && !std::same_as<I, std::size_t>;

// How many extents a list has, or dynamic_rank.
template <class S>
inline constexpr int length_of_list = [] {
    if constexpr (std::integral<S>) return 1;
    else if constexpr (std::is_array_v<S>) return static_cast<int>(std::extent_v<S>);
    else if constexpr (requires { std::tuple_size<S>::value; }) return static_cast<int>(std::tuple_size<S>::value);
    else return dynamic_rank;
}();
template <class S>
auto listed(S const& list) {
    extents<length_of_list<S>, std::ptrdiff_t> s{};
    if constexpr (std::integral<S>) s[0] = static_cast<std::ptrdiff_t>(list);
    else {
        s.set_rank(static_cast<int>(std::distance(std::begin(list), std::end(list))));
        std::transform(std::begin(list), std::end(list), s.n.begin(), [](auto n) { return static_cast<std::ptrdiff_t>(n); });
    }
    return s;
}
template <int R>
extents<R> as_shape(char const* call, extents<R, std::ptrdiff_t> const& list) {
    extents<R> s{};
    s.set_rank(list.rank());
    for (int d = 0; d < s.rank(); ++d) {
        if (list[d] < 0)
            throw std::invalid_argument(std::string("xgrad: ") + call + " requires a shape of extents that are not negative, found " + to_string(list));
        s[d] = static_cast<std::size_t>(list[d]);
    }
    return s;
}

// The shape of as many elements as x has, where one extent may be -1: as many as are left.
template <int R, int X>
extents<R> fill_in(char const* call, extents<R, std::ptrdiff_t> const& wanted, extents<X> const& x) {
    extents<R> s{};
    s.set_rank(wanted.rank());
    std::size_t const count = element_count(x);
    std::size_t known = 1;
    int open = -1;
    bool fits = true;
    for (int d = 0; d < wanted.rank(); ++d) {
        if (wanted[d] >= 0) known *= s[d] = static_cast<std::size_t>(wanted[d]);
        else {
            fits = fits && wanted[d] == -1 && open < 0;
            open = d;
        }
    }
    if (fits && open >= 0) {
        fits = known != 0 && count % known == 0;
        if (fits) known *= s[open] = count / known;
    }
    if (!fits || known != count)
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires a shape of as many elements as x has, found " + to_string(wanted) + " for " +
                                    to_string(x) + ": -1 may stand for one extent");
    return s;
}

// A part of rank Q of the same memory: f(x, steps, shape, strides, offset) finds the last three.
template <int Q, class E, class F>
auto restride(E&& e, F f) {
    auto const p = part_source(std::forward<E>(e));
    extents<Q> s{};
    strides<Q> t{};
    std::ptrdiff_t offset = 0;
    f(p.extent(), steps_of(p), s, t, offset);
    return make_slot_view(p, offset, s, t);
}
template <class E, int Change>
inline constexpr int rank_after = std::remove_cvref_t<E>::rank == dynamic_rank || Change == dynamic_rank ? dynamic_rank : std::remove_cvref_t<E>::rank + Change;

// The elements in row-major order with another shape: without a copy where they lie so.
template <int R, class E>
auto make_reshape(E&& e, extents<R> const& s) {
    auto const p = part_source(std::forward<E>(e));
    using P = std::remove_const_t<decltype(p)>;
    auto seen = [&] { return make_slot_view(p, 0, s, row_major_strides(s)); };
    auto copied = [&] {
        return make_slot_view(in_workspace(P(p)), 0, s, row_major_strides(s));
    };
    if constexpr (std::is_same_v<decltype(copied()), decltype(seen())>) return is_contiguous(p.extent(), steps_of(p)) ? seen() : copied();
    else return copied();
}
template <class E, class S>
auto reshape_to(char const* call, E&& e, S const& shape) {
    static_assert(std::remove_cvref_t<E>::rank != 0,
                  "xgrad[E063]: reshape(x, shape) requires an array, but x is a number: broadcast(x, shape) gives it a shape");
    auto const s = fill_in(call, listed(shape), e.extent());
    return make_reshape(std::forward<E>(e), s);
}
template <xt::layout_type L, class E>
auto make_flat(E&& e) {
    static_assert(L == xt::layout_type::row_major || L == xt::layout_type::column_major,
                  "xgrad[E064]: flatten(x) requires row-major or column-major order, but this layout is neither: leave it out");
    if constexpr (L == xt::layout_type::row_major) return reshape_to("flatten(x)", std::forward<E>(e), std::array<std::ptrdiff_t, 1>{-1});
    else return reshape_to("flatten(x)", make_transpose(std::forward<E>(e)), std::array<std::ptrdiff_t, 1>{-1});
}

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
                    throw std::invalid_argument("xgrad: squeeze(x, axes) requires axes of one element, found axis " + std::to_string(d) +
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
    auto const x = e.extent();
    std::uint32_t axes = 0;
    for (int d = 0; d < x.rank(); ++d) axes |= static_cast<std::uint32_t>(x[d] == 1) << d;
    return drop_axes<dynamic_rank>(std::forward<E>(e), axes);
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
        throw std::invalid_argument("xgrad: expand_dims(x, axis) requires a place among the axes of x, found " + std::to_string(given) +
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
    if (a == b) throw std::invalid_argument("xgrad: rot90(x, axes) requires two axes that differ, found axis " + std::to_string(a) + " twice");
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
    if (a == b) throw std::invalid_argument("xgrad: diagonal(x, k, a, b) requires two axes that differ, found axis " + std::to_string(a) + " twice");
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
        throw std::invalid_argument("xgrad: split(x, n, axis) requires an axis that n divides, found n = " + std::to_string(n) + " and axis " +
                                    std::to_string(axis) + " of an array of shape " + to_string(x));
    std::size_t const size = x[axis] / n;
    auto const& whole = keep_alive(std::forward<E>(e));
    std::vector<decltype(slice_along(whole, axis, 0, size))> parts;
    parts.reserve(n);
    for (std::size_t i = 0; i < n; ++i) parts.push_back(slice_along(whole, axis, i * size, size));
    return parts;
}

// A shape without elements, as an operand that the others broadcast to.
template <class T, class R>
struct shape_alone {
    using value_type = T;
    using lifetime = void;
    static constexpr int rank = R::value;
    static constexpr bool is_active = false, is_batch = lanes<T> != 1;
    using frame = T;
    extents<rank> shape;

    context* owner() const noexcept { return nullptr; }
    void prepare() const {}
    extents<rank> extent() const { return shape; }
    template <int S>
    layout classify(extents<S> const&) const noexcept { return layout::flat; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <layout, std::size_t W, int S>
    auto open(extents<S> const&, bool) const noexcept { return number_cursor<T, W>{pack_t<T, W>(T(0))}; }
};
template <class E, class S>
auto make_broadcast(E&& e, S const& list) {
    auto const s = as_shape("broadcast(x, shape)", listed(list));
    constexpr int R = length_of_list<S>;
    auto both = s;
    auto const x = e.extent();
    bool fits = x.rank() <= s.rank();
    for (int d = 0; fits && d < x.rank(); ++d) fits = x[d] == 1 || x[d] == s[s.rank() - x.rank() + d];
    if (!fits)
        throw std::invalid_argument("xgrad: broadcast(x, shape) requires an x that broadcasts to the shape, found " + to_string(x) + " for " + to_string(s) +
                                    ": reshape x");
    auto a = as_operand(std::forward<E>(e));
    using T = scalar_of_t<typename std::remove_cvref_t<E>::value_type>;
    return formula<op::left, decltype(a), shape_alone<T, rank_c<R>>>(std::in_place, std::move(a), shape_alone<T, rank_c<R>>{both});
}

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

// The elements on one side of a diagonal of the last two axes, as xtensor has it of the first two: 0 elsewhere, and nothing goes there.
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

// concatenate and stack
template <class... E>
concept active_among = (active<E> || ...) && ((active<E> || plain_array<E> || plain_number<std::remove_cvref_t<E>>) && ...);
template <class E>
std::ptrdiff_t dimension_of(E const& e) { return static_cast<std::ptrdiff_t>(e.dimension()); }
template <bool New, class... E>
auto make_join(char const* call, std::tuple<E...>& t, std::ptrdiff_t given) {
    std::ptrdiff_t const n = dimension_of(std::get<0>(t)) + New;
    if (given < -n || given >= n)
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires an axis of its result, found axis " + std::to_string(given) + " of " +
                                    std::to_string(n));
    int const axis = static_cast<int>(given < 0 ? given + n : given);
    return std::apply([&](auto&... e) { return array_operation(op::join<New>{axis}, static_cast<E&&>(e)...); }, t);
}
// As xtensor has it, of arrays of one dimension the first is the only axis.
template <class... E>
auto make_hstack(std::tuple<E...>& t) {
    auto const axis = dimension_of(std::get<0>(t)) > 1 ? 1 : 0;
    return make_join<false>("hstack(xtuple(a, b, ...))", t, axis);
}
template <class... E>
auto make_vstack(std::tuple<E...>& t) {
    constexpr int R = [] {
        using F = std::remove_cvref_t<std::tuple_element_t<0, std::tuple<E...>>>;
        if constexpr (active<F>) return F::rank;
        else return rank_of<F>;
    }();
    if constexpr (R == 1) return make_join<true>("vstack(xtuple(a, b, ...))", t, 0);
    else {
        if (dimension_of(std::get<0>(t)) < 2)
            throw std::invalid_argument(
                "xgrad: vstack(xtuple(a, b, ...)) requires a static number of dimensions for lines (xt::xtensor<T, 1>), found lines of a dynamic one: take "
                "stack");
        return make_join<false>("vstack(xtuple(a, b, ...))", t, 0);
    }
}

template <class E>
std::size_t length_of(E const& e) {
    if (e.dimension() != 1)
        throw std::invalid_argument("xgrad: meshgrid(a, b, ...) requires lines, found an array of " + std::to_string(e.dimension()) + " dimensions");
    return e.shape()[0];
}
template <std::size_t I, std::size_t N, class E>
auto make_mesh(E const& e, std::array<std::size_t, N> const& shape) {
    auto const laid = lay_along<static_cast<int>(N)>(e, static_cast<int>(I), static_cast<int>(N));
    if constexpr (active<E>) return make_broadcast(laid, shape);
    else return xt::xtensor<typename E::value_type, N>(xt::broadcast(laid, shape));
}

}

// reshape(x, shape): the elements in row-major order; one extent may be -1. A part of x, unless x is itself no part in this order: then one copy.
#define XGRAD_DETAIL_SHAPE(NAME, F)                                     \
    XGRAD_DETAIL_ACTIVE(NAME, (auto const& shape), F)                   \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), NAME, (I const (&shape)[N]), F)
XGRAD_DETAIL_SHAPE(reshape, detail::reshape_to("reshape(x, shape)", XGRAD_DETAIL_E, shape))
XGRAD_DETAIL_ACTIVE(reshape_view, (auto&& shape), detail::reshape_to("reshape_view(x, shape)", XGRAD_DETAIL_E, shape))
XGRAD_DETAIL_ACTIVE(reshape_view, (auto&& shape, xt::layout_type), detail::reshape_to("reshape_view(x, shape)", XGRAD_DETAIL_E, shape))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), reshape_view, (I const (&shape)[N], xt::layout_type),
                             detail::reshape_to("reshape_view(x, shape)", XGRAD_DETAIL_E, shape))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), reshape_view, (I const (&shape)[N]), detail::reshape_to("reshape_view(x, shape)", XGRAD_DETAIL_E, shape))
XGRAD_DETAIL_ACTIVE_TEMPLATE((xt::layout_type L = xt::layout_type::row_major), ravel, (), detail::make_flat<L>(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE_TEMPLATE((xt::layout_type L = xt::layout_type::row_major), flatten, (), detail::make_flat<L>(XGRAD_DETAIL_E))
// broadcast(x, shape): in expressions nothing is repeated in memory.
XGRAD_DETAIL_SHAPE(broadcast, detail::make_broadcast(XGRAD_DETAIL_E, shape))

// Axes: those of one element go or come, and all may be exchanged, turned round or moved.
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

// Elements that move, repeat, or stand among constants.
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
// pad(x, widths, mode, value): {{before, behind}, ...} for each axis, {before, behind} or one width for all. The modes are xt::pad_mode's (xtensor/xpad.hpp);
// without one, constant.
XGRAD_DETAIL_ACTIVE_TEMPLATE((class S = std::size_t), pad, (std::vector<std::vector<S>> const& widths, xt::pad_mode mode = {}, double value = 0),
                             detail::make_pad(XGRAD_DETAIL_E, widths, mode, value))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class S = std::size_t), pad, (std::vector<S> const& widths, xt::pad_mode mode = {}, double value = 0),
                             detail::make_pad(XGRAD_DETAIL_E, widths, mode, value))
XGRAD_DETAIL_ACTIVE(pad, (std::integral auto width, xt::pad_mode mode = {}, double value = 0), detail::make_pad(XGRAD_DETAIL_E, width, mode, value))
XGRAD_DETAIL_ACTIVE(tril, (int k = 0), detail::make_triangle<true>(XGRAD_DETAIL_E, k))
XGRAD_DETAIL_ACTIVE(triu, (int k = 0), detail::make_triangle<false>(XGRAD_DETAIL_E, k))
XGRAD_DETAIL_ACTIVE(diag, (int k = 0), detail::make_diag(XGRAD_DETAIL_E, k))

// concatenate(xt::xtuple(a, b, ...), axis): active and plain arrays beside each other. The heads equal xtensor's, so being constrained they win.
template <class... E>
    requires detail::active_among<E...>
auto concatenate(std::tuple<E...>&& t, std::size_t axis = 0) {
    return detail::make_join<false>("concatenate(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(axis));
}
template <std::size_t Axis, class... E>
    requires detail::active_among<E...>
auto concatenate(std::tuple<E...>&& t) { return detail::make_join<false>("concatenate(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(Axis)); }
template <class... E>
    requires detail::active_among<E...>
auto stack(std::tuple<E...>&& t, std::size_t axis = 0) {
    return detail::make_join<true>("stack(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(axis));
}
template <class... E>
    requires detail::active_among<E...>
auto hstack(std::tuple<E...>&& t) { return detail::make_hstack(t); }
template <class... E>
    requires detail::active_among<E...>
auto vstack(std::tuple<E...>&& t) { return detail::make_vstack(t); }
// Lines as the arrays of a grid, of which each changes along its own axis.
template <class... E>
    requires detail::active_among<E...>
auto meshgrid(E&&... e) {
    std::array<std::size_t, sizeof...(E)> const shape{detail::length_of(e)...};
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::make_tuple(detail::make_mesh<I>(detail::keep_alive(std::forward<E>(e)), shape)...);
    }(std::index_sequence_for<E...>{});
}
#undef XGRAD_DETAIL_SHAPE

}

namespace xt {
using xgrad::atleast_1d, xgrad::atleast_2d, xgrad::atleast_3d, xgrad::broadcast, xgrad::concatenate, xgrad::diag, xgrad::diagonal, xgrad::expand_dims,
    xgrad::flatten, xgrad::flip, xgrad::hsplit, xgrad::hstack, xgrad::meshgrid, xgrad::pad, xgrad::ravel, xgrad::repeat, xgrad::reshape_view, xgrad::roll,
    xgrad::rot90, xgrad::split, xgrad::squeeze, xgrad::stack, xgrad::tile, xgrad::tril, xgrad::triu, xgrad::vsplit, xgrad::vstack;
}
namespace xgrad {
using xt::atleast_1d, xt::atleast_2d, xt::atleast_3d, xt::broadcast, xt::concatenate, xt::diag, xt::diagonal, xt::expand_dims, xt::flatten, xt::flip,
    xt::hsplit, xt::hstack, xt::meshgrid, xt::pad, xt::ravel, xt::repeat, xt::reshape_view, xt::roll, xt::rot90, xt::split, xt::squeeze, xt::stack, xt::tile,
    xt::tril, xt::triu, xt::vsplit, xt::vstack;
}
