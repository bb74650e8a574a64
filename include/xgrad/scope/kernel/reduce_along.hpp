// Defines reduce_along and pull_along: the kernels that reduce a tree along some axes, and pull the cotangent of the result back.
#pragma once

#include <cstddef>

#include <xgrad/scope/kernel/pairwise_along.hpp>
#include <xgrad/scope/kernel/reduce.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Combines what a copy has for the elements of the result with what these have, where they do not lie in one piece.
template <class Rule, class T, std::size_t W>
struct combine_stretch {
    memory_t<T const> room;
    memory_t<T> to;
    XGRAD_DETAIL_INLINE void operator()(std::ptrdiff_t at, std::ptrdiff_t step, std::size_t first, std::size_t n, std::size_t rows,
                                        std::ptrdiff_t between) const {
        if constexpr (!number_dual<T>)
            if (step == 0) {
                T const* const x = room;
                fold_rows<T, W>(to + at, between, rows, x + first, n, Rule::template identity<T>(), combination<Rule>());
                return;
            }
        for (; rows != 0; --rows, at += between, first += n)
            for (std::size_t i = 0; i < n; ++i) {
                auto const y = to + (at + static_cast<std::ptrdiff_t>(i) * step);
                *y = Rule::combine(T(*y), T(room[first + i]));
            }
    }
};
template <class Rule, class T, std::size_t W>
[[gnu::noinline]] void stage_combine(plan const& p, offsets const* o, memory_t<T const> room, memory_t<T> to) {
    p.for_each_stretch(o, combine_stretch<Rule, T, W>{room, to});
}
template <class Rule, class T, std::size_t W>
[[gnu::noinline]] void combine_all(iteration_space space, std::ptrdiff_t const* stride, memory_t<T const> room, memory_t<T> to) {
    for_each_stretch_of(space, {space, stride}, combine_stretch<Rule, T, W>{room, to});
}

template <class Rule, class T, class Step, int S>
class reduce_along_root {
public:
    static constexpr std::size_t arrays = 1, room = staged_bytes<T>;
    reduce_along_root(memory_t<T> y, strides<S> const& stride, T const& scale, pairwise_along<Rule, T>* parts)
        : stride_(stride), to_(y), take_{broadcast_lanes<T, Step::width>(scale)}, parts_(parts) {}
    XGRAD_DETAIL_INLINE reduce_along_root(reduce_along_root const& r, seen_arrays& p)
        : stride_(r.stride_),
          to_(r.to_),
          room_(memory_in<T>(p.take(room), staged_tile)),
          take_(r.take_),
          parts_(r.parts_) {
        p.see_result(parts_ != nullptr);
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::entered) {
            o_ = p.enter_result(stride_.n.data(), parts_ != nullptr);
            return;
        }
        offsets const* const o = o_;
        if (m == moment::tile_begins) {
            // along a row: the packs meet in registers
            is_one_ = p.is_one_element(o);
            is_copy_ = !p.in_place(o);
            if (is_one_) sum_ = spread_step<T, Step>(Rule::template identity<T>());
            else y_ = is_copy_ ? room_ : to_ + p.offset(o);
        } else if (m == moment::rest_begins) {
            if (is_one_) {
                combine(p, 0, Step::size);
                sum_ = spread_step<T, Step>(Rule::template identity<T>());
            } else if (!is_copy_) {
                y_ = room_ + -static_cast<std::ptrdiff_t>(p.size - Step::size);
                is_copy_ = true;
            }
        } else if (m == moment::rest_ends) {
            if (!is_one_ && p.in_place(o)) {
                is_copy_ = false;
                memory_t<T> const own = room_ + static_cast<std::ptrdiff_t>(Step::size - p.rest);
                memory_t<T> const y = to_ + p.offset(o) + static_cast<std::ptrdiff_t>(p.size - p.rest);
                for (std::size_t k = 0; k < p.rest; ++k) y[k] = Rule::combine(T(y[k]), T(own[k]));
            }
        } else if (m == moment::tile_ends) {
            if (is_one_) {
                if (p.rest != 0) combine(p, Step::size - p.rest, p.rest);
                else combine(p, 0, p.partial ? p.size : Step::size);
            } else if (is_copy_) stage_combine<Rule, T, Step::width>(p, o, room_, to_);
            if (parts_) parts_->add(p.size);
        }
    }
    // Always by copies.
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        if (m == moment::copies_begin) is_copy_ = true;
        if (m == moment::copies_end) combine_all<Rule, T, Step::width>(p.space(), stride_.n.data(), room_, to_);
        else y_ = room_ + p.position();
    }
    template <class C, class U>
    XGRAD_DETAIL_INLINE void step(C const& c, std::size_t i, typename C::frame& f, U& uses) {
        c.forward(i, f, uses);
        if (is_one_) sum_ = map_packs(take_, sum_, f.y);
        else {
            auto const before = is_copy_ ? spread_step<T, Step>(Rule::template identity<T>()) : load_step<T, Step>(memory_t<T const>(y_ + i));
            store_step<T, Step>(y_ + i, map_packs(take_, before, f.y));
        }
    }
    void value() const {}

private:
    strides<S> const& stride_;
    memory_t<T> to_, y_{}, room_{};
    offsets const* o_ = nullptr;
    bool is_one_ = false, is_copy_ = false;
    take_element<Rule, pack_t<T, Step::width>> take_;
    pairwise_along<Rule, T>* parts_;
    typename Step::template packs<T> sum_;

    XGRAD_DETAIL_INLINE void combine(plan const& p, std::size_t first, std::size_t n) {
        auto const y = to_ + p.offset(o_);
        *y = Rule::combine(T(*y), fold_step<T, typename Step::unit>(sum_, first, n, combination<Rule>()));
    }
};

template <class Rule, class T, class Step, int S>
class pull_along_root {
public:
    static constexpr std::size_t arrays = 1, room = 2 * staged_bytes<T>;
    pull_along_root(memory_t<T const> y, memory_t<T const> ybar, strides<S> const& stride, std::size_t count)
        : stride_(stride), from_{y, ybar}, count_(count) {}
    XGRAD_DETAIL_INLINE pull_along_root(pull_along_root const& r, seen_arrays& p)
        : stride_(r.stride_), from_{r.from_[0], r.from_[1]}, room_{memory_in<T>(p.take(room / 2), staged_tile), memory_in<T>(p.take(room / 2), staged_tile)},
          count_(r.count_) {
        p.see_result(false);
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::entered) o_ = p.enter_result(stride_.n.data());
        if (m != moment::tile_begins) return;
        offsets const* const o = o_;
        stays_ = p.is_one_element(o);
        for (int k = Rule::linear ? 1 : 0; k < 2; ++k)
            if (p.in_place(o)) at_[k] = from_[k] + p.offset(o);
            else {
                if (!stays_) {
                    if (!p.is_copied(o)) stage_in<T, typename Step::unit>(p, o, from_[k], room_[k], false);
                } else if (p.begins_row()) fill_elements<T>(room_[k], Step::size, T(*(from_[k] + p.offset(o))));
                at_[k] = room_[k];
            }
    }
    // Always by copies.
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        for (int k = Rule::linear ? 1 : 0; k < 2; ++k) {
            if (m == moment::copies_begin) copy_all<T, typename Step::unit>(p.space(), {p.space(), stride_.n.data()}, from_[k], room_[k]);
            at_[k] = room_[k] + p.position();
        }
    }
    template <class C, class U>
    XGRAD_DETAIL_INLINE void step(C& c, std::size_t i, typename C::frame& f, U& uses) const {
        c.forward(i, f, uses);
        std::size_t const at = stays_ ? 0 : i;
        auto const g = load_step<T, Step>(at_[1] + at);
        using pack = pack_t<T, Step::width>;
        auto const partial = [this](pack const& h, pack const& y, pack const& v) XGRAD_DETAIL_LAMBDA {
            return pack(weight_of<Rule>(y, h) * Rule::partial(y, v, count_));
        };
        // the partials of a linear rule are of no y in particular
        if constexpr (Rule::linear) give_step<Step, T>(c, no_mask(), uses, i, f, map_packs(partial, g, g, f.y));
        else give_step<Step, T>(c, no_mask(), uses, i, f, map_packs(partial, g, load_step<T, Step>(at_[0] + at), f.y));
    }
    void value() const {}

private:
    strides<S> const& stride_;
    memory_t<T const> from_[2], at_[2]{};
    memory_t<T> room_[2]{};
    bool stays_ = false;
    std::size_t count_;
    offsets const* o_ = nullptr;
};

}

// Accumulates along some axes, with a scale where the rule takes one: y has the tree's rank in its strides (0 along what is reduced), and begins as the
// rule's identity. `parts` may be none.
template <class Rule, class Tree, int S>
void reduce_along(Tree const& tree, extents<S> const& space, memory_t<typename Tree::value_type> y, strides<S> const& stride,
                  typename Tree::value_type const& scale, detail::pairwise_along<Rule, typename Tree::value_type>* parts) {
    using step = detail::step_of<Tree>;
    detail::note_pass<Tree>();
    std::size_t const size = element_count(space);
    if (size == 0) return;
    run_kernel<step, false>(tree, space, size, detail::reduce_along_root<Rule, typename Tree::value_type, typename step::unit, S>(y, stride, scale, parts));
}

// The pullback of that: every element takes partial(y, x) times the weight of the cotangent of the result that it went into.
template <class Rule, class Tree, int S, class T = typename Tree::value_type>
void pull_along(Tree const& tree, extents<S> const& space, memory_t<std::type_identity_t<T> const> y, memory_t<std::type_identity_t<T> const> ybar,
                strides<S> const& stride, std::size_t count) noexcept {
    using step = detail::step_of<Tree>;
    detail::note_pass<Tree>();
    tree.ensure_cotangents(space);
    std::size_t const size = element_count(space);
    if (size == 0) return;
    run_kernel<step, true>(tree, space, size, detail::pull_along_root<Rule, T, typename step::unit, S>(y, ybar, stride, count));
}

}
XGRAD_DETAIL_QUIET_END
