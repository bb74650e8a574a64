// Defines takes_element: whether a variable takes the elements of an expression, and what is said where it does not.
#pragma once

#include <type_traits>

#include <xgrad/rule/conversion.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/operand/operand.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether elements of type S are of type T, or become such; said once, and nothing of it is compiled.
template <class T, class S>
consteval bool takes_element() {
    constexpr bool good = std::is_same_v<S, T> || converts_to<S, T>;
    static_assert(good || !is_pack<S> || number_dual<S>,
                  "xgrad[E191]: variable<P> requires an expression of P's element type, but in a function that map or tabulate runs on several items at once "
                  "this one has a register of numbers: write xgrad::number_like<decltype(x)> s = 0.0 for variable s = 0.0, its type for variable<double>, and "
                  "variable v = expr for variable<P> v = expr");
    static_assert(good || !number_dual<S>,
                  "xgrad[E037]: variable<P> requires an expression of P's element type, but in forward and second derivatives this one has dual numbers: "
                  "write xgrad::number_like<decltype(x)> s = 0.0 for variable s = 0.0, its type for variable<double>, and variable v = expr for "
                  "variable<P> v = expr");
    static_assert(good || number_dual<S> || is_pack<S>,
                  "xgrad[E126]: variable<P> of real numbers requires a real expression, but this one is complex: take its real, imag or abs, or write "
                  "variable v = expr");
    return good;
}
// The same of an operand E, asked before an operation of it is formed, so that nothing is said of that.
template <class T, class E>
consteval bool takes_element_of() {
    if constexpr (active<E>) return takes_element<T, typename std::remove_cvref_t<E>::value_type>();
    else return true;
}

}
XGRAD_DETAIL_QUIET_END
