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
inline constexpr bool is_known_option = std::is_same_v<O, xt::keep_dims_type> || std::is_same_v<O, xt::evaluation_strategy::lazy_type> ||
                                        std::is_same_v<O, xt::evaluation_strategy::immediate_type>;
template <class Options>
inline constexpr bool are_known_options = true;
template <class... O>
inline constexpr bool are_known_options<std::tuple<O...>> = (is_known_option<std::remove_cvref_t<O>> && ...);

template <class X>
concept list_of_axes = !is_options<std::remove_cvref_t<X>> && !std::integral<std::remove_cvref_t<X>>;

struct every_axis {};

// The axis that the user means, counted from the end where it is negative.
template <int R>
int checked_axis(char const* call, std::ptrdiff_t axis, extents<R> const& s) {
    auto const n = static_cast<std::ptrdiff_t>(s.rank());
    if (axis < -n || axis >= n)
        throw std::invalid_argument(std::string("xgrad: ") + call + " requires axes of its operand, found axis " + std::to_string(axis) +
                                    " of an array of shape " + to_string(s));
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
XGRAD_DETAIL_INLINE auto reduce_along_axes(Op op, std::uint32_t axes, bool keep, E&& e) {
    if constexpr (has_reduction<Op>) {
        if constexpr (R == 0) {
            auto a = as_small_operand(std::forward<E>(e));
            return formula<Op, decltype(a)>(std::in_place, std::move(a));
        } else {
            auto a = as_operand(std::forward<E>(e));
            return formula<along<Op, rank_c<R>>, decltype(a)>(std::in_place, along<Op, rank_c<R>>{axes, keep}, std::move(a));
        }
    } else return array_operation(along_lines<Op, rank_c<R>>{op, axes, keep}, std::forward<E>(e));
}

// How many axes are given, or -1 where only the call knows.
template <class Axes>
inline constexpr int count_of_axes = [] {
    if constexpr (std::integral<Axes>) return 1;
    else if constexpr (std::is_array_v<Axes>) return static_cast<int>(std::extent_v<Axes>);
    else if constexpr (requires { std::tuple_size<Axes>::value; }) return static_cast<int>(std::tuple_size<Axes>::value);
    else return -1;
}();
// The rank of what a reduction leaves of rank X, and the bits of the axes that it goes along.
template <int X, class Axes, bool Keep>
constexpr int rank_of_reduction() {
    if constexpr (std::is_same_v<Axes, every_axis>) return Keep ? X : 0;
    else {
        constexpr int N = count_of_axes<Axes>;
        static_assert(X == dynamic_rank || N <= X, "xgrad[E025]: a reduction requires at most as many axes as the array has dimensions: leave the others out");
        return X == dynamic_rank || (!Keep && N < 0) ? dynamic_rank : Keep ? X : X - N;
    }
}
template <class Axes, int R>
std::uint32_t reduced_axes(Axes const& axes, extents<R> const& s) {
    if constexpr (std::is_same_v<Axes, every_axis>) return (std::uint32_t{1} << s.rank()) - 1;
    else if constexpr (std::integral<Axes>) return axis_bits("a reduction", std::array<Axes, 1>{axes}, s);
    else return axis_bits("a reduction", axes, s);
}
template <class Options>
constexpr bool require_known_options() {
    static_assert(
        are_known_options<Options>,
        "xgrad[E071]: a reduction of active values requires no other option than xt::keep_dims and an evaluation strategy, but has another: add the initial "
        "value to the result");
    return keeps_dims<Options>;
}

// Op of e over all axes or those that are given: one, a list of them; Options may say keep_dims.
template <class Op, class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto make_reduction(Op op, E&& e, Axes const& axes, Options const&) {
    constexpr bool keep = require_known_options<Options>();
    constexpr int X = std::remove_cvref_t<E>::rank;
    if constexpr (X == 0) {
        static_assert(!std::is_same_v<Op, op::variance> && !std::is_same_v<Op, op::stddev>,
                      "xgrad[E060]: variance(x) and stddev(x) require an array, but x is a number: it has no spread");
        return make_formula<identity_op>(std::forward<E>(e));
    } else {
        constexpr int R = rank_of_reduction<X, Axes, keep>();
        std::uint32_t const bits = reduced_axes(axes, e.extent());
        return reduce_along_axes<R>(op, bits, keep, std::forward<E>(e));
    }
}

// A reduction as a rule of lines, for plain arrays.
template <class Op>
struct element_by_element {};

// Whether a reduction of E may be told to give a T: void, which says nothing, or the type of E's elements.
template <class T, class E>
inline constexpr bool gives =
    std::is_same_v<T, typename std::remove_cvref_t<E>::value_type> || std::is_same_v<T, scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
template <class E>
inline constexpr bool gives<void, E> = true;

template <class Op, class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto reduce_by(E&& e, Axes const& axes, Options const& options) { return make_reduction(Op{}, std::forward<E>(e), axes, options); }

// Σ|x|^p and what is made of it, in one pass.
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l0(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::is_not_zero>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l1(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::abs>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_sq(E&& e, Axes const& axes, Options const& options) {
    using square = std::conditional_t<is_complex_number<typename std::remove_cvref_t<E>::value_type>, op::squared_magnitude, op::square>;
    return make_reduction(op::sum{}, elementwise<square>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l2(E&& e, Axes const& axes, Options const& options) {
    return elementwise<op::length>(detail::norm_sq(std::forward<E>(e), axes, options));
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_linf(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::amax{}, elementwise<op::abs>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_lp_to_p(E&& e, double p, Axes const& axes, Options const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
    return make_reduction(op::sum{}, elementwise<op::absolute_power>(elementwise<op::abs>(std::forward<E>(e)), static_cast<T>(p)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_lp(E&& e, double p, Axes const& axes, Options const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
    if (p == 0) throw std::invalid_argument("xgrad: norm_lp(x, p) requires a p that is not 0, found 0: take norm_l0(x)");
    return elementwise<op::absolute_power>(detail::norm_lp_to_p(std::forward<E>(e), p, axes, options), static_cast<T>(1 / p));
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nansum(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::zero_for_nan>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nanmean(E&& e, Axes const& axes, Options const& options) {
    auto const& x = keep_alive(std::forward<E>(e));
    return detail::nansum(x, axes, options) / make_reduction(op::sum{}, elementwise<op::is_number>(x), axes, options);
}

// variance and stddev: about the mean, over n - ddof. What follows the array may be axes, ddof, both, and options.
template <class Op, class E, class Axes, std::integral D, class Options>
XGRAD_DETAIL_INLINE auto variance_like(E&& e, Axes const& axes, D ddof, Options const& options) {
    return make_reduction(Op{static_cast<std::size_t>(ddof)}, std::forward<E>(e), axes, options);
}
template <class Op, class E, class A, class B>
XGRAD_DETAIL_INLINE auto variance_like(E&& e, A const& axes_or_ddof, B const& ddof_or_options) {
    if constexpr (std::integral<A>) return variance_like<Op>(std::forward<E>(e), every_axis{}, axes_or_ddof, ddof_or_options);
    else if constexpr (std::integral<B>) return variance_like<Op>(std::forward<E>(e), axes_or_ddof, ddof_or_options, std::tuple<>{});
    else return variance_like<Op>(std::forward<E>(e), axes_or_ddof, 0, ddof_or_options);
}

}

}

// The functions are declared beside xtensor's, with heads that equal xtensor's token by token, so being constrained they win.
// F(e, p..., axes, options) makes the value; P are further parameters, in front of the axes.
namespace xt {

#define XGRAD_DETAIL_GIVES(T, E) \
    static_assert(xgrad::detail::gives<T, E>, \
                  "xgrad[E108]: xt::sum<T>(x) of an active x, and the like, requires for T the type of the elements of x, but T is another: leave it out")
// Over all, and along axes that are given as {i, j}.
#define XGRAD_DETAIL_REDUCTION(NAME, ...)                                                                                             \
    template <class T = void, class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>                  \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, EVS es = EVS()) {                                                                            \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::__VA_ARGS__(std::forward<E>(e), xgrad::detail::every_axis{}, es);                                       \
    }                                                                                                                                 \
    template <class T = void, class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS>                                 \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, const I (&axes)[N], EVS es = EVS()) {                                                        \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::__VA_ARGS__(std::forward<E>(e), axes, es);                                                              \
    }
// Along axes: what XTL_REQUIRES asks of them differs from one to another.
#define XGRAD_DETAIL_REDUCTION_ALONG(NAME, AXES, REQUIRED, ...)                                                                       \
    template <class T = void, class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_INSIDE REQUIRED)>    \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, AXES axes, EVS es = EVS()) {                                                                 \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::__VA_ARGS__(std::forward<E>(e), axes, es);                                                              \
    }
#define XGRAD_DETAIL_INSIDE(...) __VA_ARGS__
#define XGRAD_DETAIL_NO_OPTIONS xgrad::host_negation<is_reducer_options<X>>
#define XGRAD_DETAIL_REDUCER(NAME, ...)                                                                                               \
    XGRAD_DETAIL_REDUCTION(NAME, __VA_ARGS__)                                                                                         \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X&&, (XGRAD_DETAIL_NO_OPTIONS, xgrad::host_negation<xtl::is_integral<std::decay_t<X>>>), __VA_ARGS__) \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X, (XGRAD_DETAIL_NO_OPTIONS, xtl::is_integral<std::decay_t<X>>), __VA_ARGS__)
#define XGRAD_DETAIL_MEAN(NAME, ...)                                                                                                  \
    XGRAD_DETAIL_REDUCTION(NAME, __VA_ARGS__)                                                                                         \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X&&, (XGRAD_DETAIL_NO_OPTIONS), __VA_ARGS__)
// Norms take no result type.
#define XGRAD_DETAIL_NORM(NAME, ...)                                                                                                  \
    template <class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>                                  \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), EVS es = EVS()) {                                   \
        return xgrad::detail::NAME(std::forward<E>(e), __VA_OPT__(p, ) xgrad::detail::every_axis{}, es);                              \
    }                                                                                                                                 \
    template <class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS)>                         \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), X&& axes, EVS es = EVS()) {                         \
        return xgrad::detail::NAME(std::forward<E>(e), __VA_OPT__(p, ) axes, es);                                                     \
    }                                                                                                                                 \
    template <class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS>                                                 \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), const I (&axes)[N], EVS es = EVS()) {               \
        return xgrad::detail::NAME(std::forward<E>(e), __VA_OPT__(p, ) axes, es);                                                     \
    }

// sum, mean, prod; amax and amin, where equal extremes have equal shares of the derivative.
XGRAD_DETAIL_REDUCER(sum, reduce_by<xgrad::op::sum>)
XGRAD_DETAIL_REDUCER(prod, reduce_by<xgrad::op::prod>)
XGRAD_DETAIL_REDUCER(amax, reduce_by<xgrad::op::amax>)
XGRAD_DETAIL_REDUCER(amin, reduce_by<xgrad::op::amin>)
XGRAD_DETAIL_MEAN(mean, reduce_by<xgrad::op::mean>)
// Norms; the derivative of norm_l2 and norm_lp is 0 where all elements are 0, and that of norm_l0 everywhere.
XGRAD_DETAIL_NORM(norm_l0)
XGRAD_DETAIL_NORM(norm_l1)
XGRAD_DETAIL_NORM(norm_l2)
XGRAD_DETAIL_NORM(norm_sq)
XGRAD_DETAIL_NORM(norm_linf)
XGRAD_DETAIL_NORM(norm_lp_to_p, double)
XGRAD_DETAIL_NORM(norm_lp, double)
// The same where a NaN is no element; the mean of nothing is NaN.
XGRAD_DETAIL_REDUCER(nansum, nansum)
XGRAD_DETAIL_MEAN(nanmean, nanmean)
// variance(e, ddof), variance(e, axes, ddof): the mean square about the mean, over n - ddof; stddev is its root, with derivative 0 where it is 0.
#define XGRAD_DETAIL_SPREAD(NAME, HEAD, PARAMETERS, ...)                                                                              \
    template <class T = void, class E, XGRAD_DETAIL_INSIDE HEAD>                                                                      \
        requires xgrad::active<E>                                                                                                     \
    auto NAME(E&& e, XGRAD_DETAIL_INSIDE PARAMETERS) {                                                                                \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::variance_like<xgrad::op::NAME>(std::forward<E>(e), __VA_ARGS__);                                               \
    }
XGRAD_DETAIL_SPREAD(variance, (class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)), (EVS es = EVS()), 0, es)
XGRAD_DETAIL_SPREAD(variance, (class D, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, xtl::is_integral<D>)),
                    (D const& ddof, EVS es = EVS()), ddof, es)
XGRAD_DETAIL_SPREAD(variance, (class X, class D, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS, xtl::is_integral<D>)),
                    (X&& axes, const D& ddof, EVS es = EVS()), axes, ddof, es)
XGRAD_DETAIL_SPREAD(variance,
                    (class X, class EVS = DEFAULT_STRATEGY_REDUCERS,
                     XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS, xgrad::host_negation<xtl::is_integral<std::decay_t<X>>>, is_reducer_options<EVS>)),
                    (X&& axes, EVS es = EVS()), axes, es)
XGRAD_DETAIL_SPREAD(variance, (class A, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)),
                    (const A (&axes)[N], EVS es = EVS()), axes, es)
XGRAD_DETAIL_SPREAD(variance, (class A, std::size_t N, class D, class EVS = DEFAULT_STRATEGY_REDUCERS), (const A (&axes)[N], D const& ddof, EVS es = EVS()),
                    axes, ddof, es)
XGRAD_DETAIL_MEAN(stddev, variance_like<xgrad::op::stddev>)
// with ddof xtensor has none
XGRAD_DETAIL_SPREAD(stddev, (class X, std::integral D, class EVS), (X const& axes, D ddof, EVS es), axes, ddof, es)
XGRAD_DETAIL_SPREAD(stddev, (class A, std::size_t N, std::integral D, class EVS), (const A (&axes)[N], D ddof, EVS es), axes, ddof, es)
#undef XGRAD_DETAIL_SPREAD
#undef XGRAD_DETAIL_NORM
#undef XGRAD_DETAIL_MEAN
#undef XGRAD_DETAIL_REDUCER
#undef XGRAD_DETAIL_REDUCTION_ALONG
#undef XGRAD_DETAIL_REDUCTION

}

namespace xgrad {

template <class Op>
struct line_rule<detail::element_by_element<Op>> {
    static constexpr bool reduces = true;
    static void check(detail::element_by_element<Op>, std::size_t n) { reduction<Op>::check(n); }
    template <class T>
    static T value(detail::element_by_element<Op>, line<T const> const& x) {
        T const all =
            fold(x, reduction<Op>::template identity<T>(), detail::as_it_is, [](auto const& a, auto const& b) { return reduction<Op>::combine(a, b); });
        return reduction<Op>::finish(all, x.size());
    }
};

namespace detail {

template <class Op, class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto reduce_either(Op const& op, E&& e, Axes const& axes, Options const& options) {
    if constexpr (active<E>) return make_reduction(op, std::forward<E>(e), axes, options);
    else {
        constexpr bool keep = require_known_options<Options>();
        constexpr int X = rank_of<E>;
        using T = std::common_type_t<typename std::remove_cvref_t<E>::value_type, float>;
        auto const bits = reduced_axes(axes, shape_of<X>(e));
        using R = rank_c<rank_of_reduction<X, Axes, keep>()>;
        if constexpr (has_reduction<Op>) return plain_result<T>(along_lines<element_by_element<Op>, R>{{}, bits, keep}, std::forward<E>(e));
        else return plain_result<T>(along_lines<Op, R>{op, bits, keep}, std::forward<E>(e));
    }
}

template <class E>
concept reducible = (active<E> && std::remove_cvref_t<E>::rank != 0) || plain_array<E>;

}

// op of x, an array, active or plain: over all elements, or along the axes that are given: one, a list or {i, j}, negative ones counted from the end;
// what a function for a reduction of one's own returns. Op has a line_rule (ruleset/line.hpp), or a reduction (rule/array_ref.hpp), which is computed in
// one loop with the formula below it. The axes go, or stay with one element where the options are xt::keep_dims; over everything the result is a number.
// Throws std::invalid_argument for an axis that x does not have or that is given twice, and what the rule's check throws, where the value is asked for.
template <class Op, detail::reducible E, class Options = std::tuple<>>
    requires detail::is_options<Options>
XGRAD_DETAIL_INLINE auto reduce_with(Op op, E&& x, Options const& options = {}) {
    return detail::reduce_either(op, std::forward<E>(x), detail::every_axis{}, options);
}
template <class Op, detail::reducible E, class Axes, class Options = std::tuple<>>
    requires(!detail::is_options<Axes>)
XGRAD_DETAIL_INLINE auto reduce_with(Op op, E&& x, Axes const& axes, Options const& options = {}) {
    return detail::reduce_either(op, std::forward<E>(x), axes, options);
}
template <class Op, detail::reducible E, class I, std::size_t N, class Options = std::tuple<>>
XGRAD_DETAIL_INLINE auto reduce_with(Op op, E&& x, I const (&axes)[N], Options const& options = {}) {
    return detail::reduce_either(op, std::forward<E>(x), axes, options);
}

// log Σ exp(x)
template <active E, class Options = std::tuple<>>
    requires detail::is_options<Options>
auto logsumexp(E&& e, Options const& options = {}) { return detail::make_reduction(op::logsumexp{}, std::forward<E>(e), detail::every_axis{}, options); }
template <active E, class Axes, class Options = std::tuple<>>
    requires(!detail::is_options<Axes>)
auto logsumexp(E&& e, Axes const& axes, Options const& options = {}) { return detail::make_reduction(op::logsumexp{}, std::forward<E>(e), axes, options); }
template <active E, class I, std::size_t N, class Options = std::tuple<>>
auto logsumexp(E&& e, I const (&axes)[N], Options const& options = {}) { return detail::make_reduction(op::logsumexp{}, std::forward<E>(e), axes, options); }

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
                "xgrad: average(x, weights, axes) requires weights of the shape of x, or one for each place along the one axis, found " + to_string(s) +
                " and " + to_string(v) + ": reshape the weights");
        return divide(lay_along<R>(w, axis, s.rank()));
    } else {
        bool same = v.rank() == s.rank();
        for (int d = 0; same && d < s.rank(); ++d) same = v[d] == s[d];
        if (!same)
            throw std::invalid_argument("xgrad: average(x, weights) requires weights of the shape of x, found " + to_string(s) + " and " + to_string(v) +
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
        throw std::invalid_argument("xgrad: trapz(y, x, axis) requires a point x for each element along the axis, found " + to_string(s) + " and " +
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
// average(e), average(e, weights), average(e, weights, axes): active or plain weights, of e's shape or one for each place along the axis.
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
#undef XGRAD_DETAIL_NO_OPTIONS
#undef XGRAD_DETAIL_INSIDE
}

namespace xgrad {

// Where two of xtensor's are equally good (options without weights, an axis that has a name) these are better than both.
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N, class... O), variance, (I const (&axes)[N], std::tuple<O...> const& options),
                             detail::variance_like<op::variance>(XGRAD_DETAIL_E, axes, options))
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

// The area under y along an axis, by trapezia: its points are dx apart, or at x, which may be active.
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
using xgrad::average, xgrad::trapz, xgrad::variance;
}
namespace xgrad {
using xt::amax, xt::amin, xt::average, xt::mean, xt::nanmean, xt::nansum, xt::norm_l0, xt::norm_l1, xt::norm_l2, xt::norm_linf, xt::norm_lp, xt::norm_lp_to_p,
    xt::norm_sq, xt::prod, xt::stddev, xt::sum, xt::trapz, xt::variance;
}
