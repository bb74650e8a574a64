// Defines where(c, a, b) and clip(x, low, high) of active values: what is chosen has the derivative, the rest has exactly none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/ruleset/choice.hpp>

namespace xgrad {

namespace detail {
// A condition as an operand: the value of an active one.
template <class C>
decltype(auto) condition_of(C&& c) {
    if constexpr (active<C>) return primal(c);
    else if constexpr (is_lane_mask<std::remove_cvref_t<C>>) return c.as_numbers();
    else return std::forward<C>(c);
}
}

// where(c, a, b): a where the condition holds, otherwise b; c is a bool or an array of them, as comparisons give it, a and b numbers or arrays, one of them
// active. The result has the shape that all three broadcast to. Into what is not taken goes exactly 0, whatever comes back. Throws std::invalid_argument where
// the shapes do not broadcast.
template <class C, class A, class B>
    requires((active<A> || active<B>) && (active<C> || plain_operand<C> || detail::is_lane_mask<std::remove_cvref_t<C>>) &&
             (active<A> || plain_operand<A>) && (active<B> || plain_operand<B>))
auto where(C&& condition, A&& a, B&& b) {
    return make_formula<op::where>(detail::condition_of(std::forward<C>(condition)), std::forward<A>(a), std::forward<B>(b));
}

namespace detail {
template <class C, class A, class B>
auto one_of_two(C const& c, A&& a, B&& b) {
    if constexpr (active<A> || active<B>) return where(c, std::forward<A>(a), std::forward<B>(b));
    else if constexpr (!std::is_same_v<C, bool>) return xt::eval(xt::where(condition_of(c), a, b));
    else {
        using T = std::common_type_t<element_type_t<A>, element_type_t<B>>;
        if constexpr (plain_array<A> || plain_array<B>) return c ? xt::xarray<T>(a) : xt::xarray<T>(b);
        else return c ? static_cast<T>(a) : static_cast<T>(b);
    }
}
// Each choice moves out of its tuple.
template <std::size_t I, class C, class A, class D>
decltype(auto) select_from(C const& conditions, A& choices, D&& otherwise) {
    if constexpr (I == std::tuple_size_v<C>) return std::forward<D>(otherwise);
    else return one_of_two(std::get<I>(conditions), std::get<I>(std::move(choices)), select_from<I + 1>(conditions, choices, std::forward<D>(otherwise)));
}
}

// select(xt::xtuple(c, d, ...), xt::xtuple(a, b, ...), otherwise): each element from the choice whose condition is the first that holds, as NumPy has it.
// Conditions, choices and `otherwise` broadcast, and may be active, plain arrays or numbers; as many choices as conditions (E106). Throws std::invalid_argument
// where the shapes do not broadcast.
template <class... C, class... A, class D>
auto select(std::tuple<C...> const& conditions, std::tuple<A...> choices, D&& otherwise) {
    static_assert(
        sizeof...(C) == sizeof...(A),
        "xgrad[E106]: select(xtuple(c...), xtuple(a...), otherwise) requires as many choices as conditions, but there is another number: what holds "
        "elsewhere is the last argument");
    return detail::select_from<0>(conditions, choices, std::forward<D>(otherwise));
}

// x between low and high, which may be numbers or arrays, active or plain; the result has the shape that all broadcast to. On a bound x has the derivative,
// beyond it the bound; where low is above high the value is high, and NaN where x is. Throws std::invalid_argument where the shapes do not broadcast.
template <class X, class L, class H>
    requires active_triple<X, L, H>
auto clip(X&& x, L&& low, H&& high) {
    return make_formula<op::clip>(std::forward<X>(x), std::forward<L>(low), std::forward<H>(high));
}

namespace detail {
// 1 with the sign of b, of type T: a number, or an array of them.
template <class T, class B>
auto one_with_sign(B const& b) {
    if constexpr (active<B>) return one_with_sign<T>(primal(b));
    else if constexpr (std::is_arithmetic_v<B>) return std::copysign(T(1), static_cast<T>(b));
    else {
        typename primal_of<T, rank_of<B>>::type s = b;
        for (auto& v : s) v = std::copysign(T(1), v);
        return s;
    }
}
}
// |a| with the sign of b, of the shape that both broadcast to: the derivative by b is 0, and by a at 0, too. Throws std::invalid_argument where the shapes do
// not broadcast.
template <active A, class B>
auto copysign(A&& a, B const& b) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<A>::value_type>>;
    return abs(std::forward<A>(a)) * detail::one_with_sign<T>(b);
}
template <class A, class B>
    requires detail::all_plain<A, B>
auto copysign(A&& a, B&& b) {
    using T = std::common_type_t<detail::element_type_t<A>, float>;
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<A>>) return std::abs(static_cast<T>(a)) * detail::one_with_sign<T>(b);
    else return xt::eval(xt::abs(a) * detail::one_with_sign<T>(b));
}

// maximum, minimum and clip by their names in std::, which for values of different types std:: itself refuses: max(x, 0.0). Of plain numbers the type is their
// common one. Throws std::invalid_argument where the shapes do not broadcast.
namespace spelling {
template <class A, class B>
    requires(active_pair<A, B> || detail::dual_pair<A, B>)
auto max(A&& a, B&& b) { return xgrad::maximum(std::forward<A>(a), std::forward<B>(b)); }
template <class A, class B>
    requires(active_pair<A, B> || detail::dual_pair<A, B>)
auto min(A&& a, B&& b) { return xgrad::minimum(std::forward<A>(a), std::forward<B>(b)); }
template <class X, class L, class H>
    requires active_triple<X, L, H>
auto clamp(X&& x, L&& low, H&& high) { return xgrad::clip(std::forward<X>(x), std::forward<L>(low), std::forward<H>(high)); }
}
using spelling::clamp, spelling::max, spelling::min;
// Of plain arrays, and of numbers beside them.
namespace spelling_of_arrays {
template <class A, class B>
    requires(detail::all_plain<A, B> && (plain_array<A> || plain_array<B>))
auto max(A&& a, B&& b) { return xgrad::maximum(std::forward<A>(a), std::forward<B>(b)); }
template <class A, class B>
    requires(detail::all_plain<A, B> && (plain_array<A> || plain_array<B>))
auto min(A&& a, B&& b) { return xgrad::minimum(std::forward<A>(a), std::forward<B>(b)); }
template <class X, class L, class H>
    requires(detail::all_plain<X, L, H> && (plain_array<X> || plain_array<L> || plain_array<H>))
auto clamp(X&& x, L&& low, H&& high) {
    return xgrad::maximum(xgrad::minimum(std::forward<X>(x), std::forward<H>(high)), std::forward<L>(low));
}
}
using spelling_of_arrays::clamp, spelling_of_arrays::max, spelling_of_arrays::min;
// Of plain numbers.
template <class A, class B>
    requires(std::is_arithmetic_v<std::remove_cvref_t<A>> && std::is_arithmetic_v<std::remove_cvref_t<B>>)
auto max(A&& a, B&& b) { return std::max<std::common_type_t<A, B>>(a, b); }
template <class A, class B>
    requires(std::is_arithmetic_v<std::remove_cvref_t<A>> && std::is_arithmetic_v<std::remove_cvref_t<B>>)
auto min(A&& a, B&& b) { return std::min<std::common_type_t<A, B>>(a, b); }
template <class X, class L, class H>
    requires(std::is_arithmetic_v<std::remove_cvref_t<X>> && std::is_arithmetic_v<std::remove_cvref_t<L>> && std::is_arithmetic_v<std::remove_cvref_t<H>>)
auto clamp(X&& x, L&& low, H&& high) { return xgrad::max(xgrad::min(x, high), low); }

}

// std::max(x, 0.0) of an active x is found by no other way: what std:: has takes two values of one type.
namespace std {
using xgrad::spelling::clamp, xgrad::spelling::max, xgrad::spelling::min;
}
namespace xt {
using xgrad::clip, xgrad::where;
}
namespace xgrad {
using xt::clip, xt::where;
}
