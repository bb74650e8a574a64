// Defines sort, partition, median and unique of active arrays; and what asks for places and numbers of elements, which has no derivative.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/choice.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/index.hpp>
#include <xgrad/ruleset/along_lines.hpp>
#include <xgrad/ruleset/order.hpp>
#include <xgrad/shape.hpp>

namespace xgrad {

namespace detail {

template <class E>
auto make_sort(E&& e, std::ptrdiff_t axis) {
    int const k = checked_axis("sort(x, axis)", axis, e.extent());
    return array_operation(op::sort{k}, std::forward<E>(e));
}
template <class E>
auto sort_all(E&& e) { return make_sort(make_flat<xt::layout_type::row_major>(std::forward<E>(e)), 0); }
// A sorted array is partitioned at every place.
template <class E>
auto make_partition(E&& e, std::ptrdiff_t axis) { return make_sort(std::forward<E>(e), axis); }

// Order places along an axis: f(line, places) of every line, in an array of the shape of x.
template <class E, class F>
auto places_along(char const* call, E const& e, std::ptrdiff_t given, F f) {
    auto const p = primal(e);
    constexpr int R = rank_of<decltype(p)>;
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    auto const x = shape_of<R>(p);
    std::uint32_t const axis = 1u << checked_axis(call, given, x);
    auto const stride = row_major_strides(x);
    auto y = primal_of_shape<std::size_t>(x);
    line_layout const l(axis, x, stride);
    std::vector<std::ptrdiff_t> places(l.size);
    if (l.size != 0)
        for_each_line<R, 1>(axis, x, {stride}, [&](auto const& at) {
            f(line<T const>(p.data() + at[0], l), places.data());
            for (std::size_t k = 0; k < l.size; ++k) y.data()[at[0] + l.at(k)] = static_cast<std::size_t>(places[k]);
        });
    return y;
}
template <class E>
auto make_argsort(E const& e, std::ptrdiff_t axis) {
    return places_along("argsort(x, axis)", e, axis, [](auto const& l, std::ptrdiff_t* places) { order_of(l, places); });
}
template <class E>
auto argsort_all(E const& e) {
    auto const p = primal(e);
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    std::vector<std::ptrdiff_t> places(p.size());
    extents<1> const n{{p.size()}};
    line_layout const l(1u, n, strides<1>{{1}});
    order_of(line<T const>(p.data(), l), places.data());
    auto y = primal_of_shape<when_used_t<std::size_t, E>>(n);
    std::copy(places.begin(), places.end(), y.begin());
    return y;
}

// The first place of the greatest element (or the least), a NaN before all others.
template <class Better, class T>
std::size_t first_extreme(line<T const> const& l) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < l.size(); ++k) {
        T const a = l[best], b = l[k];
        if (a == a && (b != b || Better{}(b, a))) best = k;
    }
    return best;
}
// The same of each line along an axis.
template <class Better, class E>
auto make_argextreme(char const* call, E const& e, std::ptrdiff_t given) {
    auto const p = primal(e);
    constexpr int R = rank_of<decltype(p)>, Y = R == dynamic_rank ? dynamic_rank : R - 1;
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    auto const x = shape_of<R>(p);
    int const k = checked_axis(call, given, x);
    if (x[k] == 0)
        throw std::invalid_argument(std::string("xgrad[E206]: ") + call + " requires at least one element along the axis, found an array of shape " +
                                    to_string(x));
    std::uint32_t const axis = 1u << k;
    auto const stride = row_major_strides(x);
    extents<Y> s{};
    s.set_rank(x.rank() - 1);
    for (int d = 0, i = 0; d < x.rank(); ++d)
        if (d != k) s[i++] = x[d];
    std::vector<std::size_t> const shape(s.begin(), s.end());
    typename std::conditional_t<Y == dynamic_rank, std::type_identity<xt::xarray<std::size_t>>,
                                std::type_identity<xt::xtensor<std::size_t, static_cast<std::size_t>(Y == dynamic_rank ? 0 : Y)>>>::type y;
    y.resize(shape);
    line_layout const l(axis, x, stride);
    std::size_t i = 0;
    for_each_line<R, 1>(axis, x, {stride}, [&](auto const& at) { y.data()[i++] = first_extreme<Better>(line<T const>(p.data() + at[0], l)); });
    return y;
}
template <class Better, class E>
auto argextreme_of_all(char const* call, E const& e) {
    auto const p = primal(e);
    using T = typename std::remove_cvref_t<decltype(p)>::value_type;
    if (p.size() == 0) throw std::invalid_argument(std::string("xgrad[E206]: ") + call + " requires at least one element, found an empty array");
    line_layout const l(1u, extents<1>{{p.size()}}, strides<1>{{1}});
    return xt::xtensor<std::size_t, 0>(first_extreme<Better>(line<T const>(p.data(), l)));
}

// Element k of each line.
template <class S>
auto part_of_lines(S const& sorted, int axis, std::size_t k) {
    return make_reduction(op::sum{}, slice_along(sorted, axis, k, 1), axis, std::tuple<>{});
}
// y of sorted lines; where the last element of one is a NaN, a NaN whose derivative is NaN. Numbers have no name here: in a function with a declared result it
// would have to outlive this one.
template <class S, class Y>
auto nan_or(S const& sorted, int axis, Y&& y) {
    using T = scalar_of_t<typename S::value_type>;
    auto const last = [&] { return part_of_lines(sorted, axis, sorted.extent()[axis] - 1); };
    return where(isnan(last()), last() * std::numeric_limits<T>::quiet_NaN(), std::forward<Y>(y));
}
// The mean of the two elements in the middle, or the one.
template <class E>
auto make_median(E&& e, std::ptrdiff_t given) {
    auto const x = e.extent();
    int const axis = checked_axis("median(x, axis)", given, x);
    std::size_t const n = x[axis];
    if (n == 0)
        throw std::invalid_argument("xgrad[E206]: median(x, axis) requires at least one element along the axis, found an array of shape " + to_string(x));
    auto const sorted = array_operation(op::sort{axis}, std::forward<E>(e));
    return nan_or(sorted, axis, make_reduction(op::mean{}, slice_along(sorted, axis, (n - 1) / 2, n % 2 == 0 ? 2 : 1), axis, std::tuple<>{}));
}
// Between the elements of a sorted line, by its length times q; a NaN is last, and makes it NaN.
template <class S>
auto quantile_of_sorted(S const& sorted, double q, int axis) {
    if (!(q >= 0 && q <= 1)) throw std::invalid_argument("xgrad[E207]: quantile(x, q) requires a q from 0 to 1, found " + std::to_string(q));
    using T = scalar_of_t<typename S::value_type>;
    std::size_t const n = sorted.extent()[axis];
    double const place = q * static_cast<double>(n - 1), below = std::floor(place);
    auto const share = static_cast<T>(place - below);
    auto const first = static_cast<std::size_t>(below), second = share > 0 ? first + 1 : first;
    return nan_or(sorted, axis, part_of_lines(sorted, axis, first) * (1 - share) + part_of_lines(sorted, axis, second) * share);
}
// f of the sorted lines along an axis.
template <class E, class F>
auto with_sorted(E&& e, std::ptrdiff_t given, F f) {
    auto const x = e.extent();
    int const axis = checked_axis("quantile(x, q, axis)", given, x);
    if (x[axis] == 0)
        throw std::invalid_argument("xgrad[E206]: quantile(x, q, axis) requires at least one element along the axis, found an array of shape " + to_string(x));
    auto const sorted = array_operation(op::sort{axis}, std::forward<E>(e));
    return f(sorted, axis);
}
template <class E>
auto make_quantile(E&& e, double q, std::ptrdiff_t axis) {
    return with_sorted(std::forward<E>(e), axis, [q](auto const& sorted, int a) { return quantile_of_sorted(sorted, q, a); });
}
template <class E, class I, std::size_t N>
auto make_quantiles(E&& e, I const (&q)[N], std::ptrdiff_t axis) {
    return with_sorted(std::forward<E>(e), axis, [&](auto const& sorted, int a) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return stack(std::tuple(quantile_of_sorted(sorted, static_cast<double>(q[K]), a)...));
        }(std::make_index_sequence<N>{});
    });
}
// Each value once, in ascending order: the first element that has it has its derivative.
template <class E>
auto make_unique(E&& e) {
    auto const order = argsort_all(e);
    auto const p = primal(e);
    std::vector<when_used_t<std::size_t, E>> places;
    for (std::size_t k : order)
        if (places.empty() || !(p.data()[places.back()] == p.data()[k])) places.push_back(k);
    return make_gather("unique(x)", std::forward<E>(e), extents<1>{{places.size()}}, [&](std::size_t k) { return places[k]; });
}

}

// Of the shape of x: sort(x, axis), and sort(x, xt::xnone()) of all elements, a line: ascending, equal ones as they stand, NaN last. partition(x, k, axis) is
// sorted all over. median(x) of all, median(x, axis) without the axis: of an even number the mean of both in the middle, of a NaN NaN, and so is the
// derivative. quantile(x, q) of all, quantile(x, q, axis) without the axis, for a number q from 0 to 1: between two elements linearly, as NumPy has it; of a
// NaN NaN. For several, quantile(x, {q, r}), one after the other along a new first axis. unique(x): each value once, ascending, a line; the first element
// that has it has its derivative. Throws std::invalid_argument for an axis that x does not have, and a median or a quantile where there is no element or q is
// not from 0 to 1.
XGRAD_DETAIL_ACTIVE(sort, (std::ptrdiff_t axis = -1), detail::make_sort(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(sort, (xt::placeholders::xtuph), detail::sort_all(XGRAD_DETAIL_E))
XGRAD_DETAIL_ACTIVE(partition, (auto const&, std::ptrdiff_t axis = -1), detail::make_partition(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), partition, (I const (&)[N], std::ptrdiff_t axis = -1), detail::make_partition(XGRAD_DETAIL_E, axis))
XGRAD_DETAIL_ACTIVE(median, (), detail::make_median(detail::make_flat<xt::layout_type::row_major>(XGRAD_DETAIL_E), 0))
XGRAD_DETAIL_ACTIVE(median, (std::ptrdiff_t axis), detail::make_median(XGRAD_DETAIL_E, axis))
// a template, so that {0.5} is a list
XGRAD_DETAIL_ACTIVE_TEMPLATE((std::convertible_to<double> Q), quantile, (Q q),
                             detail::make_quantile(detail::make_flat<xt::layout_type::row_major>(XGRAD_DETAIL_E), q, 0))
XGRAD_DETAIL_ACTIVE_TEMPLATE((std::convertible_to<double> Q), quantile, (Q q, std::ptrdiff_t axis), detail::make_quantile(XGRAD_DETAIL_E, q, axis))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), quantile, (I const (&q)[N]),
                             detail::make_quantiles(detail::make_flat<xt::layout_type::row_major>(XGRAD_DETAIL_E), q, 0))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), quantile, (I const (&q)[N], std::ptrdiff_t axis), detail::make_quantiles(XGRAD_DETAIL_E, q, axis))
XGRAD_DETAIL_ACTIVE(unique, (), detail::make_unique(XGRAD_DETAIL_E))

// Places of elements, as plain arrays of xtensor's shapes: they do not change where x changes a little. any(x) and all(x) are bool. Throws
// std::invalid_argument for an axis that x does not have, and argmax and argmin where there is no element.
XGRAD_DETAIL_ACTIVE(argsort, (std::ptrdiff_t axis = -1), detail::make_argsort(e, axis))
XGRAD_DETAIL_ACTIVE(argsort, (xt::placeholders::xtuph), detail::argsort_all(e))
XGRAD_DETAIL_ACTIVE(argpartition, (auto const&, std::ptrdiff_t axis = -1), detail::make_argsort(e, axis))
XGRAD_DETAIL_ACTIVE(argmax, (), detail::argextreme_of_all<std::greater<>>("argmax(x)", e))
XGRAD_DETAIL_ACTIVE(argmax, (std::ptrdiff_t axis), detail::make_argextreme<std::greater<>>("argmax(x, axis)", e, axis))
XGRAD_DETAIL_ACTIVE(argmin, (), detail::argextreme_of_all<std::less<>>("argmin(x)", e))
XGRAD_DETAIL_ACTIVE(argmin, (std::ptrdiff_t axis), detail::make_argextreme<std::less<>>("argmin(x, axis)", e, axis))
XGRAD_DETAIL_ACTIVE(nonzero, (), xt::nonzero(primal(e)))
XGRAD_DETAIL_ACTIVE(argwhere, (), xt::argwhere(primal(e)))
XGRAD_DETAIL_ACTIVE(flatnonzero, (), xt::flatnonzero<xt::layout_type::row_major>(primal(e)))
XGRAD_DETAIL_ACTIVE(count_nonzero, (), xt::count_nonzero(primal(e))())
XGRAD_DETAIL_ACTIVE(any, (), xt::any(primal(e)))
XGRAD_DETAIL_ACTIVE(all, (), xt::all(primal(e)))

}

namespace xt {
using xgrad::all, xgrad::any, xgrad::argmax, xgrad::argmin, xgrad::argpartition, xgrad::argsort, xgrad::argwhere, xgrad::count_nonzero, xgrad::flatnonzero,
    xgrad::median, xgrad::nonzero, xgrad::partition, xgrad::sort, xgrad::unique;
}
namespace xgrad {
using xt::all, xt::any, xt::argmax, xt::argmin, xt::argpartition, xt::argsort, xt::argwhere, xt::count_nonzero, xt::flatnonzero, xt::median, xt::nonzero,
    xt::partition, xt::sort, xt::unique;
}
