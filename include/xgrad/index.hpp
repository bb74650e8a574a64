// Defines what takes elements of an active array by their indices: index_view, filter, take, and scatter_add, which adds to them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/index_place.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/scope/call/keep_alive.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

namespace detail {

template <class E, int I, class F>
auto places_in(char const* call, E const& e, extents<I> const& shape, F place) {
    auto const x = e.extent();
    return place_operand(call, owner_or_none(e), shape, element_count(x), x, place);
}
// The elements of x at these places in row-major order, as a line.
template <class E, int I, class F>
auto make_gather(char const* call, E&& e, extents<I> const& shape, F place) {
    auto places = places_in(call, e, shape, place);
    return array_operation(op::gather{}, std::forward<E>(e), std::move(places));
}
// The same, and of a variable places.
template <class E, class F>
auto make_places(char const* call, E&& e, extents<1> const& shape, F place) {
    if constexpr (changing_array<E>) return index_place(call, places_in(call, e, shape, place), e);
    else return make_gather(call, std::forward<E>(e), shape, place);
}

// The row-major place of the element that a list of indices names.
template <int R, class L>
std::ptrdiff_t place_of(char const* call, extents<R> const& x, L const& list) {
    std::ptrdiff_t place = 0;
    int d = 0;
    bool fits = true;
    for (auto given : list) {
        auto i = static_cast<std::ptrdiff_t>(given);
        if (d < x.rank()) {
            auto const n = static_cast<std::ptrdiff_t>(x[d]);
            if (i < 0) i += n;
            fits = fits && i >= 0 && i < n;
            place = place * n + i;
        }
        ++d;
    }
    if (!fits || d != x.rank()) {
        std::string found;
        for (auto i : list) found += (found.empty() ? "(" : ", ") + std::to_string(static_cast<std::ptrdiff_t>(i));
        throw std::out_of_range(std::string("xgrad[E204]: ") + call + " requires an index for each axis inside the shape of x, found " + found + ") and " +
                                to_string(x) + ": count from 0");
    }
    return place;
}
template <class E, class L>
auto make_index_view(E&& e, L const& lists) {
    auto const x = e.extent();
    auto it = std::begin(lists);
    auto const n = static_cast<std::size_t>(std::distance(std::begin(lists), std::end(lists)));
    return make_places("index_view(x, indices)", std::forward<E>(e), extents<1>{{n}}, [&](std::size_t) {
        // of a line, indices may be numbers
        if constexpr (std::integral<std::remove_cvref_t<decltype(*it)>>)
            return place_of("index_view(x, indices)", x, std::array<std::ptrdiff_t, 1>{static_cast<std::ptrdiff_t>(*it++)});
        else return place_of("index_view(x, indices)", x, *it++);
    });
}

template <class E, class C>
auto make_filter(E&& e, C const& condition) {
    auto const x = e.extent();
    auto const& given = xt::eval(condition);
    auto const c = shape_of<rank_of<decltype(given)>>(given);
    bool same = c.rank() == x.rank();
    for (int d = 0; same && d < x.rank(); ++d) same = c[d] == x[d];
    if (!same)
        throw std::invalid_argument("xgrad[E202]: filter(x, condition) requires a condition of the shape of x, found " + to_string(c) + " and " + to_string(x) +
                                    ": broadcast it");
    std::size_t n = 0;
    for (auto it = given.template begin<xt::layout_type::row_major>(), end = given.template end<xt::layout_type::row_major>(); it != end; ++it)
        n += static_cast<bool>(*it);
    auto it = given.template begin<xt::layout_type::row_major>();
    std::ptrdiff_t place = -1;
    return make_places("filter(x, condition)", std::forward<E>(e), extents<1>{{n}}, [&](std::size_t) {
        do ++place;
        while (!static_cast<bool>(*it++));
        return place;
    });
}

// x without the zeros at its ends.
template <class E>
auto make_trimmed(E&& e, std::string const& direction) {
    static_assert(std::remove_cvref_t<E>::rank == 1 || std::remove_cvref_t<E>::rank == dynamic_rank,
                  "xgrad[E154]: trim_zeros(x) requires an array with one axis, but x has another number of them: flatten it");
    auto const& x = keep_alive(std::forward<E>(e));
    auto const values = primal(x);
    if (values.dimension() != 1)
        throw std::invalid_argument("xgrad[E203]: trim_zeros(x) requires an array with one axis, found " + to_string(x.extent()) + ": flatten it");
    std::ptrdiff_t first = 0, last = static_cast<std::ptrdiff_t>(values.size());
    auto const is_zero = [&](std::ptrdiff_t i) { return values(i) == 0; };
    if (direction.find('f') != std::string::npos)
        while (first < last && is_zero(first)) ++first;
    if (direction.find('b') != std::string::npos)
        while (first < last && is_zero(last - 1)) --last;
    return make_gather("trim_zeros(x)", x, extents<1>{{static_cast<std::size_t>(last - first)}},
                       [first](std::size_t i) { return first + static_cast<std::ptrdiff_t>(i); });
}

template <class I>
concept list_of_indices = !std::integral<std::remove_cvref_t<I>> && !active<I>;
// Calls f(shape, place(k)) for the indices: a plain array of any rank, or a list.
template <class I, class F>
auto with_indices(I const& indices, F f) {
    if constexpr (plain_array<I>) {
        auto const list = xt::eval(indices);
        static_assert(std::is_integral_v<typename I::value_type>,
                      "xgrad[E068]: take(x, indices) and scatter_add(x, indices, values) require indices that are integers: convert them");
        auto it = list.template begin<xt::layout_type::row_major>();
        return f(shape_of<rank_of<I>>(list), [&](std::size_t) { return static_cast<std::ptrdiff_t>(*it++); });
    } else {
        auto it = std::begin(indices);
        return f(extents<1>{{static_cast<std::size_t>(std::distance(std::begin(indices), std::end(indices)))}},
                 [&](std::size_t) { return static_cast<std::ptrdiff_t>(*it++); });
    }
}
template <class E, class I>
auto make_take(E&& e, I const& indices, std::ptrdiff_t given) {
    static_assert(std::remove_cvref_t<E>::rank != 0, "xgrad[E069]: take(x, indices) requires an array, but x is a number: broadcast it");
    constexpr char const* call = "take(x, indices, axis)";
    auto const x = e.extent();
    int const axis = checked_axis(call, given, x);
    return with_indices(indices, [&](auto const& shape, auto place) {
        auto places = place_operand(call, owner_or_none(e), shape, x[axis], x, place);
        return array_operation(op::take{axis}, std::forward<E>(e), std::move(places));
    });
}
template <class E, class I>
auto make_take(E&& e, I const& indices) {
    return with_indices(indices, [&](auto const& shape, auto place) { return make_gather("take(x, indices)", std::forward<E>(e), shape, place); });
}
template <class E, class I, class V>
auto make_scatter_add(E&& e, I const& indices, V&& values, std::ptrdiff_t given) {
    constexpr char const* call = "scatter_add(x, indices, values, axis)";
    auto const x = shape_of_operand(e);
    int const axis = checked_axis(call, given, x);
    context* c = owner_or_none(e);
    if (!c) c = owner_or_none(values);
    return with_indices(indices, [&](auto const& shape, auto place) {
        auto places = place_operand(call, c, shape, x[axis], x, place);
        return array_operation(op::scatter_add{axis}, std::forward<E>(e), std::move(places), std::forward<V>(values));
    });
}

}

// index_view(x, {{i, j}, ...}): these elements, as a line; an element may come several times. Throws std::out_of_range where one is not there. Of a variable it
// may be assigned to, as filter may: index_view(u, indices) = e, where e has as many elements, or is a number.
XGRAD_DETAIL_ACTIVE(index_view, (auto&& indices), detail::make_index_view(XGRAD_DETAIL_E, indices))
XGRAD_DETAIL_ACTIVE_TEMPLATE((std::size_t L), index_view, (xt::xindex const (&indices)[L]), detail::make_index_view(XGRAD_DETAIL_E, indices))
// trim_zeros(x, direction): a line without the zeros at its ends; "f" stands for the front, "b" for the back, "fb" for both. Refuses what is no line (E154), of
// dynamic rank by std::invalid_argument.
XGRAD_DETAIL_ACTIVE(trim_zeros, (std::string const& direction = "fb"), detail::make_trimmed(XGRAD_DETAIL_E, direction))
// filter(x, condition): the elements where a plain condition of x's shape holds, as a line. Throws std::invalid_argument for a condition of another shape.
XGRAD_DETAIL_ACTIVE(filter, (plain_array auto&& condition), detail::make_filter(XGRAD_DETAIL_E, condition))

// take(x, indices, axis): along the axis the elements of these indices, a list or a plain array of any rank; negative ones count from the end.
// take(x, indices): elements in row-major order. Throws std::out_of_range where one is not there.
template <active E, detail::list_of_indices I>
auto take(E&& e, I const& indices) { return detail::make_take(std::forward<E>(e), indices); }
template <active E, detail::list_of_indices I>
auto take(E&& e, I const& indices, std::ptrdiff_t axis) { return detail::make_take(std::forward<E>(e), indices, axis); }
template <active E>
auto take(E&& e, std::initializer_list<std::ptrdiff_t> indices) { return detail::make_take(std::forward<E>(e), indices); }
template <active E>
auto take(E&& e, std::initializer_list<std::ptrdiff_t> indices, std::ptrdiff_t axis) { return detail::make_take(std::forward<E>(e), indices, axis); }

// x, where to the elements that take(x, indices, axis) would give these values are added, one after the other. Of the shape of x. Throws std::out_of_range
// where one is not there, std::invalid_argument where the values have not the shape of take(x, indices, axis).
template <class E, detail::list_of_indices I, class V>
    requires((active<E> || active<V>) && (active<E> || plain_array<E>) && (active<V> || plain_array<V>))
auto scatter_add(E&& e, I const& indices, V&& values, std::ptrdiff_t axis = 0) {
    return detail::make_scatter_add(std::forward<E>(e), indices, std::forward<V>(values), axis);
}
template <class E, class V>
    requires((active<E> || active<V>) && (active<E> || plain_array<E>) && (active<V> || plain_array<V>))
auto scatter_add(E&& e, std::initializer_list<std::ptrdiff_t> indices, V&& values, std::ptrdiff_t axis = 0) {
    return detail::make_scatter_add(std::forward<E>(e), indices, std::forward<V>(values), axis);
}

}

namespace xt {
using xgrad::filter, xgrad::index_view, xgrad::trim_zeros;
}
namespace xgrad {
using xt::filter, xt::index_view;
}
