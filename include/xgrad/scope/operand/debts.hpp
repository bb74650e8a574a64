// Defines holds_debt<A>: whether an operand, or what it was computed from, holds debts to values in the workspace: a copy of it counts, and a move does not.
#pragma once

#include <xgrad/rule/inline.hpp>

namespace xgrad {

template <class Op, class... A>
struct node;

namespace detail {

template <class A>
inline constexpr bool holds_debt = false;
template <class Op, class... A>
inline constexpr bool holds_debt<node<Op, A...>> = (holds_debt<A> || ...);

// Whether its debts have moved on.
template <class A>
XGRAD_DETAIL_INLINE bool are_given(A const& a) noexcept {
    if constexpr (!holds_debt<A>) return false;
    else if constexpr (requires { a.node_at(); }) return are_given(a.node_at());
    else if constexpr (requires { a.inner(); }) return a.inner() && are_given(*a.inner());
    else if constexpr (requires { a.get(); }) return a.get() == nullptr;
    else return a.each([](auto const&... x) XGRAD_DETAIL_LAMBDA { return (are_given(x) || ...); });
}

}

}
