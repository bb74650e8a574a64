// Defines carried_cost<A>, what an element of an operand takes to compute, in cheap operations, and may_be_broadcast<A>.
#pragma once

#include <type_traits>

#include <xgrad/rule/extents.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/operand/constant.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
class formula;
template <class N>
class nested;

namespace detail {

// What an element costs to compute, in cheap operations; an operation says so by `cost`. One that does not is not cheap, and has an array where it has a name.
inline constexpr int most_carried = 8, never_carried = 1000;
template <class Op>
inline constexpr int operation_cost = never_carried;
template <class Op>
    requires requires { Op::cost; }
inline constexpr int operation_cost<Op> = Op::cost;

// Of an operand: a leaf costs nothing, a formula that is not elementwise, or is a number, becomes a leaf; who cannot be copied cannot be carried.
template <class A>
inline constexpr int carried_cost = std::is_copy_constructible_v<A> ? 0 : never_carried;
template <class T, int R, class Store>
inline constexpr int carried_cost<constant_array<T, R, Store>> = std::is_same_v<Store, block> ? 0 : never_carried;
template <class N>
inline constexpr int carried_cost<nested<N>> = never_carried;
// Two operands of one type are most often one name, which is computed once.
template <class... A>
inline constexpr int carried_cost_of_operands = (0 + ... + carried_cost<A>);
template <class A>
inline constexpr int carried_cost_of_operands<A, A> = carried_cost<A>;
template <class Op, class... A>
inline constexpr int carried_cost<formula<Op, A...>> =
    formula<Op, A...>::rank == 0 || !formula<Op, A...>::is_elementwise ? 0 : operation_cost<Op> + carried_cost_of_operands<A...>;

// Whether an operand has an operation that is not short, and may have one element along some axis where what it is part of has many: then it is evaluated
// before, once. A line of one element is a number, most often.
template <class A>
inline constexpr bool may_be_broadcast = false;
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
inline constexpr bool may_be_broadcast<formula<Op, A...>> = [] {
    using U = formula<Op, A...>;
    if constexpr (U::rank == 0 || U::rank == 1 || !U::keeps_operands || has_static_shape<node<Op, A...>>) return false;
    else return carried_cost<U> >= never_carried;
}();

}

}
XGRAD_DETAIL_QUIET_END
