// Defines storage_for<N>: which storage a formula has.
#pragma once

#include <type_traits>

#include <xgrad/scope/storage/counted.hpp>
#include <xgrad/scope/storage/eager.hpp>
#include <xgrad/scope/storage/stack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Whether a value is on the stack of its function: of a scoped function numbers, and small arrays.
template <class N>
inline constexpr bool lies_on_stack = [] {
    if constexpr (!is_stacked<typename N::lifetime>) return false;
    else if constexpr (has_static_shape<N>) return N::shape_type::size <= detail::most_unrolled;
    else return N::rank == 0;
}();

template <class N>
using storage_for = std::conditional_t<is_eager_node<N>, eager_storage<N>, std::conditional_t<lies_on_stack<N>, stack_storage<N>, counted_storage<N>>>;

}
XGRAD_DETAIL_QUIET_END
