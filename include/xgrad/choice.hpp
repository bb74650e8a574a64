// Defines where(c, a, b) and clip(x, low, high) of active values: what is chosen has the derivative, the rest has exactly none.
#pragma once

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
    else return std::forward<C>(c);
}
}

// a where the condition holds, otherwise b: a bool, or an array of them, as comparisons give it; all three broadcast. Into what is not
// taken goes exactly 0, whatever comes back.
template <class C, class A, class B>
    requires((active<A> || active<B>) && (active<C> || plain_operand<C>) && (active<A> || plain_operand<A>) && (active<B> || plain_operand<B>))
auto where(C&& condition, A&& a, B&& b) {
    return make_formula<op::where>(detail::condition_of(std::forward<C>(condition)), std::forward<A>(a), std::forward<B>(b));
}

// x between low and high, which may be numbers or arrays, active or plain. On a bound x has the derivative, beyond it the bound.
template <class X, class L, class H>
    requires active_triple<X, L, H>
auto clip(X&& x, L&& low, H&& high) {
    return make_formula<op::clip>(std::forward<X>(x), std::forward<L>(low), std::forward<H>(high));
}

}

namespace xt {
using xgrad::clip, xgrad::where;
}
namespace xgrad {
using xt::clip, xt::where;
}
