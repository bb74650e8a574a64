// Defines the cursors of arrays in memory: how each is read, step by step, and takes its cotangent.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/scope/kernel/cursor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// An array in memory that is only read.
template <class T, int R, class Step>
class const_cursor {
public:
    static constexpr std::size_t arrays = 1, cotangents = 0, room = staged_bytes<T>;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using given_packs = no_packs;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE const_cursor(seen_arrays& p, memory_t<T const> value, extents<R> const& shape, strides<R> const& stride, bool contiguous)
        : from_(value), v_(value), room_(detail::memory_in<T>(p.take(room), staged_tile)), lies_flat_(p.see(shape, contiguous)), shape_(shape),
          stride_(stride) {}
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
        else if (m == moment::entered) o_ = p.enter(shape_, stride_);
    }
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        if (m == moment::tile_begins) {
            if (!lies_flat_) v_ = from_ + p.position();
            else {
                copy_few<T, typename Step::unit>(from_ + p.position(), room_, p.size, false);
                v_ = room_;
            }
        } else if (m == moment::copies_begin && !lies_flat_) {
            memory_t<T> const copy = room_ + static_cast<std::ptrdiff_t>(Step::size);
            copy_all<T, typename Step::unit>(p.space(), {shape_, stride_}, from_, copy);
            from_ = v_ = copy;
        }
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, detail::uses_of_repeated<Step>&) const { f.y = load_step<T, Step>(v_ + i); }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const&, U&, std::size_t, frame const&, packs const&) {}
    // Whether all of this tile is one element.
    bool stays() const noexcept { return stays_; }

private:
    memory_t<T const> from_, v_;
    memory_t<T> room_;
    bool stays_ = false, lies_flat_;
    extents<R> const& shape_;
    strides<R> const& stride_;
    offsets const* o_ = nullptr;

    XGRAD_DETAIL_INLINE void place(plan const& p) {
        if (p.in_place(o_)) {
            stays_ = false;
            v_ = from_ + p.offset(o_);
        } else {
            stays_ = p.is_one_element(o_);
            if (!p.is_copied(o_)) stage_in<T, typename Step::unit>(p, o_, from_, room_, false);
            v_ = room_;
        }
    }
};

// An array in memory and its cotangent, which is part of that of a slot. `first`: this is the first contribution, and it covers everything.
template <class T, int R, class Step>
class array_cursor {
public:
    static constexpr std::size_t arrays = 1, cotangents = 1, room = 2 * staged_bytes<T>;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using given_packs = packs;
    using frame = leaf_frame<packs>;

    // `whole` is the cotangent of the slot, or null where nothing takes cotangents; `offset` is where the array begins in it, of which it may be a part.
    XGRAD_DETAIL_INLINE array_cursor(seen_arrays& p, memory_t<T const> value, memory_t<T> whole, std::ptrdiff_t offset, bool first, extents<R> const& shape,
                                     strides<R> const& stride, bool contiguous, std::size_t filled = 0, bool is_part = false)
        : from_(value + offset), v_(from_), room_(p.take(room)), lies_flat_(p.see(shape, contiguous)), filled_(filled), shape_(shape), stride_(stride) {
        if (whole) {
            to_ = a_ = whole + offset;
            offset_ = offset;
            is_first_ = assign_ = stores_ = first;
            is_part_ = is_part;
            if (is_part && lies_flat_) p.see_part();
            p.see_cotangent(detail::address_of(to_));
        }
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
        else if (m == moment::entered) {
            if (to_) o_ = p.enter_cotangent(shape_, stride_, detail::address_of(to_ + -offset_), offset_, is_first_, room_);
            else o_ = p.enter(shape_, stride_);
        } else if (m == moment::noted) {
            if (to_ && !p.goes_alone(is_part_)) o_ = p.note_cotangent(shape_, detail::address_of(to_ + -offset_), offset_, is_first_, room_);
        } else if (m == moment::opened) {
            if (!o_) return;
            assign_ = begins() && covers();
            goes_on_ = o_->met != 0;
            ends_ = ++o_->met == o_->uses;
            stores_ = ends_ && assign_;
        } else if (m == moment::tile_ends) {
            if (!lies_there_ && !goes_on_ && !is_again()) leave(p);
        } else if (to_) {
            if (m == moment::rest_begins) begin_rest(p);
            if (m == moment::rest_ends) end_rest(p);
        }
    }
    XGRAD_DETAIL_INLINE void meet(moment m, short_plan& p) {
        using unit = typename Step::unit;
        if (m == moment::tile_begins) {
            if (p.is_filled(filled_)) {
                v_ = from_ + p.position();
                if (to_) a_ = to_ + p.position();
                return;
            }
            copy_few<T, unit>(from_ + p.position(), values_in(room_), p.size, false);
            v_ = values_in(room_);
            if (!to_) return;
            a_ = cotangents_in(room_);
            assign_ = stores_ = true;
        } else if (m == moment::tile_ends) {
            if (to_ && p.partial && !p.is_filled(filled_)) give_few<T, unit>(cotangents_in(room_), to_ + p.position(), p.size, !is_first_);
        } else if (m == moment::rest_begins) {
            if (to_ && (p.takes_several || !is_first_)) {
                a_ = cotangents_in(room_) + -static_cast<std::ptrdiff_t>(p.size - Step::size);
                assign_ = stores_ = true;
            }
        } else if (m == moment::rest_ends) {
            if (to_ && (p.takes_several || !is_first_)) give_rest<T, unit>(p, cotangents_in(room_), to_, !is_first_);
        } else if (m == moment::copies_begin) {
            if (!lies_flat_) begin_copies(p.space());
        } else if (m == moment::copies_end)
            if (!lies_flat_ && to_) give_all<T, unit>(p.space(), {shape_, stride_}, to_, home_, !is_home_first_);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, detail::uses_of_repeated<Step>&) const { f.y = load_step<T, Step>(v_ + i); }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, [[maybe_unused]] U& uses, std::size_t i, frame const&, packs const& given) {
        using S = decltype(uses.sum);
        packs g = detail::unmasked(some, given);
        if constexpr (std::is_same_v<S, whole_sum<packs>>) uses.sum.g = add(uses.sum.g, g);
        else if constexpr (std::is_same_v<S, step_sum<packs>>) {
            g = add(uses.sum.g, g);
            if (stores_) [[likely]] {
                store_step<T, Step>(a_ + i, g);
                uses.sum.g = nothing_given<T, Step>();
            } else if (ends_) {
                add_to(i, g);
                uses.sum.g = nothing_given<T, Step>();
            } else uses.sum.g = g;
        } else if constexpr (std::is_same_v<S, no_sum>) put(i, g);
        // beside a root of another type each use adds by itself
        else if (goes_on_) add_to(i, g);
        else put(i, g);
    }
    // What all uses give in a step.
    XGRAD_DETAIL_INLINE bool put(std::size_t i, packs const& g) {
        if (assign_) store_step<T, Step>(a_ + i, g);
        else add_to(i, g);
        return true;
    }
    bool stays() const noexcept { return stays_; }

private:
    memory_t<T const> from_, v_;
    memory_t<T> to_{}, a_{};
    memory_t<T> home_;  // where what a copy is given goes
    std::byte* room_;
    bool stays_ = false, lies_flat_;
    std::size_t filled_;  // what slot::filled says
    std::size_t at_ = ~std::size_t(0);  // of an index in the tile: where all of that is one element, all steps are added up in one
    bool is_first_ = false, is_home_first_, is_part_ = false, assign_;
    bool goes_on_ = false, ends_ = true;  // the use before is of the same array, and what it gives goes on in this one's; the one behind is not
    bool stores_ = false;  // ends_ and assign_, which is asked in each step
    bool lies_there_ = false;  // neither this tile nor its cotangent is a copy: all that fill a step are like that
    std::ptrdiff_t offset_;
    extents<R> const& shape_;
    strides<R> const& stride_;
    offsets* o_ = nullptr;  // none of what is flat and takes no cotangents, or adds them by itself in each step

    // Whether another is the same array, and has the copies; whether what this one gives comes before all else; and whether that is all of the cotangent.
    XGRAD_DETAIL_INLINE bool is_again() const noexcept { return o_ && o_->same; }
    XGRAD_DETAIL_INLINE bool begins() const noexcept { return !o_ || o_->is_first; }
    XGRAD_DETAIL_INLINE bool covers() const noexcept { return o_ ? o_->covers : is_first_; }

    // Copies of tiles: of values, and of cotangents behind them.
    XGRAD_DETAIL_INLINE static memory_t<T> values_in(std::byte* copies) { return detail::memory_in<T>(copies, staged_tile); }
    XGRAD_DETAIL_INLINE static memory_t<T> cotangents_in(std::byte* copies) { return detail::memory_in<T>(copies + room / 2, staged_tile); }

    XGRAD_DETAIL_INLINE static packs add(packs const& x, packs const& y) {
        if constexpr (Step::is_pair) return {x.a + y.a, x.b + y.b};
        else return x + y;
    }
    XGRAD_DETAIL_INLINE void add_to(std::size_t i, packs const& g) {
        auto const to = a_ + (i & at_);
        store_step<T, Step>(to, add(load_step<T, Step>(memory_t<T const>(to)), g));
    }
    // Copies of all of a short kernel, behind those of what fills no step: the array is what they are from now on.
    XGRAD_DETAIL_INLINE void begin_copies(iteration_space space) {
        constexpr auto behind = static_cast<std::ptrdiff_t>(Step::size);
        memory_t<T> const copy = values_in(room_) + behind;
        copy_all<T, typename Step::unit>(space, {shape_, stride_}, from_, copy);
        from_ = v_ = copy;
        filled_ = staged_tile;
        if (!to_) return;
        home_ = to_;
        is_home_first_ = is_first_;
        to_ = a_ = cotangents_in(room_) + behind;
        is_first_ = assign_ = stores_ = true;
    }
    // Of several uses in turn, and of those that are the same, the first has the copies.
    XGRAD_DETAIL_INLINE void place(plan const& p) {
        if (lies_there_ && !p.partial) [[likely]] {
            std::ptrdiff_t const at = p.offset(o_);
            v_ = from_ + at;
            if (!to_) return;
            a_ = to_ + at;
            assign_ = begins() && covers();
            stores_ = ends_ && assign_;
            return;
        }
        bool const in_place = p.in_place(o_);
        stays_ = !in_place && p.is_one_element(o_);
        offsets const* const first = is_again() ? o_->same : o_;
        std::byte* const copies = to_ && first ? first->room : room_;
        if (in_place) v_ = from_ + p.offset(o_);
        else {
            if (first == o_ && !goes_on_ && !p.is_copied(o_)) stage_in<T, typename Step::unit>(p, o_, from_, values_in(copies), false);
            v_ = values_in(copies);
        }
        lies_there_ = in_place && !(to_ && first && first->is_shared);
        if (!to_) return;
        at_ = ~std::size_t(0);
        if (stays_ && !(first && first->is_shared)) {
            a_ = cotangents_in(copies);
            at_ = 0;
            assign_ = false;
            if (begins() && !goes_on_) store_step<T, Step>(a_, nothing_given<T, Step>());
        } else if (lies_there_) {
            a_ = to_ + p.offset(o_);
            assign_ = begins() && covers();
        } else {
            a_ = cotangents_in(copies);
            assign_ = begins() && (!p.gathers(first) || p.begins_gathering());
        }
        stores_ = ends_ && assign_;
    }
    XGRAD_DETAIL_INLINE std::byte* copies() const noexcept { return !o_ ? room_ : is_again() ? o_->same->room : o_->room; }
    // What the last step of a tile gives is written once more; where it is added up, the step has a copy for itself.
    XGRAD_DETAIL_INLINE bool has_rest_apart(plan const& p) const noexcept { return (p.is_flat() || lies_there_) && !covers(); }
    XGRAD_DETAIL_INLINE void begin_rest(plan const& p) {
        if (at_ == 0) {
            if (goes_on_ || is_again()) return;
            auto const sum = load_step<T, Step>(memory_t<T const>(a_));
            store_step<T, Step>(a_ + static_cast<std::ptrdiff_t>(Step::size), sum);
            store_step<T, Step>(a_, nothing_given<T, Step>());
        } else if (has_rest_apart(p)) {
            a_ = cotangents_in(copies()) + -static_cast<std::ptrdiff_t>(p.size - Step::size);
            assign_ = begins();
            stores_ = ends_ && assign_;
        }
    }
    XGRAD_DETAIL_INLINE void end_rest(plan const& p) {
        if (goes_on_ || is_again()) return;
        if (at_ == 0) {
            auto const own = fold_step<T, typename Step::unit>(load_step<T, Step>(memory_t<T const>(a_)), Step::size - p.rest, p.rest, add_values());
            store_step<T, Step>(a_, load_step<T, Step>(memory_t<T const>(a_ + static_cast<std::ptrdiff_t>(Step::size))));
            *a_ = T(*a_) + own;
        } else if (has_rest_apart(p)) give_rest<T, typename Step::unit>(p, cotangents_in(copies()), to_ + p.offset(o_), !covers());
    }
    XGRAD_DETAIL_INLINE void leave(plan const& p) {
        if (o_ && o_->is_shared) {
            if (o_->is_first_part) stage_out_parts<T, typename Step::unit>(p, o_, room / 2, to_ + -o_->begin);
        } else if (at_ == 0) {
            auto const to = to_ + p.offset(o_);
            T const sum = fold_step<T, typename Step::unit>(load_step<T, Step>(memory_t<T const>(a_)), 0, p.partial ? p.size : Step::size, add_values());
            *to = covers() ? sum : T(T(*to) + sum);
        } else if (p.gathers(o_)) {
            if (p.ends_gathering()) stage_out_rows<T>(p, o_, cotangents_in(o_->room), to_);
        } else if (!p.in_place(o_)) {
            memory_t<T const> const copy = cotangents_in(o_ ? o_->room : room_);
            stage_out<T, typename Step::unit>(p, o_, copy, to_, !covers());
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
