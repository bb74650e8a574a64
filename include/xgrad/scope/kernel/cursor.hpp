// Defines the cursors of a kernel: how each operand of an elementwise tree is read, step by step, and takes its cotangent.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/pairwise.hpp>
#include <xgrad/scope/kernel/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What a cursor is told of.
enum class moment {
    entered,  // only where not all arrays lie flat: each enters the plan
    opened,   // only where cotangents go: each of the kernel is
    tile_begins,
    tile_ends,  // only where cotangents go
    all_ends    // likewise, and after every array has its cotangent: then active scalars take theirs
};

// When what packs have summed up over tiles becomes one number: before there are too many, and around a tile that fills no step, of which some lanes count.
class folding {
public:
    // How many lanes are to be folded now; 0 where none are. `unit`: the elements of a step; `most`: the steps of one sum, about.
    XGRAD_DETAIL_INLINE std::size_t due(moment m, plan const& p, std::size_t unit, std::size_t most) noexcept {
        bool const ends = m == moment::tile_ends;
        if (ends) steps_ += p.partial ? 1 : p.size / unit;
        bool const stays = ends ? !p.partial && steps_ < most / 2 : m == moment::tile_begins && !p.partial && p.lead == 0;
        if (stays || !is_open()) return 0;
        steps_ = 0;
        return ends && p.partial ? p.size : unit;
    }
    bool is_open() const noexcept { return steps_ != 0; }

private:
    std::size_t steps_ = 0;  // that were summed up since
};

// The cursors of a tree say by `cotangents` how many of its operands are arrays that take some, and by `given_packs` of which type those are, if of one.
struct no_packs {};
struct several_packs {};
template <class... P>
struct join_packs { using type = no_packs; };
template <class P, class... Q>
struct join_packs<P, Q...> {
    using rest = typename join_packs<Q...>::type;
    static constexpr bool agrees = std::is_same_v<rest, no_packs> || std::is_same_v<P, rest>;
    using type = std::conditional_t<std::is_same_v<P, no_packs>, rest, std::conditional_t<agrees, P, several_packs>>;
};

// An array in memory that is only read.
template <class T, int R, class Step>
class const_cursor {
public:
    static constexpr std::size_t arrays = 1, cotangents = 0, room = staged_bytes<T>;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using given_packs = no_packs;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE const_cursor(plan& p, memory_t<T const> value, extents<R> const& shape, strides<R> const& stride, bool contiguous)
        : from_(value), v_(value), room_(detail::memory_in<T>(p.take(room), staged_tile)), shape_(shape), stride_(stride) {
        p.see(shape, contiguous);
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
        else if (m == moment::entered) o_ = p.enter(shape_, stride_);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, frame& f, detail::uses_of_repeated<Step>&) const { f.y = load_step<T, Step>(v_ + i); }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const&, U&, std::size_t, frame const&, packs const&) {}
    // Whether all of this tile is one element.
    bool stays() const noexcept { return stays_; }

private:
    memory_t<T const> from_, v_;
    memory_t<T> room_;
    bool stays_ = false;
    extents<R> const& shape_;
    strides<R> const& stride_;
    offsets const* o_ = nullptr;

    XGRAD_DETAIL_INLINE void place(plan const& p) {
        stays_ = p.is_one_element(o_);
        if (p.in_place(o_)) v_ = from_ + p.offset(o_);
        else {
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
    XGRAD_DETAIL_INLINE array_cursor(plan& p, memory_t<T const> value, memory_t<T> whole, std::ptrdiff_t offset, bool first, extents<R> const& shape,
                                     strides<R> const& stride, bool contiguous, bool is_part = false)
        : from_(value + offset), v_(from_), room_(p.take(room)), shape_(shape), stride_(stride) {
        if (whole) {
            to_ = a_ = whole + offset;
            offset_ = offset;
            is_first_ = assign_ = stores_ = first;
            if (!p.goes_alone(is_part)) {
                o_ = p.see_cotangent(shape, contiguous, detail::address_of(whole), offset, first, room_);
                return;
            }
        }
        p.see(shape, contiguous);
    }
    XGRAD_DETAIL_INLINE void meet(moment m, plan& p) {
        if (m == moment::tile_begins) place(p);
        else if (m == moment::entered) {
            if (to_) o_ = p.enter_cotangent(shape_, stride_, detail::address_of(to_ + -offset_), offset_, is_first_, room_);
            else o_ = p.enter(shape_, stride_);
        } else if (m == moment::opened) {
            if (!o_) return;
            assign_ = begins() && covers();
            goes_on_ = o_->met != 0;
            ends_ = ++o_->met == o_->uses;
            stores_ = ends_ && assign_;
        } else if (m == moment::tile_ends && !goes_on_ && !is_again()) leave(p);
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
    std::byte* room_;
    bool stays_ = false;
    std::size_t at_ = ~std::size_t(0);  // of an index in the tile: where all of that is one element, all steps are added up in one
    bool is_first_ = false, assign_;
    bool goes_on_ = false, ends_ = true;  // the use before is of the same array, and what it gives goes on in this one's; the one behind is not
    bool stores_ = false;  // ends_ and assign_, which is asked in each step
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
    // Of several uses in turn, and of those that are the same, the first has the copies.
    XGRAD_DETAIL_INLINE void place(plan const& p) {
        bool const in_place = p.in_place(o_);
        stays_ = p.is_one_element(o_);
        offsets const* const first = is_again() ? o_->same : o_;
        std::byte* const copies = to_ && first ? first->room : room_;
        if (in_place) v_ = from_ + p.offset(o_);
        else {
            if (first == o_ && !goes_on_ && !p.is_copied(o_)) stage_in<T, typename Step::unit>(p, o_, from_, values_in(copies), false);
            v_ = values_in(copies);
        }
        if (!to_) return;
        at_ = ~std::size_t(0);
        if (stays_ && !(first && first->is_shared)) {
            a_ = cotangents_in(copies);
            at_ = 0;
            assign_ = false;
            if (begins() && !goes_on_) store_step<T, Step>(a_, nothing_given<T, Step>());
        } else if (in_place && p.lead == 0 && !(first && first->is_shared)) {
            a_ = to_ + p.offset(o_);
            assign_ = begins() && covers();
        } else {
            a_ = cotangents_in(copies);
            assign_ = begins() && (!p.gathers(first) || p.begins_gathering());
        }
        stores_ = ends_ && assign_;
    }
    XGRAD_DETAIL_INLINE void leave(plan const& p) {
        if (o_ && o_->is_shared) {
            if (o_->is_first_part) stage_out_parts<T, typename Step::unit>(p, o_, room / 2, to_ + -o_->begin);
        } else if (at_ == 0) {
            auto const to = to_ + p.offset(o_);
            T const sum = fold_step<T, typename Step::unit>(load_step<T, Step>(memory_t<T const>(a_)), p.lead, p.partial ? p.size : Step::size, add_values());
            *to = covers() ? sum : T(T(*to) + sum);
        } else if (p.gathers(o_)) {
            if (p.ends_gathering()) stage_out_rows<T>(p, o_, cotangents_in(o_->room), to_);
        } else if (!p.in_place(o_)) {
            memory_t<T const> const copy = cotangents_in(o_ ? o_->room : room_);
            stage_out<T, typename Step::unit>(p, o_, copy, to_, !covers());
        }
    }
};

// A number: the same for every element, without a cotangent.
template <class T, class Step>
class number_cursor {
public:
    static constexpr std::size_t arrays = 0, cotangents = 0, room = 0;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using given_packs = no_packs;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE explicit number_cursor(T const& x) : v_(spread_step<T, Step>(x)) {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment, Plan&) {}
    XGRAD_DETAIL_INLINE packs const& same() const { return v_; }
    static constexpr bool stays() noexcept { return true; }
    XGRAD_DETAIL_INLINE void forward(std::size_t, frame& f, detail::uses_of_repeated<Step>&) const { f.y = v_; }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const&, U&, std::size_t, frame const&, packs const&) {}

private:
    packs v_;
};

// An active scalar: its cotangent is summed in registers, and contributed once.
template <class T, class Step, class Operand>
class scalar_cursor {
public:
    static constexpr std::size_t arrays = 0, cotangents = 0, room = 0;
    using step_type = Step;
    using packs = typename Step::template packs<T>;
    using given_packs = no_packs;
    using frame = leaf_frame<packs>;

    XGRAD_DETAIL_INLINE scalar_cursor(T const& x, Operand const* target)
        : v_(spread_step<T, Step>(x)), sum_(spread_step<T, Step>(T(0))), total_(0), target_(target) {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, [[maybe_unused]] Plan& p) {
        if constexpr (Step::size == 1) {
            if (m == moment::tile_ends) {
                total_ = total_ + sum_;
                sum_ = T(0);
            }
        } else if (std::size_t const n = folding_.due(m, p, Step::size, detail::longest_sum<T>)) {
            total_ = total_ + fold_step<T, typename Step::unit>(sum_, p.lead, n, add_values());
            sum_ = spread_step<T, Step>(T(0));
        }
        if (m == moment::all_ends) target_->add(T(total_));
    }
    XGRAD_DETAIL_INLINE packs const& same() const { return v_; }
    static constexpr bool stays() noexcept { return true; }
    XGRAD_DETAIL_INLINE void forward(std::size_t, frame& f, detail::uses_of_repeated<Step>&) const { f.y = v_; }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const& some, U&, std::size_t, frame const&, packs const& given) {
        auto const g = detail::unmasked(some, given);
        if constexpr (Step::is_pair) sum_ = {sum_.a + g.a, sum_.b + g.b};
        else sum_ = sum_ + g;
    }

private:
    packs v_, sum_;
    folding folding_;
    std::conditional_t<std::is_same_v<T, float>, double, T> total_;  // of many tiles
    Operand const* target_;
};

}
XGRAD_DETAIL_QUIET_END
