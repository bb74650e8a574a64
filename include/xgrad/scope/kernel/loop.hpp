// Defines run_kernel: the one loop of every elementwise kernel, over tiles of steps. Kernels differ in what they do at the root of their tree.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/clean_registers.hpp>
#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/pairwise.hpp>
#include <xgrad/scope/kernel/repeated.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/memory/lifetime.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The number of elements that the kernels of this tree compute at once: its operands have one element type, or they go one by one.
template <class Tree>
inline constexpr std::size_t tree_width = Tree::is_batch ? lanes<typename Tree::value_type> : 1;

namespace detail {

// Two packs at once, where one long operation after the other would leave a processor idle, or where a pack is four numbers in a register of 32 bytes: what a
// step asks of each array and does with addresses is as much as what it computes of so few. Of two numbers it is not worth what short arrays leave over, and
// duals are several packs by themselves.
template <class Tree>
inline constexpr bool goes_in_pairs = tree_width<Tree> != 1 && !number_dual<typename Tree::value_type> &&
                                      (long_operations<Tree> >= 2 || (tree_width<Tree> == 4 && sizeof(typename Tree::value_type) == 8));
template <class Tree>
using step_of = kernel_step<tree_width<Tree>, goes_in_pairs<Tree>, repeated_subtrees<Tree>>;

// The most elements of a space whose arrays are copied, none where an element is a register of numbers: what it takes to find tiles is little beside them.
// A copy begins behind what a step takes, and those of duals have no more room than for a tile.
template <class T, class Step>
inline constexpr std::size_t most_copied = is_pack<T> ? 0 : staged_tile - (number_dual<T> ? Step::size : 0);

// Says that a kernel begins, where a call is explained.
template <class Tree>
XGRAD_DETAIL_INLINE void note_pass() noexcept {
    if constexpr (is_explained<Tree>) hooks_of_explained<Tree>::pass();
}

}

namespace detail {

// One with long operations, or of duals, is so much that it does not matter what it finds out by itself.
template <class Tree>
inline constexpr bool is_short_work = !number_dual<typename Tree::value_type> && long_operations<Tree> == 0;

struct finds_out {};
// What run_kernel does, where it is known whether all uses that a tree has of an operand are the same, or where it finds out: a function of its own for each,
// as compilers give up what they know of a long one. By a call: a map or a loop would take it in wherever its function may be left.
template <class Step, bool Reverse, class Same, class Tree, int R, class Root>
[[gnu::noinline]] XGRAD_DETAIL_KERNEL auto run_kernel_of(Tree const& tree, extents<R> const& space, std::size_t count, Root const& given) {
    using C = typename Tree::template cursor<Step>;
    clean_registers const behind;
    constexpr std::size_t most = longest_sum<typename Tree::value_type> * Step::size;
    constexpr bool repeats = Step::repeated::size != 0;
    alignas(64) std::byte room[Root::room + C::room + 1];
    seen_arrays seen(space, count, (count + Step::size - 1) / Step::size, room);
    Root root(given, seen);
    [[maybe_unused]] bool are_same = false;
    if constexpr (repeats) {
        // here, whatever is known: that the last use of each type computes its value is worth more than what it takes
        find_repeated<typename Step::repeated> find(seen);
        subtrees<Tree>::from_last(tree, find);
        if constexpr (std::is_same_v<Same, finds_out>) are_same = find.are_same();
        else are_same = Same::value;
    }
    C c = tree.template open<Step>(seen, Reverse);

    auto const go = [&]<bool Whole>(std::size_t first, std::size_t n) XGRAD_DETAIL_LAMBDA {
        for (std::size_t i = first; i < n; i += Step::size) {
            typename C::frame f;
            step_uses<Step, sum_of_uses<C, Whole>> uses;
            if constexpr (repeats) uses.begin(are_same);
            root.step(c, i, f, uses);
        }
    };

    // After some steps, up to n, of a tile: whether its last step, from i on, is to be taken.
    auto const has_rest = [&](std::size_t& i, std::size_t& n, auto& p) XGRAD_DETAIL_LAMBDA {
        if (Step::size == 1 || p.rest == 0) return false;
        bool const begins = n != p.size;
        moment const m = begins ? moment::rest_begins : moment::rest_ends;
        root.meet(m, p);
        if constexpr (Reverse) c.meet(m, p);
        n = p.size;
        i = n - Step::size;
        return begins;
    };

    constexpr std::size_t longest_copy = most_copied<typename Tree::value_type, Step>;
    bool const by_copies = longest_copy != 0 && seen.goes_by_copies(longest_copy);
    if (by_copies || seen.is_short(!Reverse || C::cotangents < 2, most)) {
        short_plan p(seen, count, Step::size, C::cotangents > 1);
        if (by_copies) {
            root.meet(moment::copies_begin, p);
            c.meet(moment::copies_begin, p);
        }
        std::size_t i = 0, n = p.size - p.rest;
        for (;;) {
            go.template operator()<false>(i, n);
            if (has_rest(i, n, p)) continue;
            if (n != 0) {
                root.meet(moment::tile_ends, p);
                if constexpr (Reverse) c.meet(moment::tile_ends, p);
            }
            if (!p.next()) break;
            root.meet(moment::tile_begins, p);
            c.meet(moment::tile_begins, p);
            i = 0;
            n = p.size;
        }
        if (by_copies) {
            root.meet(moment::copies_end, p);
            if constexpr (Reverse) c.meet(moment::copies_end, p);
        }
        if constexpr (Reverse) c.meet(moment::all_ends, p);
        return root.value();
    }

    // What follows goes by calls, which see the plan.
    offsets arrays[Root::arrays + C::arrays + 1];
    plan p(seen, Step::size, arrays);
    if constexpr (Reverse)
        if (p.is_flat()) c.meet(moment::noted, p);
    if (!p.is_flat()) {
        p.begin_entering();
        root.meet(moment::entered, p);
        c.meet(moment::entered, p);
    }
    if constexpr (Reverse) c.meet(moment::opened, p);
    bool first = true;
    std::size_t i = 0, n = p.start_flat(most);
    for (;;) {
        if constexpr (Reverse && is_short_work<Tree> && may_take_one<C>)
            p.takes_one() ? go.template operator()<true>(i, n) : go.template operator()<false>(i, n);
        else go.template operator()<false>(i, n);
        if (has_rest(i, n, p)) continue;
        if (n != 0) {
            root.meet(moment::tile_ends, p);
            if constexpr (Reverse) c.meet(moment::tile_ends, p);
        }
        if (first) {
            if (n == count) break;
            first = false;
            p.start();
        } else if (!p.next()) break;
        root.meet(moment::tile_begins, p);
        c.meet(moment::tile_begins, p);
        i = 0;
        n = p.size - p.rest;
    }
    if constexpr (Reverse) c.meet(moment::all_ends, p);
    return root.value();
}

}

// The space has `count` elements, not 0. With Reverse the tree's operands take cotangents. A Root has `arrays` arrays and `room` bytes for copies; the one
// that is given becomes part of a plan by a copy. It meets each moment before the tree does, and step() is for each step of the space.
template <class Step, bool Reverse, class Tree, int R, class Root>
XGRAD_DETAIL_INLINE auto run_kernel(Tree const& tree, extents<R> const& space, std::size_t count, Root const& given) {
    if constexpr (Step::repeated::size == 0 || !detail::is_short_work<Tree>)
        return detail::run_kernel_of<Step, Reverse, detail::finds_out>(tree, space, count, given);
    else {
        seen_arrays noted(space, count, 0, nullptr);
        detail::find_repeated<typename Step::repeated> find(noted);
        subtrees<Tree>::from_last(tree, find);
        if (find.are_same()) return detail::run_kernel_of<Step, Reverse, std::true_type>(tree, space, count, given);
        else return detail::run_kernel_of<Step, Reverse, std::false_type>(tree, space, count, given);
    }
}

}
XGRAD_DETAIL_QUIET_END
