// Defines tree_kernels<Tree>: the kernels of an elementwise tree on the memory of a slot. The room small/ has others for trees of small arrays.
#pragma once

#include <xgrad/scope/kernel/evaluate.hpp>
#include <xgrad/scope/kernel/pull_back.hpp>
#include <xgrad/scope/kernel/reduce.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// Whether the value in a slot has room for whole packs of a cache line, which a slot says of itself.
template <class Slot>
inline constexpr bool has_whole_packs = requires { requires Slot::has_whole_packs; };
}

template <class Tree>
struct tree_kernels {
    using T = typename Tree::value_type;

    // y.value = tree, y of the tree's shape.
    template <class Slot>
    XGRAD_DETAIL_INLINE static void evaluate(Tree const& tree, Slot& y) {
        if constexpr (detail::has_whole_packs<Slot>) y.filled = xgrad::evaluate<true>(tree, y.shape, static_cast<memory_t<T>>(y.value));
        else xgrad::evaluate(tree, y.shape, static_cast<memory_t<T>>(y.value));
    }
    // The pullback of that, of the cotangent of y.
    template <class Slot>
    XGRAD_DETAIL_INLINE static void pull_back(Tree const& tree, Slot const& y) noexcept {
        std::size_t filled = 0;
        if constexpr (requires { y.filled; }) filled = y.filled;
        xgrad::pull_back(tree, y.shape, memory_t<T const>(y.value), memory_t<T const>(y.cotangent), filled);
    }
    // All elements, combined by the rule; with Pull each takes its share of the cotangent g of the result y.
    template <class Rule, bool Value, bool Pull, int R>
    XGRAD_DETAIL_INLINE static T reduce(Tree const& tree, extents<R> const& space, T const& y, T const& g) {
        return reduce_all<Rule, Value, Pull>(tree, space, y, g);
    }
};

}
XGRAD_DETAIL_QUIET_END
