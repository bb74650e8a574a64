// Defines step_of_loop<N, F, L, P, U...>: a loop's step, which asks the condition of a while_loop. A lane of a pack that has left such a loop keeps its state.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xgrad/loops/step.hpp>
#include <xgrad/loops/steps.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether every part of a state P is numbers of such packs: what is not, as a counter, is one for all lanes.
template <class P, class L, class Pack>
consteval bool find_is_in_lanes() {
    if constexpr (!differentiable<P>) return false;
    else if constexpr (perturbable_number<P>)
        return std::is_same_v<std::remove_cvref_t<decltype(innermost_primal(std::declval<typename L::template type<P>>()))>, Pack>;
    else if constexpr (number_array<P>) return find_is_in_lanes<array_element_t<P>, L, Pack>();
    else return []<class... R>(type_list<R...>) { return (find_is_in_lanes<std::remove_cv_t<R>, L, Pack>() && ...); }(typename parts<P>::types{});
}

// The lanes of a mask, a bit for each, and back: with AVX-512 a mask is its bits.
template <class C>
std::uint64_t bits_of_mask(C const& c) {
    if constexpr (sizeof(C) < sizeof(typename C::batch_type)) return c.data;
    else {
        bool lane[C::size];
        c.store_unaligned(lane);
        std::uint64_t bits = 0;
        for (std::size_t j = 0; j < C::size; ++j) bits |= std::uint64_t(lane[j]) << j;
        return bits;
    }
}
template <class C>
C mask_of_bits(std::uint64_t bits) {
    if constexpr (sizeof(C) < sizeof(typename C::batch_type)) return C(static_cast<typename C::register_type>(bits));
    else {
        bool lane[C::size];
        for (std::size_t j = 0; j < C::size; ++j) lane[j] = bits >> j & 1u;
        return C::load_unaligned(lane);
    }
}

// What the lanes of a pack do that have left a while_loop whose others go on: they keep their state, and what comes to it passes by the step.
template <class C>
class open_lanes {
public:
    // Those that go on, a bit for each. While it lives, what is computed of the others decides nothing.
    explicit open_lanes(std::uint64_t open) : open_(mask_of_bits<C>(open)), left_(~open) { lanes_are_masked = true; }

    // The state behind a step.
    template <class State>
    void keep(State& state, std::byte* before, std::byte* behind) const {
        each_leaf([&](auto& leaf) { take(leaf, behind, behind, before); }, state);
    }
    // Of what comes to the state behind a step: `here` what the step takes, and then, where it has given `before`, the rest.
    template <class State>
    void split(State& state, std::byte* bar, std::byte* here) const {
        each_leaf(
            [&](auto& leaf) {
                leaf.was_due = leaf.due;
                if (leaf.due) take(leaf, here, bar, nullptr);
            },
            state);
    }
    template <class State>
    void pass(State& state, std::byte* bar, std::byte* before) const {
        each_leaf(
            [&](auto& leaf) {
                if (leaf.due || leaf.was_due) take(leaf, before, before, leaf.was_due ? bar : nullptr);
                leaf.due = leaf.due || leaf.was_due;
            },
            state);
    }

private:
    C open_;
    leaving_lanes left_;

    // `to` becomes what is at `open`, and in the lanes that have left what is at `left`, or 0.
    template <class Leaf>
    void take(Leaf& leaf, std::byte* to, std::byte* open, std::byte* left) const {
        using T = typename Leaf::T;
        auto const y = leaf.memory(to), a = leaf.memory(open), b = leaf.memory(left ? left : open);
        for (std::size_t i = 0; i < leaf.size(); ++i) y[i] = choose(open_, T(a[i]), left ? T(b[i]) : T(0));
    }
};

// N says how many steps there are.
//   forward, reverse        as of loop_step; reverse has room for a state
//   needs_room              whether it uses that
//   goes_on(c, holds, n, now)   of a while_loop: whether there is a step n, which begins with that state
template <class N, class F, class L, class P, class... U>
class step_of_loop : public loop_step<F, L, P, typename N::items, U...> {
    using base = loop_step<F, L, P, typename N::items, U...>;

public:
    using base::base;
    static constexpr bool needs_room = false;
    void reverse(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again, std::byte*) {
        base::reverse(c, i, now, bar, before, again);
    }
};
template <class C, class F, class L, class P, class... U>
class step_of_loop<steps_while<C>, F, L, P, U...> : public loop_step<F, L, P, no_items, U...> {
    using base = loop_step<F, L, P, no_items, U...>;
    // What the condition says of a pack: one bool for all lanes, or a mask of them.
    using answer_type = typename base::template answer_t<C>;
    static consteval auto find_mask() {
        if constexpr (is_lane_mask<answer_type>) {
            if constexpr (find_is_in_lanes<P, L, typename answer_type::pack_type>()) return type_tag<decltype(answer_type::lanes)>{};
            else return type_tag<no_variable>{};
        } else return type_tag<no_variable>{};
    }
    using mask = typename decltype(find_mask())::type;

public:
    using base::base;
    static constexpr bool needs_room = !std::is_same_v<mask, no_variable>;
    bool goes_on(context& c, C const& holds, std::size_t n, std::byte* now) {
        if constexpr (!needs_room) return this->ask(c, holds, now);
        else {
            auto const answer = this->ask(c, holds, now);
            // what is computed of this pack is of no use any more, and need not come to an end but in one lane
            if (lanes_disagree) [[unlikely]] {
                all_open_ = n + 1;
                return static_cast<bool>(answer);
            }
            std::uint64_t const going = open_ & ~lanes_left & bits_of_mask(answer.lanes);
            for (std::uint64_t leaving = open_ & ~going; leaving != 0; leaving &= leaving - 1)
                steps_[static_cast<std::size_t>(std::countr_zero(leaving))] = n;
            open_ = going;
            if (going == all_lanes) all_open_ = n + 1;
            return going != 0;
        }
    }
    XGRAD_DETAIL_INLINE void forward(context& c, std::size_t i, std::byte* now, std::byte* next, context* first) {
        if constexpr (needs_room)
            if (i >= all_open_) {
                open_lanes<mask> const open(those_at(i));
                base::forward(c, i, now, next, first);
                return open.keep(this->state, now, next);
            }
        base::forward(c, i, now, next, first);
    }
    void reverse(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again, [[maybe_unused]] std::byte* room) {
        if constexpr (needs_room)
            if (i >= all_open_) {
                open_lanes<mask> const open(those_at(i));
                open.split(this->state, bar, room);
                base::reverse(c, i, now, room, before, again);
                open.pass(this->state, bar, before);
                if constexpr (compares_replays) open.keep(this->state, now, again);
                return;
            }
        base::reverse(c, i, now, bar, before, again);
    }

private:
    static constexpr std::size_t find_lanes() {
        if constexpr (needs_room) return mask::size;
        else return 1;
    }
    static constexpr std::size_t lanes_ = find_lanes();
    static constexpr std::uint64_t all_lanes = ~std::uint64_t(0) >> (64 - lanes_);
    // that each lane takes, and the most that there can be where it has not left
    std::array<std::size_t, lanes_> steps_ = [] {
        std::array<std::size_t, lanes_> none;
        none.fill(~std::size_t(0));
        return none;
    }();
    std::uint64_t open_ = all_lanes;  // the lanes that have not left
    std::size_t all_open_ = 0;        // the first steps, which all lanes take

    std::uint64_t those_at(std::size_t i) const {
        std::uint64_t open = 0;
        for (std::size_t j = 0; j < lanes_; ++j) open |= std::uint64_t(steps_[j] > i) << j;
        return open;
    }
};

}
XGRAD_DETAIL_QUIET_END
