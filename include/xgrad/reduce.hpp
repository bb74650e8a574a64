// Defines the reductions of active values: over all elements, or along axes, with or without xt::keep_dims.
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
#include <vector>

#include <xgrad/array_operation.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/reduce.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

namespace detail {

template <class Options>
inline constexpr bool keeps_dims = false;
template <class... O>
inline constexpr bool keeps_dims<std::tuple<O...>> = (std::is_same_v<std::remove_cvref_t<O>, xt::keep_dims_type> || ...);

template <class X>
inline constexpr bool is_options = false;
template <class... O>
inline constexpr bool is_options<std::tuple<O...>> = true;

// Options that say nothing of the value: an initial one would be left out without a word.
template <class O>
inline constexpr bool is_known_option = std::is_same_v<O, xt::keep_dims_type> || std::is_same_v<O, xt::evaluation_strategy::lazy_type> || std::is_same_v<O, xt::evaluation_strategy::immediate_type>;
template <class Options>
inline constexpr bool are_known_options = true;
template <class... O>
inline constexpr bool are_known_options<std::tuple<O...>> = (is_known_option<std::remove_cvref_t<O>> && ...);

struct every_axis {};

// The axis that the user means, counted from the end where it is negative.
template <int R>
int checked_axis(char const* call, std::ptrdiff_t axis, extents<R> const& s) {
    auto const n = static_cast<std::ptrdiff_t>(s.rank());
    if (axis < -n || axis >= n)
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires axes of its operand, found axis " + std::to_string(axis) + " of an array of shape " + to_string(s));
    return static_cast<int>(axis < 0 ? axis + n : axis);
}
template <class Axes, int R>
std::uint32_t axis_bits(char const* call, Axes const& axes, extents<R> const& s) {
    std::uint32_t bits = 0;
    for (auto i : axes) {
        int const k = checked_axis(call, static_cast<std::ptrdiff_t>(i), s);
        if (bits >> k & 1u) throw std::invalid_argument(std::string("xgrad: ") + call + " requires each axis once, found axis " + std::to_string(k) + " twice");
        bits |= 1u << k;
    }
    return bits;
}

// Op along the axes of these bits, with a result of rank R.
template <int R, class Op, class E>
auto reduce_along_axes(Op op, std::uint32_t axes, bool keep, E&& e) {
    if constexpr (has_reduction<Op>) {
        auto a = capture(std::forward<E>(e));
        if constexpr (R == 0) return formula<Op, decltype(a)>(std::in_place, std::move(a));
        else return formula<along<Op, rank_c<R>>, decltype(a)>(std::in_place, along<Op, rank_c<R>>{axes, keep}, std::move(a));
    } else return array_operation(along_lines<Op, rank_c<R>>{op, axes, keep}, std::forward<E>(e));
}

// Op of e over all axes or those that are given: one, a list of them; Options may say keep_dims.
template <class Op, class E, class Axes, class Options>
auto make_reduction(Op op, E&& e, Axes const& axes, Options const&) {
    using U = std::remove_cvref_t<E>;
    static_assert(are_known_options<Options>, "xgrad[E071]: a reduction of active values requires no other option than xt::keep_dims and an evaluation strategy, but has another: add the initial value to the result");
    constexpr int X = U::rank;
    constexpr bool keep = keeps_dims<Options>;
    // how many axes are given, or -1 where only the call knows
    constexpr int N = [] {
        if constexpr (std::integral<Axes>) return 1;
        else if constexpr (std::is_array_v<Axes>) return static_cast<int>(std::extent_v<Axes>);
        else if constexpr (requires { std::tuple_size<Axes>::value; }) return static_cast<int>(std::tuple_size<Axes>::value);
        else return -1;
    }();
    if constexpr (X == 0) {
        static_assert(!std::is_same_v<Op, op::variance> && !std::is_same_v<Op, op::stddev>, "xgrad[E060]: variance(x) and stddev(x) require an array, but x is a number: it has no spread");
        return make_formula<identity_op>(std::forward<E>(e));
    } else if constexpr (std::is_same_v<Axes, every_axis>) {
        constexpr int R = keep ? X : 0;
        std::uint32_t const all = (std::uint32_t{1} << e.extent().rank()) - 1;
        return reduce_along_axes<R>(op, all, keep, std::forward<E>(e));
    } else {
        static_assert(X == dynamic_rank || N <= X, "xgrad[E025]: a reduction requires at most as many axes as the array has dimensions: leave the others out");
        constexpr int R = X == dynamic_rank || (!keep && N < 0) ? dynamic_rank : keep ? X : X - N;
        auto const s = e.extent();
        std::uint32_t const bits = [&] {
            if constexpr (std::integral<Axes>) return axis_bits("a reduction", std::array<Axes, 1>{axes}, s);
            else return axis_bits("a reduction", axes, s);
        }();
        return reduce_along_axes<R>(op, bits, keep, std::forward<E>(e));
    }
}

}

// The forms F(e, axes, options) of a reduction, as xtensor has them.
#define XGRAD_DETAIL_REDUCTION_BY(NAME, F)                                                                                                                           \
    XGRAD_DETAIL_ACTIVE(NAME, (), F(XGRAD_DETAIL_E, detail::every_axis{}, std::tuple<>{}))                                                                           \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (std::tuple<O...> const& options), F(XGRAD_DETAIL_E, detail::every_axis{}, options))                            \
    XGRAD_DETAIL_ACTIVE(NAME, (detail::axes_of_reduction auto&& axes), F(XGRAD_DETAIL_E, axes, std::tuple<>{}))                                                      \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (detail::axes_of_reduction auto&& axes, std::tuple<O...> const& options), F(XGRAD_DETAIL_E, axes, options))      \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), NAME, (I const (&axes)[N]), F(XGRAD_DETAIL_E, axes, std::tuple<>{}))                                      \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N, class... O), NAME, (I const (&axes)[N], std::tuple<O...> const& options), F(XGRAD_DETAIL_E, axes, options))
// A reduction that is one operation.
#define XGRAD_DETAIL_REDUCTION(NAME) XGRAD_DETAIL_REDUCTION_BY(NAME, detail::reduction_by<op::NAME>)
// One that has a parameter before the axes: F(e, p, axes, options).
#define XGRAD_DETAIL_REDUCTION_WITH(NAME, P, F)                                                                                                                      \
    XGRAD_DETAIL_ACTIVE(NAME, (P p), F(XGRAD_DETAIL_E, p, detail::every_axis{}, std::tuple<>{}))                                                                     \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (P p, std::tuple<O...> const& options), F(XGRAD_DETAIL_E, p, detail::every_axis{}, options))                    \
    XGRAD_DETAIL_ACTIVE(NAME, (P p, detail::axes_of_reduction auto&& axes), F(XGRAD_DETAIL_E, p, axes, std::tuple<>{}))                                              \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (P p, detail::axes_of_reduction auto&& axes, std::tuple<O...> const& options), F(XGRAD_DETAIL_E, p, axes, options)) \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N), NAME, (P p, I const (&axes)[N]), F(XGRAD_DETAIL_E, p, axes, std::tuple<>{}))                              \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N, class... O), NAME, (P p, I const (&axes)[N], std::tuple<O...> const& options), F(XGRAD_DETAIL_E, p, axes, options))

namespace detail {

template <class X>
concept axes_of_reduction = !is_options<std::remove_cvref_t<X>>;

template <class Op>
inline constexpr auto reduction_by = [](auto&& e, auto const& axes, auto const& options) { return make_reduction(Op{}, std::forward<decltype(e)>(e), axes, options); };

// Σ|x|^p and what is made of it, in one pass.
inline constexpr auto norm_l0 = [](auto&& e, auto const& axes, auto const& options) { return make_reduction(op::sum{}, elementwise<op::is_not_zero>(std::forward<decltype(e)>(e)), axes, options); };
inline constexpr auto norm_l1 = [](auto&& e, auto const& axes, auto const& options) { return make_reduction(op::sum{}, elementwise<op::abs>(std::forward<decltype(e)>(e)), axes, options); };
inline constexpr auto norm_sq = [](auto&& e, auto const& axes, auto const& options) {
    using square = std::conditional_t<is_complex_number<typename std::remove_cvref_t<decltype(e)>::value_type>, op::squared_magnitude, op::square>;
    return make_reduction(op::sum{}, elementwise<square>(std::forward<decltype(e)>(e)), axes, options);
};
inline constexpr auto norm_l2 = [](auto&& e, auto const& axes, auto const& options) { return elementwise<op::length>(norm_sq(std::forward<decltype(e)>(e), axes, options)); };
inline constexpr auto norm_linf = [](auto&& e, auto const& axes, auto const& options) { return make_reduction(op::amax{}, elementwise<op::abs>(std::forward<decltype(e)>(e)), axes, options); };
inline constexpr auto norm_lp_to_p = [](auto&& e, double p, auto const& axes, auto const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<decltype(e)>::value_type>>;
    return make_reduction(op::sum{}, elementwise<op::absolute_power>(elementwise<op::abs>(std::forward<decltype(e)>(e)), static_cast<T>(p)), axes, options);
};
inline constexpr auto norm_lp = [](auto&& e, double p, auto const& axes, auto const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<decltype(e)>::value_type>>;
    if (p == 0) throw std::invalid_argument("xgrad: norm_lp(x, p) requires a p that is not 0, found 0: take norm_l0(x)");
    return elementwise<op::absolute_power>(norm_lp_to_p(std::forward<decltype(e)>(e), p, axes, options), static_cast<T>(1 / p));
};
inline constexpr auto nansum = [](auto&& e, auto const& axes, auto const& options) { return make_reduction(op::sum{}, elementwise<op::zero_for_nan>(std::forward<decltype(e)>(e)), axes, options); };
inline constexpr auto nanmean = [](auto&& e, auto const& axes, auto const& options) { return nansum(e, axes, options) / make_reduction(op::sum{}, elementwise<op::is_number>(e), axes, options); };

}

// sum, mean, prod; amax and amin, where equal extremes have equal shares of the derivative; log Σ exp(x).
XGRAD_DETAIL_REDUCTION(sum)
XGRAD_DETAIL_REDUCTION(mean)
XGRAD_DETAIL_REDUCTION(prod)
XGRAD_DETAIL_REDUCTION(amax)
XGRAD_DETAIL_REDUCTION(amin)
XGRAD_DETAIL_REDUCTION(logsumexp)
// Norms; the derivative of norm_l2 and norm_lp is 0 where all elements are 0, and that of norm_l0 everywhere.
XGRAD_DETAIL_REDUCTION_BY(norm_l0, detail::norm_l0)
XGRAD_DETAIL_REDUCTION_BY(norm_l1, detail::norm_l1)
XGRAD_DETAIL_REDUCTION_BY(norm_l2, detail::norm_l2)
XGRAD_DETAIL_REDUCTION_BY(norm_sq, detail::norm_sq)
XGRAD_DETAIL_REDUCTION_BY(norm_linf, detail::norm_linf)
XGRAD_DETAIL_REDUCTION_WITH(norm_lp_to_p, double, detail::norm_lp_to_p)
XGRAD_DETAIL_REDUCTION_WITH(norm_lp, double, detail::norm_lp)
// The same where a NaN is no element; the mean of nothing is NaN.
XGRAD_DETAIL_REDUCTION_BY(nansum, detail::nansum)
XGRAD_DETAIL_REDUCTION_BY(nanmean, detail::nanmean)

// variance(e, ddof), variance(e, axes, ddof): the mean square about the mean, over n - ddof; stddev is its root, with derivative 0 where it is 0.
#define XGRAD_DETAIL_SPREAD(NAME)                                                                                                                             \
    XGRAD_DETAIL_ACTIVE(NAME, (), detail::make_reduction(op::NAME{}, XGRAD_DETAIL_E, detail::every_axis{}, std::tuple<>{}))                                           \
    XGRAD_DETAIL_ACTIVE(NAME, (std::integral auto ddof), detail::make_reduction(op::NAME{static_cast<std::size_t>(ddof)}, XGRAD_DETAIL_E, detail::every_axis{}, std::tuple<>{})) \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (std::tuple<O...> const& options), detail::make_reduction(op::NAME{}, XGRAD_DETAIL_E, detail::every_axis{}, options)) \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), NAME, (std::integral auto ddof, std::tuple<O...> const& options),                                       \
                                 detail::make_reduction(op::NAME{static_cast<std::size_t>(ddof)}, XGRAD_DETAIL_E, detail::every_axis{}, options))                     \
    XGRAD_DETAIL_SPREAD_ALONG(NAME, (), (detail::list_of_axes auto&& axes))                                                                                   \
    XGRAD_DETAIL_SPREAD_ALONG(NAME, (class I, std::size_t N), (I const (&axes)[N]))
#define XGRAD_DETAIL_SPREAD_ALONG(NAME, T, AXES)                                                                                                              \
    XGRAD_DETAIL_ACTIVE_TEMPLATE(T, NAME, AXES, detail::make_reduction(op::NAME{}, XGRAD_DETAIL_E, axes, std::tuple<>{}))                                             \
    XGRAD_DETAIL_ACTIVE_TEMPLATE(T, NAME, (XGRAD_DETAIL_INSIDE AXES, std::integral auto ddof),                                                         \
                                 detail::make_reduction(op::NAME{static_cast<std::size_t>(ddof)}, XGRAD_DETAIL_E, axes, std::tuple<>{}))                              \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((XGRAD_DETAIL_WITH T class... O), NAME, (XGRAD_DETAIL_INSIDE AXES, std::tuple<O...> const& options),                         \
                                 detail::make_reduction(op::NAME{}, XGRAD_DETAIL_E, axes, options))                                                                   \
    XGRAD_DETAIL_ACTIVE_TEMPLATE((XGRAD_DETAIL_WITH T class... O), NAME, (XGRAD_DETAIL_INSIDE AXES, std::integral auto ddof, std::tuple<O...> const& options), \
                                 detail::make_reduction(op::NAME{static_cast<std::size_t>(ddof)}, XGRAD_DETAIL_E, axes, options))
#define XGRAD_DETAIL_INSIDE(...) __VA_ARGS__
namespace detail {
template <class X>
concept list_of_axes = !is_options<std::remove_cvref_t<X>> && !std::integral<std::remove_cvref_t<X>>;
}
XGRAD_DETAIL_SPREAD(variance)
XGRAD_DETAIL_SPREAD(stddev)
#undef XGRAD_DETAIL_SPREAD
#undef XGRAD_DETAIL_SPREAD_ALONG
#undef XGRAD_DETAIL_INSIDE

namespace detail {

template <class E>
auto shape_of_operand(E const& e) {
    if constexpr (active<E>) return e.extent();
    else return shape_of<rank_of<E>>(e);
}
template <class E, class Axes>
auto sum_of_either(E const& e, Axes const& axes) {
    if constexpr (active<E>) return make_reduction(op::sum{}, e, axes, std::tuple<>{});
    else if constexpr (std::is_same_v<Axes, every_axis>) return xt::sum(e)();
    else return typename primal_of<typename E::value_type, rank_of<decltype(xt::sum(e, axes))>>::type(xt::sum(e, axes));
}

// Σ w x / Σ w. Weights of one dimension lie along the one axis.
template <class E, class W, class Axes>
auto make_average(E const& e, W const& w, Axes const& axes) {
    auto const s = shape_of_operand(e);
    auto const v = shape_of_operand(w);
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity, V = decltype(v)::capacity == max_dynamic_rank ? dynamic_rank : decltype(v)::capacity;
    auto const divide = [&](auto const& weights) { return sum_of_either(e * weights, axes) / sum_of_either(weights, axes); };
    if constexpr (!std::is_same_v<Axes, every_axis> && V != R && V != dynamic_rank) {
        static_assert(V == 1, "xgrad[E061]: average(x, weights, axes) requires weights of the shape of x, or one for each place along the axis: reshape the weights");
        std::uint32_t const bits = axis_bits("average(x, weights, axes)", axes, s);
        int const axis = std::countr_zero(bits);
        if (!std::has_single_bit(bits) || v[0] != s[axis])
            throw std::invalid_argument("xgrad: average(x, weights, axes) requires weights of the shape of x, or one for each place along the one axis, found " + to_string(s) + " and " + to_string(v) + ": reshape the weights");
        return divide(lay_along<R>(w, axis, s.rank()));
    } else {
        bool same = v.rank() == s.rank();
        for (int d = 0; same && d < s.rank(); ++d) same = v[d] == s[d];
        if (!same) throw std::invalid_argument("xgrad: average(x, weights) requires weights of the shape of x, found " + to_string(s) + " and " + to_string(v) + ": reshape the weights");
        return divide(w);
    }
}

// Σ (x[k+1] - x[k]) (y[k+1] + y[k]) / 2 along an axis, x of the shape of y or one line.
template <class Y, class X>
auto make_trapz(Y const& y, X const& x, std::ptrdiff_t given) {
    auto const s = shape_of_operand(y);
    auto const v = shape_of_operand(x);
    constexpr int R = decltype(s)::capacity == max_dynamic_rank ? dynamic_rank : decltype(s)::capacity, V = decltype(v)::capacity == max_dynamic_rank ? dynamic_rank : decltype(v)::capacity;
    int const axis = checked_axis("trapz(y, x, axis)", given, s), own = V == 1 ? 0 : axis;
    if (own >= v.rank() || v[own] != s[axis]) throw std::invalid_argument("xgrad: trapz(y, x, axis) requires a point x for each element along the axis, found " + to_string(s) + " and " + to_string(v) + ": reshape one of them");
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

// average(e), average(e, weights), average(e, weights, axes): active or plain weights, of e's shape or one for each place along the axis.
XGRAD_DETAIL_ACTIVE(average, (), detail::make_reduction(op::mean{}, XGRAD_DETAIL_E, detail::every_axis{}, std::tuple<>{}))
XGRAD_DETAIL_ACTIVE_TEMPLATE((class... O), average, (std::tuple<O...> const& options), detail::make_reduction(op::mean{}, XGRAD_DETAIL_E, detail::every_axis{}, options))
#define XGRAD_DETAIL_AVERAGE(T, AXES, ...)                                                                               \
    XGRAD_DETAIL_ACTIVE_TEMPLATE(T, average, (detail::axes_of_reduction auto&& weights XGRAD_DETAIL_MORE AXES), detail::make_average(e, weights, __VA_ARGS__)) \
    XGRAD_DETAIL_AVERAGE_BY(T, &, AXES, __VA_ARGS__)                                                                     \
    XGRAD_DETAIL_AVERAGE_BY(T, const&, AXES, __VA_ARGS__)                                                                \
    XGRAD_DETAIL_AVERAGE_BY(T, &&, AXES, __VA_ARGS__)                                                                    \
    XGRAD_DETAIL_AVERAGE_BY(T, const&&, AXES, __VA_ARGS__)
#define XGRAD_DETAIL_AVERAGE_BY(T, REF, AXES, ...)                                                                       \
    template <plain_array E, XGRAD_DETAIL_WITH T template <class...> class H, class... A>                                \
        requires active<H<A...>>                                                                                         \
    auto average(E&& e, H<A...> REF weights XGRAD_DETAIL_MORE AXES) {                                                    \
        return detail::make_average(e, weights, __VA_ARGS__);                                                            \
    }
XGRAD_DETAIL_AVERAGE((), (), detail::every_axis{})
XGRAD_DETAIL_AVERAGE((), (detail::list_of_axes auto&& axes), axes)
XGRAD_DETAIL_AVERAGE((), (std::integral auto axis), std::array<std::ptrdiff_t, 1>{static_cast<std::ptrdiff_t>(axis)})
XGRAD_DETAIL_AVERAGE((class I, std::size_t N), (I const (&axes)[N]), std::to_array(axes))
#undef XGRAD_DETAIL_AVERAGE
#undef XGRAD_DETAIL_AVERAGE_BY

// The area under y along an axis, by trapezia: its points are dx apart, or at x, which may be active.
template <active Y>
auto trapz(Y&& y, double dx = 1.0, std::ptrdiff_t axis = -1) {
    static_assert(std::remove_cvref_t<Y>::rank != 0, "xgrad[E062]: trapz(y) requires an array, but y is a number: integrate over several");
    return detail::make_reduction(op::trapz{dx}, std::forward<Y>(y), axis, std::tuple<>{});
}
template <class Y, class X>
    requires((active<Y> && (active<X> || plain_array<X>)) || (plain_array<Y> && active<X>))
auto trapz(Y&& y, X&& x, std::ptrdiff_t axis = -1) { return detail::make_trapz(y, x, axis); }

}

namespace xt {
using xgrad::amax, xgrad::amin, xgrad::average, xgrad::mean, xgrad::nanmean, xgrad::nansum, xgrad::norm_l0, xgrad::norm_l1, xgrad::norm_l2, xgrad::norm_linf, xgrad::norm_lp, xgrad::norm_lp_to_p, xgrad::norm_sq, xgrad::prod, xgrad::stddev,
    xgrad::sum, xgrad::trapz, xgrad::variance;
}
namespace xgrad {
using xt::amax, xt::amin, xt::average, xt::mean, xt::nanmean, xt::nansum, xt::norm_l0, xt::norm_l1, xt::norm_l2, xt::norm_linf, xt::norm_lp, xt::norm_lp_to_p, xt::norm_sq, xt::prod, xt::stddev, xt::sum, xt::trapz, xt::variance;
}
