// Defines reduce_with(op, x, axes): a reduction by its rule, over all elements of an array or along axes, with or without xt::keep_dims.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/along_lines.hpp>
#include <xgrad/ruleset/reduce.hpp>

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
        throw std::invalid_argument(std::string("xgrad[E205]: ") + call + " requires axes of its operand, found axis " + std::to_string(axis) +
                                    " of an array of shape " + to_string(s));
    return static_cast<int>(axis < 0 ? axis + n : axis);
}
template <class Axes, int R>
std::uint32_t axis_bits(char const* call, Axes const& axes, extents<R> const& s) {
    std::uint32_t bits = 0;
    for (auto i : axes) {
        int const k = checked_axis(call, static_cast<std::ptrdiff_t>(i), s);
        if (bits >> k & 1u)
            throw std::invalid_argument(std::string("xgrad[E205]: ") + call + " requires each axis once, found axis " + std::to_string(k) + " twice");
        bits |= 1u << k;
    }
    return bits;
}

// Op along the axes of these bits, with a result of rank R.
template <int R, class Op, class E>
XGRAD_DETAIL_INLINE auto reduce_along_axes(Op op, std::uint32_t axes, bool keep, E&& e) {
    if constexpr (has_reduction<Op>) {
        if constexpr (R == 0) {
            auto a = as_nested_operand<is_nestable<std::remove_cvref_t<E>>, std::remove_cvref_t<E>::rank>(std::forward<E>(e));
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

}

template <class Op>
struct line_rule<detail::element_by_element<Op>> {
    static constexpr bool reduces = true;
    template <class T>
    static constexpr bool takes_packs = !detail::may_scale<reduction<Op>>;
    static void check(detail::element_by_element<Op>, std::size_t n) { reduction<Op>::check(n); }
    template <class T>
    static T value(detail::element_by_element<Op>, line<T const> const& x) {
        using rule = reduction<Op>;
        auto const pass = [&]<class Rule>(std::type_identity<Rule>, T const& c) {
            return fold(x, rule::template identity<T>(), [&](auto const& v) { return detail::element_by<Rule>(v, like(v, c)); },
                        [](auto const& a, auto const& b) { return rule::combine(a, b); });
        };
        T const all = pass(std::type_identity<rule>(), T(1));
        if constexpr (detail::may_scale<rule>)
            if (T const c = rule::scale(all); c != T(1)) return T(rule::finish(pass(std::type_identity<typename rule::scaled>(), c), x.size()) / c);
        return rule::finish(all, x.size());
    }
};

namespace detail {

// Whether an operation's rule about lines of numbers T has what a reduction asks of it. The bodies that say their result's type are not compiled.
template <class Op, class T, bool Active>
consteval bool check_line_rule() {
    using rule = line_rule<Op>;
    constexpr bool known = requires { sizeof(rule); };
    static_assert(known, "xgrad[E188]: reduce_with(op, x, axes) requires a specialisation of xgrad::line_rule for the type of op, but there is none: "
                         "xgrad/ruleset/line.hpp tells its members");
    if constexpr (!known) return false;
    else {
        constexpr bool reduces = requires { requires rule::reduces; };
        constexpr bool value = requires(Op op, line<T const> x, line<T> kept) { rule::value(op, x); } ||
                               requires(Op op, line<T const> x, line<T> kept) { rule::value(op, x, kept); };
        constexpr bool pullback = !Active || requires(Op op, line<T> xbar, T y, line<T const> x) { rule::pullback(op, xbar, true, y, y, x); } ||
                                  requires(Op op, line<T> xbar, T y, line<T const> x) { rule::pullback(op, xbar, true, y, y, x, x); };
        static_assert(reduces, "xgrad[E188]: reduce_with(op, x, axes) requires a line_rule whose reduces is true, but this one has none: write static "
                               "constexpr bool reduces = true");
        static_assert(value, "xgrad[E188]: reduce_with(op, x, axes) requires a line_rule with a value, but this one has none for op and these numbers: write "
                             "template <class T> static T value(Op, line<T const> const& x)");
        static_assert(pullback, "xgrad[E188]: reduce_with(op, x, axes) requires a line_rule with a pullback, but this one has none for op and these numbers: "
                                "write template <class T> static void pullback(Op, line<T> const& xbar, bool add, T const& ybar, T const& y, line<T const> "
                                "const& x)");
        return reduces && value && pullback;
    }
}

template <class E>
using plain_element_t = std::common_type_t<typename std::remove_cvref_t<E>::value_type, float>;

template <class Op, class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto reduce_either(Op const& op, E&& e, Axes const& axes, Options const& options) {
    constexpr bool known = [] {
        if constexpr (has_reduction<Op>) return true;
        else if constexpr (active<E>) return check_line_rule<Op, typename std::remove_cvref_t<E>::value_type, true>();
        else return check_line_rule<Op, plain_element_t<E>, false>();
    }();
    if constexpr (!known) return reduce_either(op::sum{}, std::forward<E>(e), axes, options);
    else if constexpr (active<E>) return make_reduction(op, std::forward<E>(e), axes, options);
    else {
        constexpr bool keep = require_known_options<Options>();
        constexpr int X = rank_of<E>;
        using T = plain_element_t<E>;
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

}
