// Defines view and transpose of active arrays: strided parts that have no memory of their own; their cotangents add to what they are part of.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <xgrad/scope/variable.hpp>

namespace xgrad {

namespace detail {

// What xtensor makes of the slices on a plain array of this shape and these strides: shape, strides and offset, and nothing is read.
template <class E, class... S>
auto make_view(E&& e, S&&... slices) {
    auto const p = part_source(std::forward<E>(e));
    constexpr int R = std::remove_cvref_t<decltype(p)>::rank;
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    auto const shape = p.extent();
    auto const& stride = steps_of(p);
    auto whole = [&] {
        T* no_data = nullptr;
        if constexpr (R == dynamic_rank)
            return xt::adapt(no_data, element_count(shape), xt::no_ownership(), std::vector<std::size_t>(shape.begin(), shape.end()), std::vector<std::ptrdiff_t>(stride.begin(), stride.end()));
        else return xt::adapt(no_data, element_count(shape), xt::no_ownership(), shape.n, stride.n);
    }();
    auto const v = xt::view(whole, std::forward<S>(slices)...);
    static_assert(contiguous_storage<decltype(v)>, "xgrad[E028]: view(x, slices...) requires slices at equal distances: xt::range, xt::all, an index or xt::newaxis");
    constexpr int Q = rank_of<decltype(v)>;
    auto const part = shape_of<Q>(v);
    auto const steps = strides_of<Q>(v);
    auto const offset = static_cast<std::ptrdiff_t>(v.data_offset());
    // every element of the view is one of the whole
    std::ptrdiff_t low = offset, high = offset, begin = 0, end = 0;
    for (int d = 0; d < shape.rank(); ++d) (stride[d] < 0 ? begin : end) += (static_cast<std::ptrdiff_t>(shape[d]) - 1) * stride[d];
    for (int d = 0; d < part.rank(); ++d) (steps[d] < 0 ? low : high) += (static_cast<std::ptrdiff_t>(part[d]) - 1) * steps[d];
    if (element_count(part) != 0 && (element_count(shape) == 0 || low < begin || high > end))
        throw std::out_of_range("xgrad: view(x, slices...) requires slices inside the shape of x, " + to_string(shape));
    return make_window(p, offset, part, steps);
}

template <class E, class P>
auto make_transpose(E&& e, P const& permutation) {
    auto const p = part_source(std::forward<E>(e));
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
            throw std::invalid_argument("xgrad: transpose(x, permutation) requires each axis of x once, found a different list for an array of shape " + to_string(shape));
        seen |= std::size_t{1} << k;
        s[d] = shape[k];
        t[d++] = stride[k];
    }
    if (d != shape.rank()) throw std::invalid_argument("xgrad: transpose(x, permutation) requires each axis of x once, found a different list for an array of shape " + to_string(shape));
    return make_window(p, 0, s, t);
}
template <class E>
auto make_transpose(E&& e) {
    extents<std::remove_cvref_t<E>::rank, int> reversed{};
    int const r = e.extent().rank();
    reversed.set_rank(r);
    for (int d = 0; d < r; ++d) reversed[d] = r - 1 - d;
    return make_transpose(std::forward<E>(e), reversed);
}

}

#define XGRAD_DETAIL_VIEW_FORM(REF)                                                                                     \
    template <template <class...> class H, class... A, class... S>                                                      \
        requires active<H<A...>>                                                                                        \
    auto view(H<A...> REF e, S&&... slices) { return detail::make_view(static_cast<H<A...> REF>(e), std::forward<S>(slices)...); } \
    template <template <class...> class H, class... A>                                                                  \
        requires active<H<A...>>                                                                                        \
    auto transpose(H<A...> REF e) { return detail::make_transpose(static_cast<H<A...> REF>(e)); }                       \
    template <template <class...> class H, class... A, class P>                                                         \
        requires active<H<A...>>                                                                                        \
    auto transpose(H<A...> REF e, P const& permutation) { return detail::make_transpose(static_cast<H<A...> REF>(e), permutation); } \
    template <template <class...> class H, class... A, class I, std::size_t N>                                          \
        requires active<H<A...>>                                                                                        \
    auto transpose(H<A...> REF e, I const (&permutation)[N]) { return detail::make_transpose(static_cast<H<A...> REF>(e), permutation); }
XGRAD_DETAIL_VIEW_FORM(&)
XGRAD_DETAIL_VIEW_FORM(const&)
XGRAD_DETAIL_VIEW_FORM(&&)
XGRAD_DETAIL_VIEW_FORM(const&&)
#undef XGRAD_DETAIL_VIEW_FORM

}

namespace xt {
using xgrad::transpose, xgrad::view;
}
namespace xgrad {
using xt::transpose, xt::view;
}
