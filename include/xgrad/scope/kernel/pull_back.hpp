// Defines pull_back: the kernel that pulls the cotangent of an array back through the tree that it was computed by.
#pragma once

#include <cstddef>

#include <xgrad/scope/kernel/conversions.hpp>
#include <xgrad/scope/kernel/loop.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class T, class Step>
class pull_back_root {
public:
    static constexpr std::size_t arrays = 1, room = 2 * staged_bytes<T>;
    XGRAD_DETAIL_INLINE pull_back_root(memory_t<T const> y, memory_t<T const> ybar, std::size_t filled)
        : from_(y), y_(y), from_bar_(ybar), ybar_(ybar), filled_(filled) {}
    XGRAD_DETAIL_INLINE pull_back_root(pull_back_root const& r, seen_arrays& p)
        : from_(r.from_), y_(r.y_), from_bar_(r.from_bar_), ybar_(r.ybar_), room_(memory_in<T>(p.take(room / 2), staged_tile)),
          bar_room_(memory_in<T>(p.take(room / 2), staged_tile)), filled_(r.filled_) {
        p.see_read(address_of(from_bar_));
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::entered) o_ = p.enter_all();
        if (m != moment::tile_begins) return;
        offsets const* const o = o_;
        if (p.in_place(o)) {
            if (from_) y_ = from_ + p.offset(o);
            ybar_ = from_bar_ + p.offset(o);
        } else {
            y_ = room_;
            ybar_ = bar_room_;
            if (from_) stage_in<T, typename Step::unit>(p, o, from_, room_, false);
            stage_in<T, typename Step::unit>(p, o, from_bar_, bar_room_, true);
        }
    }
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        if (m != moment::tile_begins) return;
        using unit = typename Step::unit;
        if (p.is_filled(filled_)) {
            y_ = from_ + p.position();
            ybar_ = from_bar_ + p.position();
            return;
        }
        if (from_) copy_few<T, unit>(from_ + p.position(), room_, p.size, false);
        copy_few<T, unit>(from_bar_ + p.position(), bar_room_, p.size, true);
        y_ = room_;
        ybar_ = bar_room_;
    }
    // The root's value is read, not computed again. Where there is no cotangent nothing is contributed.
    template <class C, class U>
    XGRAD_DETAIL_INLINE void step(C& c, std::size_t i, typename C::frame& f, U& uses) const {
        if constexpr (requires { c.forward_operands(i, f, uses); }) {
            c.forward_operands(i, f, uses);
            f.y = load_step<T, Step>(y_ + i);
        } else c.forward(i, f, uses);
        auto const g = load_step<T, Step>(ybar_ + i);
        give_step<Step, T>(c, map_packs(find_something(), g), uses, i, f, g);
    }

    void value() const {}

private:
    memory_t<T const> from_, y_, from_bar_, ybar_;
    memory_t<T> room_{}, bar_room_{};
    offsets const* o_ = nullptr;
    std::size_t filled_;
};

}

// The pullback of the next `size` elements of a tree whose arrays lie flat in the space.
template <class Tree, int S, class T = typename Tree::value_type>
void pull_back_stretch(Tree const& tree, extents<S> const& space, std::size_t size, memory_t<std::type_identity_t<T> const> y,
                       memory_t<std::type_identity_t<T> const> ybar, std::size_t filled) noexcept {
    using step = detail::step_of<Tree>;
    run_kernel<step, true>(tree, space, size, detail::pull_back_root<T, typename step::unit>(y, ybar, filled));
}
// The tree's pullback: ybar and y contiguous and of the tree's shape; y may be null where the tree is one operand. `filled`: of a slot, what it says.
template <class Tree, int S, class T = typename Tree::value_type>
void pull_back(Tree const& tree, extents<S> const& space, memory_t<std::type_identity_t<T> const> y, memory_t<std::type_identity_t<T> const> ybar,
               std::size_t filled = 0) noexcept {
    detail::note_pass<Tree>();
    tree.ensure_cotangents(space);
    std::size_t const size = element_count(space);
    if (size != 0) pull_back_stretch(tree, space, size, y, ybar, filled);
}

}
XGRAD_DETAIL_QUIET_END
