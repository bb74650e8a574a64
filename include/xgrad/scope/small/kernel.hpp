// Defines the kernels of trees of small arrays whose shapes are known at compile time: loops of constant length in the caller, where a call would cost more than they do.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/kernel/kernel.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Whether each operation of a tree is about one instruction, so that packs, which few elements fill badly, gain nothing: those that say when they are linear.
template <class A>
inline constexpr bool is_cheap = true;
template <class Op, class... A>
    requires scalar_rule<Op>
inline constexpr bool is_cheap<node<Op, A...>> = requires { &Op::linear; } && (is_cheap<A> && ...);
template <class Tree>
concept cheap_static_tree = has_static_shape<Tree> && is_cheap<Tree>;

// Whether every array in a tree is of the shape S, so that nothing is broadcast.
template <class A, class S>
inline constexpr bool is_all_of = A::rank == 0 || std::is_same_v<shape_or_rank_t<A>, S>;
template <class Op, class... A, class S>
    requires scalar_rule<Op>
inline constexpr bool is_all_of<node<Op, A...>, S> = (is_all_of<A, S> && ...);

// body(cursor, step, i, place in row-major order) for each element.
template <class Tree, class Body>
XGRAD_DETAIL_INLINE void each_static(Tree const& tree, bool reverse, Body body) {
    constexpr auto space = Tree::shape_type::shape;
    constexpr std::size_t n = Tree::shape_type::size;
    if constexpr (is_all_of<Tree, typename Tree::shape_type>) {
        auto c = tree.template open<layout::collected, 1>(space, reverse);
        for_each_index<n>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { body(c, hot{}, i, i); });
        if (!reverse) return;
        if constexpr (requires { c.write(); }) c.write();
        c.finish();
    } else {
        auto c = tree.template open<layout::general, 1>(space, reverse);
        std::size_t place = 0;
        for_each_element<layout::general, 1>(space, c, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA { body(c, s, i, place++); });
        if (reverse) c.finish();
    }
}

}

// As evaluate, pull_back and reduce_all.
template <detail::cheap_static_tree Tree>
XGRAD_DETAIL_INLINE void evaluate_static(Tree const& tree, typename Tree::value_type* y) {
    detail::each_static(tree, false, [y](auto& c, auto s, std::size_t i, std::size_t place) XGRAD_DETAIL_LAMBDA {
        typename std::remove_reference_t<decltype(c)>::template frame<decltype(s)> f;
        c.forward(s, i, f);
        y[place] = value_of(f);
    });
}
template <detail::cheap_static_tree Tree>
XGRAD_DETAIL_INLINE void pull_back_static(Tree const& tree, typename Tree::value_type const* y, typename Tree::value_type const* ybar) noexcept {
    tree.ensure_cotangents(Tree::shape_type::shape);
    detail::each_static(tree, true, [=](auto& c, auto s, std::size_t i, std::size_t place) XGRAD_DETAIL_LAMBDA {
        typename std::remove_reference_t<decltype(c)>::template frame<decltype(s)> f;
        if constexpr (requires { c.forward_operands(s, i, f); }) {
            c.forward_operands(s, i, f);
            f.y = y[place];
        } else c.forward(s, i, f);
        c.backward(masked(s, ybar[place] == 0), i, f, ybar[place]);
    });
}
template <class Rule, bool Value, bool Pull, detail::cheap_static_tree Tree, class T>
XGRAD_DETAIL_INLINE T reduce_static(Tree const& tree, T const& y, T const& ybar) {
    // some sums beside each other, so that no addition waits for the one before
    constexpr std::size_t chains = Tree::shape_type::size < 8 ? 1 : 4;
    T sums[chains];
    for (T& s : sums) s = Rule::template identity<T>();
    if constexpr (Pull) tree.ensure_cotangents(Tree::shape_type::shape);
    detail::each_static(tree, Pull, [&](auto& c, auto s, std::size_t i, std::size_t place) XGRAD_DETAIL_LAMBDA {
        typename std::remove_reference_t<decltype(c)>::template frame<decltype(s)> f;
        c.forward(s, i, f);
        if constexpr (Value) sums[place % chains] = Rule::combine(sums[place % chains], value_of(f));
        if constexpr (Pull) c.backward(s, i, f, T(ybar * Rule::partial(y, value_of(f), Tree::shape_type::size)));
    });
    if constexpr (!Value) return y;
    else if constexpr (chains == 1) return sums[0];
    else return Rule::combine(Rule::combine(sums[0], sums[1]), Rule::combine(sums[2], sums[3]));
}

}
XGRAD_DETAIL_QUIET_END
