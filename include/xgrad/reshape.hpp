// Defines reshape, flatten, ravel and broadcast of active arrays: another shape for the same elements, without a copy where strides allow it.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/choice.hpp>
#include <xgrad/ruleset/shape.hpp>
#include <xgrad/scope/operand/shape_alone.hpp>
#include <xgrad/view.hpp>

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
            throw std::invalid_argument(std::string("xgrad[E207]: ") + call + " requires a shape of extents that are not negative, found " + to_string(list));
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
        if (wanted[d] >= 0) known = checked_product(known, s[d] = static_cast<std::size_t>(wanted[d]));
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
        throw std::invalid_argument(std::string("xgrad[E207]: ") + call + " requires a shape of as many elements as x has, found " + to_string(wanted) +
                                    " for " + to_string(x) + ": -1 may stand for one extent");
    return s;
}

// A part of rank Q of the same memory: f(x, steps, shape, strides, offset) finds the last three.
template <int Q, class E, class F>
auto restride(E&& e, F f) {
    auto const p = part_source_of_place(std::forward<E>(e));
    extents<Q> s{};
    strides<Q> t{};
    std::ptrdiff_t offset = 0;
    f(p.extent(), steps_of(p), s, t, offset);
    return as_part_of(std::forward<E>(e), make_slot_view(p, offset, s, t));
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

template <class E, class S>
auto make_broadcast(E&& e, S const& list) {
    auto const s = as_shape("broadcast(x, shape)", listed(list));
    constexpr int R = length_of_list<S>;
    require_room("broadcast(x, shape)", s);
    auto both = s;
    auto const x = e.extent();
    bool fits = x.rank() <= s.rank();
    for (int d = 0; fits && d < x.rank(); ++d) fits = x[d] == 1 || x[d] == s[s.rank() - x.rank() + d];
    if (!fits)
        throw std::invalid_argument("xgrad[E201]: broadcast(x, shape) requires an x that broadcasts to the shape, found " + to_string(x) + " for " +
                                    to_string(s) + ": reshape x");
    auto a = as_operand(std::forward<E>(e));
    using T = scalar_of_t<typename std::remove_cvref_t<E>::value_type>;
    return formula<op::left, decltype(a), shape_alone<T, rank_c<R>>>(std::in_place, std::move(a), shape_alone<T, rank_c<R>>{both});
}

}

// The elements in row-major order with another shape: reshape(x, shape), reshape_view(x, shape), where one extent may be -1: as many as are left; flatten(x)
// and ravel(x), a line, flatten<xt::layout_type::column_major>(x) in that order. A part of x, unless x is itself no part in this order: then one copy. Throws
// std::invalid_argument where the shape has another number of elements; a number is refused (E063).
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
// broadcast(x, shape): x, a number or an array, as often as the shape asks for; in expressions nothing is repeated in memory. Throws std::invalid_argument
// where x does not broadcast to the shape, or an extent is negative.
XGRAD_DETAIL_SHAPE(broadcast, detail::make_broadcast(XGRAD_DETAIL_E, shape))
#undef XGRAD_DETAIL_SHAPE

}

namespace xt {
using xgrad::broadcast, xgrad::flatten, xgrad::ravel, xgrad::reshape_view;
}
namespace xgrad {
using xt::broadcast, xt::flatten, xt::ravel, xt::reshape_view;
}
