// Defines evaluate_slot and pull_slot: a node evaluates into the memory of its slot, and pulls the cotangent that is there; and what it keeps beside.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/scope/kernel/tree_kernels.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/memory/slot.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// What a node keeps in its slot beside its value: N::kept, if it says so.
struct kept_nothing {};
template <class N>
struct kept_with { using type = kept_nothing; };
template <class N>
    requires requires { typename N::kept; }
struct kept_with<N> { using type = typename N::kept; };
template <class N>
using kept_with_t = typename kept_with<N>::type;
}

namespace detail {
// Evaluates an array into the memory of its slot, and pulls the cotangent that is there.
template <class N, class Slot>
XGRAD_DETAIL_INLINE void evaluate_slot(N const& node, Slot& y) {
    if constexpr (elementwise_node<N>) tree_kernels<N>::evaluate(node, y);
    else node.evaluate(y);
    if constexpr (checks_finite) check_finite_value<N>([&](std::size_t i) { return typename N::value_type(y.value[i]); }, y.shape);
}
template <class N, class Slot>
XGRAD_DETAIL_INLINE void pull_slot(N const& node, Slot const& y) noexcept {
    if constexpr (checks_finite) check_finite_cotangent<N>([&](std::size_t i) { return typename N::value_type(y.cotangent[i]); }, y.shape);
    if constexpr (elementwise_node<N> && std::is_base_of_v<slot_base, Slot>)
        node.offer_cotangent(static_cast<slot<typename N::value_type, rank_c<N::rank>> const&>(y));
    if constexpr (elementwise_node<N>) tree_kernels<N>::pull_back(node, y);
    else node.pull(y);
}
}

}
XGRAD_DETAIL_QUIET_END
