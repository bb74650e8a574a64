// Defines average(x, weights) and trapz(y, x): sums of active arrays with weights, which may be active, too.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/reductions.hpp>
#include <xgrad/scope/call/keep_alive.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

namespace detail {

template <class E>
auto shape_of_operand(E const& e) {
    if constexpr (active<E>) return e.extent();
    else return shape_of<rank_of<E>>(e);
}
template <class E, class Axes>
auto sum_of_either(E&& e, Axes const& axes) {
    if constexpr (active<E>) return make_reduction(op::sum{}, std::forward<E>(e), axes, std::tuple<>{});
    else if constexpr (std::is_same_v<Axes, every_axis>) return xt::sum(e)();
    else return typename primal_of<typename std::remove_cvref_t<E>::value_type, rank_of<decltype(xt::sum(e, axes))>>::type(xt::sum(e, axes));
}

template <class E, class W>
concept weighed = !is_options<std::remove_cvref_t<W>> && ((active<E> && !std::integral<std::remove_cvref_t<W>>) || (plain_array<E> && active<W>));

// Σ w x / Σ w. Weights of one dimension lie along the one axis.
template <class E, class W, class Axes>
auto make_average(E const& e, W const& w, Axes const& axes) {
    auto const s = shape_of_operand(e);
    auto const v = shape_of_operand(w);
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity,
                  V = decltype(v)::capacity == max_dynamic_rank ? dynamic_rank : decltype(v)::capacity;
    auto const divide = [&](auto const& weights) { return sum_of_either(e * weights, axes) / sum_of_either(weights, axes); };
    if constexpr (!std::is_same_v<Axes, every_axis> && V != R && V != dynamic_rank) {
        static_assert(V == 1,
                      "xgrad[E061]: average(x, weights, axes) requires weights of the shape of x, or one for each place along the axis: reshape the weights");
        std::uint32_t const bits = axis_bits("average(x, weights, axes)", axes, s);
        int const axis = std::countr_zero(bits);
        if (!std::has_single_bit(bits) || v[0] != s[axis])
            throw std::invalid_argument(
                "xgrad[E202]: average(x, weights, axes) requires weights of the shape of x, or one for each place along the one axis, found " + to_string(s) +
                " and " + to_string(v) + ": reshape the weights");
        return divide(lay_along<R>(w, axis, s.rank()));
    } else {
        bool same = v.rank() == s.rank();
        for (int d = 0; same && d < s.rank(); ++d) same = v[d] == s[d];
        if (!same)
            throw std::invalid_argument("xgrad[E202]: average(x, weights) requires weights of the shape of x, found " + to_string(s) + " and " + to_string(v) +
                                        ": reshape the weights");
        return divide(w);
    }
}

// Σ (x[k+1] - x[k]) (y[k+1] + y[k]) / 2 along an axis, x of the shape of y or one line.
template <class Y, class X>
auto make_trapz(Y const& y, X const& x, std::ptrdiff_t given) {
    auto const s = shape_of_operand(y);
    auto const v = shape_of_operand(x);
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity,
                  V = decltype(v)::capacity == max_dynamic_rank ? dynamic_rank : decltype(v)::capacity;
    int const axis = checked_axis("trapz(y, x, axis)", given, s), own = V == 1 ? 0 : axis;
    if (own >= v.rank() || v[own] != s[axis])
        throw std::invalid_argument("xgrad[E202]: trapz(y, x, axis) requires a point x for each element along the axis, found " + to_string(s) + " and " +
                                    to_string(v) + ": reshape one of them");
    std::size_t const n = s[axis], pieces = n == 0 ? 0 : n - 1;
    auto const points = [&](std::size_t begin) {
        auto part = slice_along(x, own, begin, pieces);
        if constexpr (V == 1 && R != 1) return lay_along<R>(part, axis, s.rank());
        else return part;
    };
    auto const values = [&](std::size_t begin) { return slice_along(y, axis, begin, pieces); };
    using T = scalar_of_t<typename active_element<Y, X>::type>;
    auto products = [&] {
        if constexpr (!active<X>) {
            auto const dx = xt::eval(points(1) - points(0));
            return (values(1) + values(0)) * dx * T(0.5);
        } else if constexpr (!active<Y>) {
            auto const both = xt::eval(values(1) + values(0));
            return (points(1) - points(0)) * both * T(0.5);
        } else return (points(1) - points(0)) * (values(1) + values(0)) * T(0.5);
    };
    return make_reduction(op::sum{}, products(), axis, std::tuple<>{});
}

}

}

namespace xt {
// average(x), the mean; average(x, weights), average(x, weights, axes): Σ w x / Σ w, over all elements or along axes, which go. The weights are active or
// plain, of x's shape, or along one axis a line with one for each place. Throws std::invalid_argument for weights of another shape, and for axes as sum does;
// weights whose sum is 0 give what the division gives.
#define XGRAD_DETAIL_INSIDE(...) __VA_ARGS__
#define XGRAD_DETAIL_AVERAGE(HEAD, PARAMETERS, ...)                                                                                   \
    template <class T = void, class E, class W, XGRAD_DETAIL_INSIDE HEAD>                                                             \
        requires xgrad::detail::weighed<E, W>                                                                                         \
    auto average(E&& e, W&& weights, XGRAD_DETAIL_INSIDE PARAMETERS) {                                                                \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::make_average(xgrad::detail::keep_alive(std::forward<E>(e)), xgrad::detail::keep_alive(std::forward<W>(weights)), __VA_ARGS__); \
    }
XGRAD_DETAIL_AVERAGE((class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)), (EVS = EVS()), xgrad::detail::every_axis{})
XGRAD_DETAIL_AVERAGE((class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, xgrad::host_negation<xtl::is_integral<X>>)),
                     (X&& axes, EVS = EVS()), axes)
XGRAD_DETAIL_AVERAGE((class X, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS), (const X (&axes)[N], EVS = EVS()), std::to_array(axes))
XGRAD_DETAIL_AVERAGE((class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, xtl::is_integral<X>)), (X axis, EVS = EVS()),
                     std::array<std::ptrdiff_t, 1>{static_cast<std::ptrdiff_t>(axis)})
#undef XGRAD_DETAIL_AVERAGE
template <class T = void, class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>
    requires xgrad::active<E>
auto average(E&& e, EVS es = EVS()) {
    XGRAD_DETAIL_GIVES(T, E);
    return xgrad::detail::make_reduction(xgrad::op::mean{}, std::forward<E>(e), xgrad::detail::every_axis{}, es);
}
#undef XGRAD_DETAIL_INSIDE
}

namespace xgrad {

// Where two of xtensor's are equally good (options without weights, an axis that has a name) these are better than both.
XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), average, (std::tuple<O...> const& options),
                             detail::make_reduction(op::mean{}, XGRAD_DETAIL_E, detail::every_axis{}, options))
XGRAD_DETAIL_ACTIVE(average, (auto&& weights, std::integral auto axis),
                    detail::make_average(detail::keep_alive(XGRAD_DETAIL_E), detail::keep_alive(static_cast<decltype(weights)>(weights)),
                                         std::array<std::ptrdiff_t, 1>{static_cast<std::ptrdiff_t>(axis)}))
#define XGRAD_DETAIL_AVERAGE_BY(REF) \
    template <plain_array E, template <class...> class H, class... A> \
        requires active<H<A...>> \
    auto average(E&& e, H<A...> REF weights, std::integral auto axis) { \
        return detail::make_average(e, detail::keep_alive(static_cast<decltype(weights)>(weights)), \
                                    std::array<std::ptrdiff_t, 1>{static_cast<std::ptrdiff_t>(axis)}); \
    }
XGRAD_DETAIL_AVERAGE_BY(&)
XGRAD_DETAIL_AVERAGE_BY(const&)
XGRAD_DETAIL_AVERAGE_BY(&&)
XGRAD_DETAIL_AVERAGE_BY(const&&)
#undef XGRAD_DETAIL_AVERAGE_BY

// The area under y along an axis, which goes, by trapezia: its points are dx apart, or at x, which may be active, of the shape of y or a line for the axis. Of
// less than two points it is 0. Throws std::invalid_argument for an axis that y does not have, and where there is not a point for each element; a number is
// refused (E062).
template <active Y>
auto trapz(Y&& y, double dx = 1.0, std::ptrdiff_t axis = -1) {
    static_assert(std::remove_cvref_t<Y>::rank != 0, "xgrad[E062]: trapz(y) requires an array, but y is a number: integrate over several");
    return detail::make_reduction(op::trapz{dx}, std::forward<Y>(y), axis, std::tuple<>{});
}
template <class Y, class X>
    requires((active<Y> && (active<X> || plain_array<X>)) || (plain_array<Y> && active<X>))
auto trapz(Y&& y, X&& x, std::ptrdiff_t axis = -1) {
    return detail::make_trapz(detail::keep_alive(std::forward<Y>(y)), detail::keep_alive(std::forward<X>(x)), axis);
}
}

namespace xt {
using xgrad::average, xgrad::trapz;
}
namespace xgrad {
using xt::average, xt::trapz;
}
