// Defines variable_interface<P>, and what variable s = e is deduced from.
#pragma once

#include <type_traits>

#include <xgrad/scope/operand/primal.hpp>
#include <xgrad/scope/operand/variable_shape.hpp>
#include <xgrad/scope/place/place_interface.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What is not an array has no elements to assign to.
template <class D, class T, int R>
struct variable_interface { using type = place_interface<D, T, R>; };
template <class D, class T>
struct variable_interface<D, T, 0> { using type = array_interface<D, T, 0>; };
template <class P>
using variable_interface_t = typename variable_interface<variable<P>, typename variable_shape<P>::element, variable_shape<P>::rank::value>::type;

// What variable s = e is deduced from: of an active e, and of a plain array.
template <class E>
struct primal_of_variable {};
template <active E>
struct primal_of_variable<E> { using type = primal_t<E>; };
template <active E>
    requires(has_static_shape<E> && std::is_floating_point_v<typename E::value_type>)
struct primal_of_variable<E> : fixed_primal<typename E::value_type, typename E::shape_type> {};
template <class E>
struct primal_of_plain {};
template <plain_array E>
struct primal_of_plain<E> : primal_of<typename E::value_type, rank_of<E>> {};
template <plain_array E>
    requires has_static_shape<variable_shape<E>>
struct primal_of_plain<E> : fixed_primal<typename E::value_type, typename variable_shape<E>::shape_type> {};

template <class T>
consteval auto number_of_variable() {
    static_assert(!std::is_integral_v<T>, "xgrad[E125]: variable s = n requires a floating-point number, but n is an integer: write 0.0 for 0");
    return type_tag<std::conditional_t<std::is_integral_v<T>, double, T>>{};
}

template <class E>
inline constexpr bool is_variable = false;
template <class P>
inline constexpr bool is_variable<variable<P>> = true;

}
XGRAD_DETAIL_QUIET_END
