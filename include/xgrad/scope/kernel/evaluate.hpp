// Defines evaluate: the kernel that writes the value of a tree to memory.
#pragma once

#include <cstddef>

#include <xgrad/scope/kernel/loop.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Fresh: y is read by nobody yet, and has room for whole packs of a cache line. So what fills no step is written where it is: of less than a step also what is
// behind it, and of an end the elements before it, once more.
template <class T, class Step, bool Fresh>
class evaluate_root {
public:
    static constexpr std::size_t arrays = 1, room = staged_bytes<T>;
    XGRAD_DETAIL_INLINE explicit evaluate_root(memory_t<T> y) : to_(y) {}
    XGRAD_DETAIL_INLINE evaluate_root(evaluate_root const& r, seen_arrays& p) : to_(r.to_), y_(r.to_), room_(memory_in<T>(p.take(room), staged_tile)) {}
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::entered) o_ = p.enter_all();
        else if (m == moment::tile_begins) y_ = p.in_place(o_) || ends_in_place(p) ? to_ + p.offset(o_) : room_;
        else if (m == moment::tile_ends) {
            if (!p.in_place(o_) && !ends_in_place(p)) stage_out<T, typename Step::unit>(p, o_, room_, to_, false);
        } else if constexpr (!Fresh)
            if (p.in_place(o_)) meet_rest(m, p, to_ + p.offset(o_));
    }
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        if (m == moment::tile_begins) {
            y_ = writes_whole_packs ? to_ + p.position() : room_;
            if (writes_whole_packs) filled_ = static_cast<std::size_t>(p.position()) + Step::size;
        } else if (m == moment::tile_ends && p.partial && !writes_whole_packs) give_few<T, typename Step::unit>(room_, to_ + p.position(), p.size, false);
        else if constexpr (!Fresh) meet_rest(m, p, to_);
    }
    template <class C, class U>
    XGRAD_DETAIL_INLINE void step(C const& c, std::size_t i, typename C::frame& f, U& uses) const {
        c.forward(i, f, uses);
        store_step<T, Step>(y_ + i, f.y);
    }
    // How many elements there are in the end, if more than those of the tree: behind them is what the last one is.
    std::size_t value() const { return filled_; }

private:
    memory_t<T> to_, y_{}, room_{};
    offsets const* o_ = nullptr;
    std::size_t filled_ = 0;

    static constexpr bool writes_whole_packs = Fresh && !number_dual<T> && Step::size * sizeof(T) <= 64;
    // An operand may lie where y does, and what the step before wrote is no operand any more.
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet_rest(moment m, Plan const& p, memory_t<T> tile) {
        if (m == moment::rest_begins) y_ = room_ + -static_cast<std::ptrdiff_t>(p.size - Step::size);
        if (m == moment::rest_ends) give_rest<T, typename Step::unit>(p, room_, tile, false);
    }
    XGRAD_DETAIL_INLINE static bool ends_in_place(plan const& p) { return writes_whole_packs && p.is_flat(); }
};

}

// y = the next `size` elements of a tree whose arrays lie flat in the space; what slot::filled says.
template <bool Fresh, class Tree, int S>
std::size_t evaluate_stretch(Tree const& tree, extents<S> const& space, std::size_t size, memory_t<typename Tree::value_type> y) {
    using step = detail::step_of<Tree>;
    return run_kernel<step, false>(tree, space, size, detail::evaluate_root<typename Tree::value_type, typename step::unit, Fresh>(y));
}
// y = tree, y contiguous and of the tree's shape. The same.
template <bool Fresh = false, class Tree, int S>
std::size_t evaluate(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type> y) {
    detail::note_pass<Tree>();
    std::size_t const size = element_count(space);
    return size == 0 ? 0 : evaluate_stretch<Fresh>(tree, space, size, y);
}

}
XGRAD_DETAIL_QUIET_END
