// Defines storable_node and storage_for<N>: what a storage asks of a node, and which storage a formula of it has.
#pragma once

#include <concepts>
#include <type_traits>

#include <xgrad/rule/extents.hpp>

#include <xgrad/scope/storage/counted.hpp>
#include <xgrad/scope/storage/eager.hpp>
#include <xgrad/scope/storage/stack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A node, as node/node.hpp tells, as far as its names show it: what takes a slot is a template, and is not asked for here.
template <class N>
concept storable_node = requires(N const& n) {
    typename N::value_type;
    typename N::lifetime;
    { N::rank } -> std::convertible_to<int>;
    { N::is_batch } -> std::convertible_to<bool>;
    { N::takes_one_pass } -> std::convertible_to<bool>;
    { N::is_found_by_prepare } -> std::convertible_to<bool>;
    { n.owner() } -> std::convertible_to<context*>;
    n.prepare();
} && (N::rank == 0 || requires(N const& n) {
    { n.extent() } -> std::convertible_to<extents<N::rank>>;
});

// Whether an operand of fixed shape is in the workspace, as the values of variables are, or has such in it. What is made of it is there, too: it may be named
// in a loop, and go on in a variable.
template <class A>
inline constexpr bool lies_with_variables = false;

// Whether a value is on the stack of its function: of a scoped function numbers, and small arrays.
template <class N>
inline constexpr bool lies_on_stack = [] {
    static_assert(storable_node<N>,
                  "xgrad[E072]: a formula requires a node that declares value_type, rank, lifetime, is_batch, takes_one_pass, is_found_by_prepare, owner() and "
                  "prepare(), and extent() for an array, but this one lacks some of them: xgrad/scope/node/node.hpp tells each");
    if constexpr (!is_stacked<typename N::lifetime>) return false;
    else if constexpr (has_static_shape<N>) return N::shape_type::size <= detail::most_unrolled && !lies_with_variables<N>;
    else return N::rank == 0;
}();

template <class N>
using storage_for = std::conditional_t<is_eager_node<N>, eager_storage<N>, std::conditional_t<lies_on_stack<N>, stack_storage<N>, counted_storage<N>>>;

}
XGRAD_DETAIL_QUIET_END
