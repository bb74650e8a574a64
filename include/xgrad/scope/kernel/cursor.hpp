// Defines the cursors of a kernel: how each operand of an elementwise tree is read, step by step, and takes its cotangent.
#pragma once

#include <cstddef>

#include <xgrad/scope/kernel/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What a cursor is told of.
enum class moment {
    opened,  // each of the kernel is
    tile_begins,
    tile_ends,  // only where cotangents go
    all_ends    // likewise, and after every array has its cotangent: then active scalars take theirs
};

// An array in memory that is only read.
template <class T, int R, class Step>
class const_cursor {
public:
    static constexpr std::size_t arrays = 1, room = staged_tile * sizeof(T);
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE const_cursor(plan& p, memory_t<T const> value, extents<R> const& shape, strides<R> const& stride, bool contiguous)
        : from_(value), v_(value), room_(detail::memory_in<T>(p.take(room), staged_tile)), o_(p.enter(shape, stride, contiguous)) {}
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f) const { f.y = load_step<T, Step>(v_ + i); }
    template <class M, class S>
    XGRAD_DETAIL_INLINE void backward(M const&, S&, std::size_t, frame const&, packs const&) {}

private:
    memory_t<T const> from_, v_;
    memory_t<T> room_;
    offsets const* o_;

    XGRAD_DETAIL_INLINE void place(plan const& p) {
        if (p.in_place(o_)) v_ = from_ + p.offset(o_);
        else {
            // an element that goes with a whole row is there already
            if (!p.is_one_element(o_) || p.begins_row() || p.partial) stage_in<T, Step>(p, o_, from_, room_);
            v_ = room_;
        }
    }
};

// An array in memory and its cotangent, which is part of that of a slot. `first`: this is the first contribution, and it covers everything.
template <class T, int R, class Step>
class array_cursor {
public:
    static constexpr std::size_t arrays = 1, room = 2 * staged_tile * sizeof(T);
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using frame = leaf_frame<packs>;

    // `whole` is the cotangent of the slot, or null where nothing takes cotangents; `offset` is where the array begins in it.
    XGRAD_DETAIL_INLINE array_cursor(plan& p, memory_t<T const> value, memory_t<T> whole, std::ptrdiff_t offset, bool first, extents<R> const& shape,
                                     strides<R> const& stride, bool contiguous)
        : from_(value + offset), v_(from_), room_(p.take(room)), o_(p.enter(shape, stride, contiguous)) {
        if (whole) {
            to_ = a_ = whole + offset;
            p.enter_cotangent(o_, detail::address_of(whole), offset, first, room_);
        }
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
        else if (m == moment::opened) {
            assign_ = o_->is_first && o_->covers;
            goes_on_ = o_->goes_on;
            is_alone_ = !goes_on_ && o_->ends;
        } else if (m == moment::tile_ends && !o_->same) {
            if (o_->is_shared) {
                if (o_->is_first_part) stage_out_parts<T, Step>(p, o_, room / 2, to_ + -o_->begin);
            } else if (!p.in_place(o_)) stage_out<T, Step>(p, o_, memory_t<T const>(cotangents(room_)), to_, !o_->covers);
        }
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f) const { f.y = load_step<T, Step>(v_ + i); }
    template <class M, class S>
    XGRAD_DETAIL_INLINE void backward(M const& none, [[maybe_unused]] S& sum, std::size_t i, frame const&, packs const& given) {
        packs g = detail::unmasked(none, given);
        // beside a root of another type each use adds by itself
        constexpr bool sums = std::is_same_v<S, step_sum<packs>>;
        if constexpr (sums)
            if (!is_alone_) {
                if (goes_on_) g = add(sum.g, g);
                if (!o_->ends) {
                    sum.g = g;
                    return;
                }
            }
        if (assign_ && (sums || !goes_on_)) store_step<T, Step>(a_ + i, g);
        else store_step<T, Step>(a_ + i, add(load_step<T, Step>(memory_t<T const>(a_ + i)), g));
    }

private:
    memory_t<T const> from_, v_;
    memory_t<T> to_{}, a_{};
    bool assign_, is_alone_, goes_on_;
    std::byte* room_;  // of values, and of cotangents behind them
    offsets* o_;

    XGRAD_DETAIL_INLINE static memory_t<T> values(std::byte* copies) { return detail::memory_in<T>(copies, staged_tile); }
    XGRAD_DETAIL_INLINE static memory_t<T> cotangents(std::byte* copies) { return values(copies + room / 2); }

    XGRAD_DETAIL_INLINE static packs add(packs const& x, packs const& y) {
        if constexpr (Step::is_pair) return {x.a + y.a, x.b + y.b};
        else return x + y;
    }
    XGRAD_DETAIL_INLINE void place(plan const& p) {
        offsets const* const first = o_->same ? o_->same : o_;
        std::byte* const copies = o_->same ? first->room : room_;
        bool const in_place = p.in_place(o_);
        if (in_place) v_ = from_ + p.offset(o_);
        else {
            v_ = values(copies);
            if (!o_->same && (!p.is_one_element(o_) || p.begins_row() || p.partial)) stage_in<T, Step>(p, o_, from_, values(room_));
        }
        if (in_place && !first->is_shared) {
            if (to_) a_ = to_ + p.offset(o_);
            assign_ = o_->is_first && o_->covers;
        } else {
            a_ = cotangents(copies);
            assign_ = o_->is_first;
        }
    }
};

// A number: the same for every element, without a cotangent.
template <class T, class Step>
class number_cursor {
public:
    static constexpr std::size_t arrays = 0, room = 0;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE explicit number_cursor(T const& x) : v_(spread_step<T, Step>(x)) {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment, Plan&) {}
    XGRAD_DETAIL_INLINE packs const& same() const { return v_; }
    XGRAD_DETAIL_INLINE void forward(std::size_t, frame& f) const { f.y = v_; }
    template <class M, class S>
    XGRAD_DETAIL_INLINE void backward(M const&, S&, std::size_t, frame const&, packs const&) {}

private:
    packs v_;
};

// An active scalar: its cotangent is summed in registers, and contributed once.
template <class T, class Step, class Operand>
class scalar_cursor {
public:
    static constexpr std::size_t arrays = 0, room = 0;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE scalar_cursor(T const& x, Operand const* target)
        : v_(spread_step<T, Step>(x)), sum_(spread_step<T, Step>(T(0))), total_(0), target_(target) {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) {
        // what a tile brought: of one that fills no step the first elements
        if (m == moment::tile_ends) {
            if constexpr (Step::size == 1) total_ = total_ + sum_;
            else total_ = total_ + fold_step<T, Step>(sum_, p.partial ? p.size : Step::size, add_values());
            sum_ = spread_step<T, Step>(T(0));
        } else if (m == moment::all_ends) target_->add(T(total_));
    }
    XGRAD_DETAIL_INLINE packs const& same() const { return v_; }
    XGRAD_DETAIL_INLINE void forward(std::size_t, frame& f) const { f.y = v_; }
    template <class M, class S>
    XGRAD_DETAIL_INLINE void backward(M const& none, S&, std::size_t, frame const&, packs const& given) {
        auto const g = detail::unmasked(none, given);
        if constexpr (Step::is_pair) sum_ = {sum_.a + g.a, sum_.b + g.b};
        else sum_ = sum_ + g;
    }

private:
    packs v_, sum_;
    std::conditional_t<std::is_same_v<T, float>, double, T> total_;  // of many tiles
    Operand const* target_;
};

}
XGRAD_DETAIL_QUIET_END
