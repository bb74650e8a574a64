// Defines what kernels ask of a tree of elementwise operations: how long they are, and whether one may throw.
#pragma once

#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class Op, class... A>
struct node;

template <class N>
concept elementwise_node = requires { typename N::elementwise; };

// An operation of the user's own says by `may_throw` that evaluating an element of it may.
template <class Op>
inline constexpr bool operation_throws = requires { requires Op::may_throw; };

// Whether an operand is an elementwise expression of arrays, which a kernel goes into.
template <class A>
inline constexpr bool is_array_tree = false;

// Whether evaluating an operand can throw in the middle of a kernel.
template <class A>
inline constexpr bool tree_throws = false;

// How many operations of a tree are long chains of instructions: they say so by `is_long`.
template <class A>
inline constexpr int long_operations = 0;
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
inline constexpr int long_operations<node<Op, A...>> = (requires { Op::is_long; } ? 1 : 0) + (0 + ... + long_operations<A>);

}
XGRAD_DETAIL_QUIET_END
