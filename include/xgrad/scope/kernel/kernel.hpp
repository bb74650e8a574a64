// Defines the kernels of an elementwise tree: evaluate it into a slot, pull a slot's cotangent back through it, reduce it to a scalar.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/scope/node/elementwise.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Several cursors that walk together.
template <class... C>
struct walkers {
    flat_tuple<C&...> c;
    explicit walkers(C&... k) : c(k...) {}
    XGRAD_DETAIL_INLINE void advance(int d) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (item<I>(c).advance(d), ...); }(std::index_sequence_for<C...>{});
    }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (item<I>(c).rewind(d, n), ...); }(std::index_sequence_for<C...>{});
    }
};

// The number of elements that the kernels of this tree compute at once: its operands have one element type, or they go one by one.
template <class Tree>
inline constexpr std::size_t tree_width = Tree::is_batch ? lanes<typename Tree::value_type> : 1;

namespace detail {

// Calls f with the layout of the leaves as a compile-time constant. Every layout is general, too: one is enough where kernels are not what is tested.
template <class Tree, int S, class F>
void with_layout([[maybe_unused]] Tree const& t, [[maybe_unused]] extents<S> const& space, F f) {
#if defined(XGRAD_DETAIL_ONE_LAYOUT)
    f(std::integral_constant<layout, layout::general>{});
#else
    switch (t.classify(space)) {
        case layout::flat: return f(std::integral_constant<layout, layout::flat>{});
        case layout::rows: return f(std::integral_constant<layout, layout::rows>{});
        default: return f(std::integral_constant<layout, layout::general>{});
    }
#endif
}

// Whether the kernels of this tree take two packs at once: one long operation after the other leaves a processor idle, where it has nothing else to do.
template <class Tree>
inline constexpr bool goes_in_twos = tree_width<Tree> != 1 && long_operations<Tree> >= 2;

// Says that a kernel begins, where a call is explained.
template <class Tree>
XGRAD_DETAIL_INLINE void note_pass() noexcept {
    if constexpr (is_explained<Tree>) hooks_of_explained<Tree>::pass();
}

template <class T, std::size_t W, class S>
XGRAD_DETAIL_INLINE void put(memory_t<T> p, S s, held_t<S, pack_t<T, W>> const& v) {
    if constexpr (S::is_hot) store_hot<T, W>(s, p, v);
    else store<T, W>(p, 1, s.k, v, false);
}

}

// y = tree, y contiguous and of the tree's shape.
template <class Tree, int S>
XGRAD_DETAIL_KERNEL void evaluate(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type> y) {
    using T = typename Tree::value_type;
    constexpr std::size_t W = tree_width<Tree>;
    detail::note_pass<Tree>();
    detail::with_layout(tree, space, [&](auto l) {
        auto c = tree.template open<l(), W>(space, false);
        auto out = y;
        for_each_element<l(), W, detail::goes_in_twos<Tree>>(space, c, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA {
            typename decltype(c)::template frame<decltype(s)> f;
            c.forward(s, i, f);
            if constexpr (l() == layout::flat) detail::put<T, W>(out + i, s, value_of(f));
            else {
                detail::put<T, W>(out, s, value_of(f));
                if constexpr (decltype(s)::is_hot) out += decltype(s)::is_double ? 2 * W : W;
                else out += s.k;
            }
        });
    });
}

// The tree's pullback: ybar and y contiguous and of the tree's shape. The root's value is read, not computed again.
template <class Tree, int S>
XGRAD_DETAIL_KERNEL void pull_back(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type const> y, memory_t<typename Tree::value_type const> ybar) noexcept {
    using T = typename Tree::value_type;
    constexpr std::size_t W = tree_width<Tree>;
    detail::note_pass<Tree>();
    tree.ensure_cotangents(space);
    if (element_count(space) == 0) return;
    detail::with_layout(tree, space, [&](auto l) {
        auto c = tree.template open<l(), W>(space, true);
        std::size_t done = 0;
        for_each_element<l(), W, detail::goes_in_twos<Tree>>(space, c, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA {
            std::size_t at = l() == layout::flat ? i : done;
            typename decltype(c)::template frame<decltype(s)> f;
            if constexpr (requires { c.forward_operands(s, i, f); }) c.forward_operands(s, i, f);
            else c.forward(s, i, f);
            held_t<decltype(s), pack_t<T, W>> g;
            if constexpr (decltype(s)::is_hot) {
                if constexpr (requires { f.y; }) f.y = load_hot<T, W>(s, y + at);
                g = load_hot<T, W>(s, ybar + at);
                done += decltype(s)::is_double ? 2 * W : W;
            } else {
                if constexpr (requires { f.y; }) f.y = load<T, W>(y + at, 1, s.k);
                g = load<T, W>(ybar + at, 1, s.k);
                done += s.k;
            }
            c.backward(masked(s, by_halves([](auto const& h) XGRAD_DETAIL_LAMBDA { return detail::is_nothing(h); }, g)), i, f, g);
        });
        c.finish();
    });
}

// Accumulates the elements of the tree, and with Pull gives each of them the cotangent `partial(y, x) * ybar` in the same pass.
template <class Rule, bool Value, bool Pull, class Tree, int S, class T>
XGRAD_DETAIL_KERNEL T reduce_all(Tree const& tree, extents<S> const& space, T y, T ybar) {
    constexpr std::size_t W = tree_width<Tree>;
    detail::note_pass<Tree>();
    using P = pack_t<T, W>;
    std::size_t const count = element_count(space);
    T rest = Rule::template identity<T>();
    if constexpr (Pull) tree.ensure_cotangents(space);
    if (count == 0) return rest;
    P sum = broadcast_lanes<T, W>(rest);
    detail::with_layout(tree, space, [&](auto l) {
        auto c = tree.template open<l(), W>(space, Pull);
        P acc = sum;
        T tail = rest;
        P yy = broadcast_lanes<T, W>(y), g = broadcast_lanes<T, W>(ybar);
        for_each_element<l(), W, detail::goes_in_twos<Tree>>(space, c, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA {
            typename decltype(c)::template frame<decltype(s)> f;
            c.forward(s, i, f);
            if constexpr (Value) {
                if constexpr (decltype(s)::is_double) acc = Rule::combine(Rule::combine(acc, value_of(f).a), value_of(f).b);
                else if constexpr (decltype(s)::is_hot || W == 1) acc = Rule::combine(acc, value_of(f));
                else if (s.k == W) acc = Rule::combine(acc, value_of(f));
                else {
                    alignas(64) T t[W];
                    store_lanes<T, W>(t, value_of(f));
                    for (std::size_t j = 0; j < s.k; ++j) tail = Rule::combine(tail, t[j]);
                }
            }
            if constexpr (Pull) c.backward(s, i, f, by_halves([&](auto const& v) XGRAD_DETAIL_LAMBDA { return P(g * Rule::partial(yy, v, count)); }, value_of(f)));
        });
        if constexpr (Pull) c.finish();
        sum = acc;
        rest = tail;
    });
    if constexpr (!Value) return y;
    else if constexpr (W == 1) return Rule::combine(rest, sum);
    else {
        alignas(64) T t[W];
        store_lanes<T, W>(t, sum);
        for (T v : t) rest = Rule::combine(rest, v);
        return rest;
    }
}

// Accumulates along some axes: y has the tree's rank in its strides (0 along what is reduced), and begins as the rule's identity.
template <class Rule, class Tree, int S>
XGRAD_DETAIL_KERNEL void reduce_along(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type> y, strides<S> const& step) {
    using T = typename Tree::value_type;
    constexpr std::size_t W = tree_width<Tree>;
    detail::note_pass<Tree>();
    if (element_count(space) == 0) return;
    detail::with_layout(tree, space, [&](auto l) {
        // y does not lie flat: the rows of a flat tree are walked one by one
        constexpr layout walked = l() == layout::flat ? layout::rows : l();
        auto c = tree.template open<l(), W>(space, false);
        const_cursor<T, W, walk_rank<S>> out{y, {}};
        out.w.template align<layout::general>(space, space, step);
        walkers both(c, out);
        // along the last axis: the packs of a row meet in registers, and memory once
        std::size_t const n = space.rank() == 0 ? 1 : space[space.rank() - 1];
        auto none = broadcast_lanes<T, W>(Rule::template identity<T>());
        auto row = none;
        for_each_element<walked, W>(space, both, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA {
            typename decltype(c)::template frame<decltype(s)> f;
            c.forward(s, i, f);
            auto v = value_of(f);
            std::size_t k = W;
            if constexpr (!decltype(s)::is_hot) k = s.k;
            auto p = y + (out.w.at + static_cast<std::ptrdiff_t>(i) * out.w.inner);
            if constexpr (W > 1 && !number_dual<T>)
                if (out.w.inner == 0 && n >= 4 * W) {
                    if (k == W) row = Rule::combine(row, v);
                    else {
                        alignas(64) T t[W];
                        store_lanes<T, W>(t, v);
                        for (std::size_t j = 0; j < k; ++j) *p = Rule::combine(T(*p), t[j]);
                    }
                    if (i + W >= n) {
                        *p = Rule::combine(T(*p), combine_lanes<T, W>(row, [](T a, T b) { return Rule::combine(a, b); }));
                        row = none;
                    }
                    return;
                }
            if (out.w.inner == 1 && k == W) store<T, W>(p, Rule::combine(load<T, W>(p), v));
            else if constexpr (W == 1) *p = Rule::combine(T(*p), v);
            else {
                alignas(64) T t[W];
                store_lanes<T, W>(t, v);
                for (std::size_t j = 0; j < k; ++j) {
                    auto q = p + static_cast<std::ptrdiff_t>(j) * out.w.inner;
                    *q = Rule::combine(T(*q), t[j]);
                }
            }
        });
    });
}

// The pullback of that: every element takes partial(y, x) times the cotangent of the result that it went into.
template <class Rule, class Tree, int S>
XGRAD_DETAIL_KERNEL void pull_along(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type const> y, memory_t<typename Tree::value_type const> ybar,
                                    strides<S> const& step, std::size_t count) noexcept {
    using T = typename Tree::value_type;
    constexpr std::size_t W = tree_width<Tree>;
    detail::note_pass<Tree>();
    tree.ensure_cotangents(space);
    if (element_count(space) == 0) return;
    detail::with_layout(tree, space, [&](auto l) {
        constexpr layout walked = l() == layout::flat ? layout::rows : l();
        auto c = tree.template open<l(), W>(space, true);
        const_cursor<T, W, walk_rank<S>> out{ybar, {}};
        out.w.template align<layout::general>(space, space, step);
        walkers both(c, out);
        for_each_element<walked, W>(space, both, [&](auto s, std::size_t i) XGRAD_DETAIL_LAMBDA {
            typename decltype(c)::template frame<decltype(s)> f;
            c.forward(s, i, f);
            std::size_t k = W;
            if constexpr (!decltype(s)::is_hot) k = s.k;
            auto const at = out.w.at + static_cast<std::ptrdiff_t>(i) * out.w.inner;
            auto g = load<T, W>(ybar + at, out.w.inner, k);
            auto yy = load<T, W>(y + at, out.w.inner, k);
            c.backward(s, i, f, pack_t<T, W>(g * Rule::partial(yy, value_of(f), count)));
        });
        c.finish();
    });
}

}
XGRAD_DETAIL_QUIET_END
