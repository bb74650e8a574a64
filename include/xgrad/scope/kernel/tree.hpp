// Defines what kernels ask of a tree of elementwise operations: how long they are, and whether one may throw.
#pragma once

#include <xgrad/rule/partials.hpp>
#include <xgrad/tangent/type_list.hpp>

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

// The elementwise expressions of arrays that an operand has inside, and a visitor's way through its operands from the last to the first.
template <class A>
struct subtrees {
    using type = type_list<>;
    template <class F>
    XGRAD_DETAIL_INLINE static void from_last(A const&, F&) {}
};
namespace detail {
template <class A>
struct subtree_and_itself : subtrees<A> {};
template <class A>
    requires is_array_tree<A>
struct subtree_and_itself<A> : join_lists<type_list<A>, typename subtrees<A>::type> {};
}
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
struct subtrees<node<Op, A...>> : detail::join_lists<typename detail::subtree_and_itself<A>::type...> {
    template <class F>
    XGRAD_DETAIL_INLINE static void from_last(node<Op, A...> const& n, F& f) {
        n.each([&f](auto const&... a) XGRAD_DETAIL_LAMBDA {
            // assignments are evaluated from the right
            int from_last = 0;
            static_cast<void>(((f(a), from_last) = ... = 0));
        });
    }
};

namespace detail {
// Those of the types F that are somewhere else than once in each of another of them. One that is nowhere else is most often the same where the others are, and
// has nothing to be asked for then; where they are not, it is computed in each of them.
template <class L, class Repeated>
struct outer_types;
template <class L, class... F>
struct outer_types<L, type_list<F...>> {
    template <class A>
    static constexpr bool is_inside = ((count_in_list<A, typename subtrees<F>::type> == 1 && count_in_list<A, L> == count_in_list<F, L>) || ...);
    using type = typename join_lists<std::conditional_t<is_inside<F>, type_list<>, type_list<F>>...>::type;
};
// More subtrees than a plan can take note of are not repeated: each is computed by itself.
inline constexpr std::size_t most_subtrees = 32;
template <class Tree, class L = typename subtrees<Tree>::type>
using repeated_subtrees =
    typename outer_types<L, typename repeated_types<std::conditional_t<(L::size <= most_subtrees), L, type_list<>>>::type>::type;
}

// Whether evaluating an operand can throw in the middle of a kernel.
template <class A>
inline constexpr bool tree_throws = false;

// How many operations of a tree are long chains of instructions: they say so by `is_long`. Those of numbers beside arrays are not counted: their value is
// computed once, before.
template <class A>
inline constexpr int long_operations = 0;
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
inline constexpr int long_operations<node<Op, A...>> =
    (requires { Op::is_long; } ? 1 : 0) + (0 + ... + (A::rank == 0 && node<Op, A...>::rank != 0 ? 0 : long_operations<A>));

}
XGRAD_DETAIL_QUIET_END
