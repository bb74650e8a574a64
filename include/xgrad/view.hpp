// Defines view and transpose of active arrays: strided parts that have no memory of their own; their cotangents add to what they are part of.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/array_operation.hpp>
#include <xgrad/list_view.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/ruleset/transpose.hpp>
#include <xgrad/scope/call/variable.hpp>

namespace xgrad {

namespace detail {

// What xtensor's function makes of a plain array of this shape and these strides: shape, strides and offset, and nothing is read.
template <class E, class F>
auto make_part(char const* call, E&& e, F f) {
    auto const p = part_source_of_place(std::forward<E>(e));
    constexpr int R = std::remove_cvref_t<decltype(p)>::rank;
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    auto const shape = p.extent();
    auto const& stride = steps_of(p);
    auto whole = [&] {
        using buffer = xt::xbuffer_adaptor<T*, xt::no_ownership, std::allocator<T>>;
        buffer no_data(nullptr, element_count(shape));
        if constexpr (R == dynamic_rank) {
            using sizes = std::vector<std::size_t>;
            return xt::xarray_adaptor<buffer, xt::layout_type::dynamic, sizes>(std::move(no_data), sizes(shape.begin(), shape.end()),
                                                                               std::vector<std::ptrdiff_t>(stride.begin(), stride.end()));
        } else return xt::xtensor_adaptor<buffer, static_cast<std::size_t>(R), xt::layout_type::dynamic>(std::move(no_data), shape.n, stride.n);
    }();
    auto const v = f(whole);
    static_assert(
        contiguous_storage<decltype(v)>,
        "xgrad[E028]: view(x, slices...) requires slices of xtensor's own: xt::range, xt::all, xt::keep, xt::drop, an index, xt::newaxis or xt::ellipsis");
    constexpr int Q = rank_of<decltype(v)>;
    auto const part = shape_of<Q>(v);
    auto const steps = strides_of<Q>(v);
    // that of a view of no elements may be before the first one
    auto const offset = element_count(part) == 0 ? 0 : static_cast<std::ptrdiff_t>(v.data_offset());
    // every element of the view is one of the whole
    std::ptrdiff_t low = offset, high = offset, begin = 0, end = 0;
    for (int d = 0; d < shape.rank(); ++d) (stride[d] < 0 ? begin : end) += (static_cast<std::ptrdiff_t>(shape[d]) - 1) * stride[d];
    for (int d = 0; d < part.rank(); ++d) (steps[d] < 0 ? low : high) += (static_cast<std::ptrdiff_t>(part[d]) - 1) * steps[d];
    if (element_count(part) != 0 && (element_count(shape) == 0 || low < begin || high > end))
        throw std::out_of_range(std::string("xgrad[E204]: ") + call + " requires slices inside the shape of x, " + to_string(shape));
    return as_part_of(std::forward<E>(e), make_slot_view(p, offset, part, steps));
}

// Ranges and indices are a strided part; lists are taken from it, axis by axis.
template <class E, class... S>
auto make_view(E&& e, S&&... slices) {
    constexpr char const* call = "view(x, slices...)";
    constexpr bool has_ellipsis = (std::is_same_v<std::remove_cvref_t<S>, xt::xellipsis_tag> || ...);
    if constexpr (!has_ellipsis) {
        constexpr int used = (0 + ... + !std::is_same_v<std::remove_cvref_t<S>, xt::xnewaxis_tag>);
        auto const x = e.extent();
        if (used > x.rank())
            throw std::invalid_argument("xgrad[E205]: view(x, slices...) requires at most one slice for each axis, found " + std::to_string(used) +
                                        " for an array of shape " + to_string(x));
    }
    if constexpr (has_ellipsis) {
        static_assert(!(is_list<S> || ...),
                      "xgrad[E070]: view(x, slices...) requires either xt::ellipsis or lists of indices, but has both: write xt::all for each axis");
        xt::xstrided_slice_vector const list{slices...};
        return make_part(call, std::forward<E>(e), [&](auto const& whole) { return xt::strided_view(whole, list); });
    } else if constexpr ((is_list<S> || ...)) {
        auto all_for_list = []<class X>(X const& slice) {
            if constexpr (is_list<X>) return xt::all();
            else return slice;
        };
        auto const x = e.extent();
        auto part = make_part(call, std::forward<E>(e), [&](auto const& whole) { return xt::view(whole, all_for_list(slices)...); });
        if constexpr (changing_array<E>) return listed_place(call, e, part, x, slices...);
        else return take_lists(std::move(part), 0, 0, x, slices...);
    } else return make_part(call, std::forward<E>(e), [&](auto const& whole) { return xt::view(whole, std::forward<S>(slices)...); });
}

// The part of a matrix with one place along one axis, which goes.
template <int Axis, class E>
auto make_line(char const* call, E&& e, std::ptrdiff_t i) {
    if (e.extent().rank() != 2)
        throw std::invalid_argument(std::string("xgrad[E203]: ") + call + " requires a matrix, found an array of shape " + to_string(e.extent()) +
                                    ": take a view");
    return make_part(call, std::forward<E>(e), [&](auto const& whole) {
        if constexpr (Axis == 0) return xt::view(whole, i, xt::all());
        else return xt::view(whole, xt::all(), i);
    });
}

template <class E, class P>
auto make_transpose(E&& e, P const& permutation) {
    auto const p = part_source_of_place(std::forward<E>(e));
    constexpr int R = std::remove_cvref_t<decltype(p)>::rank;
    auto const shape = p.extent();
    auto const& stride = steps_of(p);
    extents<R> s = shape;
    strides<R> t = stride;
    std::size_t seen = 0;
    int d = 0;
    for (auto i : permutation) {
        auto const k = static_cast<int>(i);
        if (d == shape.rank() || k < 0 || k >= shape.rank() || (seen >> k & 1u))
            throw std::invalid_argument("xgrad[E205]: transpose(x, permutation) requires each axis of x once, found a different list for an array of shape " +
                                        to_string(shape));
        seen |= std::size_t{1} << k;
        s[d] = shape[k];
        t[d++] = stride[k];
    }
    if (d != shape.rank())
        throw std::invalid_argument("xgrad[E205]: transpose(x, permutation) requires each axis of x once, found a different list for an array of shape " +
                                    to_string(shape));
    return as_part_of(std::forward<E>(e), make_slot_view(p, 0, s, t));
}
template <class E>
auto make_transpose(E&& e) {
    if constexpr (is_written_out<op::transpose, std::remove_cvref_t<E>>) return array_operation(op::transpose(), std::forward<E>(e));
    else {
        extents<std::remove_cvref_t<E>::rank, int> reversed{};
        int const r = e.extent().rank();
        reversed.set_rank(r);
        for (int d = 0; d < r; ++d) reversed[d] = r - 1 - d;
        return make_transpose(std::forward<E>(e), reversed);
    }
}

// The elements `begin` to `begin + count` along one axis, active or plain.
template <class E>
auto slice_along(E const& e, int axis, std::size_t begin, std::size_t count) {
    if constexpr (active<E>) {
        auto const p = part_source(e);
        auto s = p.extent();
        auto const& t = steps_of(p);
        s[axis] = count;
        return make_slot_view(p, count == 0 ? 0 : static_cast<std::ptrdiff_t>(begin) * t[axis], s, t);
    } else {
        xt::xstrided_slice_vector slices(e.dimension(), xt::all());
        slices[static_cast<std::size_t>(axis)] = xt::range(begin, begin + count);
        typename detail::primal_of<typename E::value_type, rank_of<E>>::type part = xt::strided_view(e, slices);
        return part;
    }
}
// A line, active or plain, as an array of rank R whose only extent that may be more than 1 is that of this axis.
template <int R, class E>
auto lay_along(E const& e, int axis, int rank) {
    if constexpr (active<E>) {
        auto const p = part_source(e);
        extents<R> s{};
        strides<R> t{};
        s.set_rank(rank);
        t.set_rank(rank);
        for (int d = 0; d < rank; ++d) s[d] = d == axis ? p.extent()[0] : 1;
        t[axis] = steps_of(p)[0];
        return make_slot_view(p, 0, s, t);
    } else {
        std::vector<std::size_t> s(static_cast<std::size_t>(rank), 1);
        s[static_cast<std::size_t>(axis)] = e.size();
        typename primal_of<typename E::value_type, R>::type laid = xt::reshape_view(e, s);
        return laid;
    }
}

}

// view(x, slices...): the elements that xt::range, xt::all, xt::newaxis, xt::ellipsis and indices choose, a part of x without a copy; with xt::keep and
// xt::drop, a copy, or places of a variable. An index takes its axis away, and counts from the end where it is negative. Throws std::invalid_argument for more
// slices than axes, std::out_of_range for an index that x does not have; a range ends where x does.
// transpose(x): x with its axes in reverse order, a part of x, of a small matrix of fixed shape a copy; transpose(x, permutation): axis i is axis
// permutation[i] of x. Throws std::invalid_argument where the permutation does not have each axis once.
#define XGRAD_DETAIL_VIEW_FORM(REF)                                                                                     \
    template <template <class...> class H, class... A, class... S>                                                      \
        requires active<H<A...>>                                                                                        \
    auto view(H<A...> REF e, S&&... slices) { return detail::make_view(static_cast<H<A...> REF>(e), std::forward<S>(slices)...); } \
    template <template <class...> class H, class... A>                                                                  \
        requires active<H<A...>>                                                                                        \
    auto transpose(H<A...> REF e) { return detail::make_transpose(static_cast<H<A...> REF>(e)); }                       \
    template <template <class...> class H, class... A, class P>                                                         \
        requires(active<H<A...>> && !std::is_array_v<std::remove_reference_t<P>>)                                       \
    auto transpose(H<A...> REF e, P&& permutation) { return detail::make_transpose(static_cast<H<A...> REF>(e), permutation); } \
    template <template <class...> class H, class... A, class I, std::size_t N>                                          \
        requires active<H<A...>>                                                                                        \
    auto transpose(H<A...> REF e, I const (&permutation)[N]) { return detail::make_transpose(static_cast<H<A...> REF>(e), permutation); }
XGRAD_DETAIL_VIEW_FORM(&)
XGRAD_DETAIL_VIEW_FORM(const&)
XGRAD_DETAIL_VIEW_FORM(&&)
XGRAD_DETAIL_VIEW_FORM(const&&)
#undef XGRAD_DETAIL_VIEW_FORM

// view(x, slices...) by a list of slices that only the call knows: the rank of the result is dynamic. The errors are those of view.
XGRAD_DETAIL_ACTIVE(strided_view, (xt::xstrided_slice_vector const& slices),
                    detail::make_part("strided_view(x, slices)", XGRAD_DETAIL_E, [&](auto const& whole) { return xt::strided_view(whole, slices); }))

// A row and a column of a matrix, vectors, as parts of it; i counts from the end where it is negative. Throws std::invalid_argument where x is no matrix,
// std::out_of_range where it has no such row or column.
XGRAD_DETAIL_ACTIVE(row, (std::ptrdiff_t i), detail::make_line<0>("row(x, i)", XGRAD_DETAIL_E, i))
XGRAD_DETAIL_ACTIVE(col, (std::ptrdiff_t i), detail::make_line<1>("col(x, i)", XGRAD_DETAIL_E, i))

}

namespace xt {
using xgrad::col, xgrad::row, xgrad::strided_view, xgrad::transpose, xgrad::view;
}
namespace xgrad {
using xt::col, xt::row, xt::strided_view, xt::transpose, xt::view;
}
