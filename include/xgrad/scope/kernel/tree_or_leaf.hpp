// Defines tree_or_leaf: the cursor of a formula inside a bigger one that is a tree or a value in a slot, known when the kernel opens.
#pragma once

#include <cstddef>
#include <new>

#include <xgrad/scope/kernel/repeated.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// A nested formula that is fresh (a tree) or a name (a leaf), known when the kernel opens.
template <class Tree, class Own>
class tree_or_leaf {
public:
    using step_type = typename Tree::step_type;
    using packs = typename Tree::packs;
    using frame = typename Tree::frame;
    static constexpr std::size_t arrays = Tree::arrays < Own::arrays ? Own::arrays : Tree::arrays, room = Tree::room < Own::room ? Own::room : Tree::room;
    static constexpr std::size_t cotangents = 2;  // or one, which is not known before
    using given_packs = several_packs;

    template <class A, class B, class Plan>
    XGRAD_DETAIL_INLINE tree_or_leaf(A const* node, B const& leaf, Plan& p, bool reverse) : fresh_(node) {
        if (node) new (&tree_) Tree(open_operand<step_type>(p, *node, reverse));
        else new (&own_) Own(leaf.template open<step_type>(p, reverse));
    }
    XGRAD_DETAIL_INLINE ~tree_or_leaf() {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) { fresh_ ? tree_.meet(m, p) : own_.meet(m, p); }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, uses_of_repeated<step_type>& uses) const {
        if (fresh_) tree_.forward(i, f, uses);
        else {
            typename Own::frame own;
            own_.forward(i, own, uses);
            f.y = own.y;
        }
    }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, U& uses, std::size_t i, frame const& f, packs const& g) {
        if (fresh_) tree_.backward(some, uses, i, f, g);
        else own_.backward(some, uses, i, typename Own::frame(), g);
    }
    bool stays() const noexcept { return fresh_ ? tree_.stays() : own_.stays(); }

private:
    bool fresh_;
    // not in one union: the union defect (rule/inline.hpp)
    union {
        Tree tree_;
    };
    union {
        Own own_;
    };
};
}

}
XGRAD_DETAIL_QUIET_END
