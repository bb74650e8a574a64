// Defines step_of_loop<N, F, L, P, U...>: a loop's step, which asks the condition of a while_loop. A lane of a pack that has left such a loop keeps its state.
#pragma once

#include <cstddef>
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

// The lanes in which a while_loop goes on, as C, what its condition gives, says. A bool is one for all lanes.
template <class C>
struct open_lanes {
    template <class P, class L>
    static consteval bool tell_apart() {
        return false;
    }
};
template <class C>
struct open_lanes<lane_mask<C>> {
    C lanes;

    template <class P, class L>
    static consteval bool tell_apart() {
        return find_is_in_lanes<P, L, typename C::batch_type>();
    }
    explicit open_lanes(lane_mask<C> const& m) : lanes(m.lanes) { lanes_are_masked = true; }

    // The state behind a step, as far as the lanes have left the loop the one before it.
    template <class State>
    void keep(State& state, std::byte* before, std::byte* behind) const {
        each_leaf(
            [&](auto& leaf) {
                auto const from = leaf.memory(before), to = leaf.memory(behind);
                for (std::size_t i = 0; i < leaf.size(); ++i) to[i] = chosen(leaf, to[i], from[i]);
            },
            state);
    }
    // What comes to the state behind a step: `here` what the step takes, and then, where it has given `before`, the rest.
    template <class State>
    void split(State& state, std::byte* bar, std::byte* here) const {
        each_leaf(
            [&]<class Leaf>(Leaf& leaf) {
                leaf.was_due = leaf.due;
                if (!leaf.due) return;
                auto const from = leaf.memory(bar), to = leaf.memory(here);
                for (std::size_t i = 0; i < leaf.size(); ++i) to[i] = chosen(leaf, from[i], typename Leaf::T(0));
            },
            state);
    }
    template <class State>
    void pass(State& state, std::byte* bar, std::byte* before) const {
        each_leaf(
            [&](auto& leaf) {
                if (!leaf.was_due) return;
                leaf.due = true;
                auto const from = leaf.memory(bar), to = leaf.memory(before);
                for (std::size_t i = 0; i < leaf.size(); ++i) to[i] = chosen(leaf, to[i], from[i]);
            },
            state);
    }

private:
    template <class Leaf, class A, class B>
    auto chosen(Leaf const&, A const& open, B const& left) const {
        using T = typename Leaf::T;
        return choose(lanes, T(open), T(left));
    }
};

// N says how many steps there are.
//   goes_on(c, n, now)      whether there is a step n, which begins with that state
//   forward, reverse        as of loop_step; reverse has room for a state at `open`
//   needs_room              whether it uses that
template <class N, class F, class L, class P, class... U>
class step_of_loop : public loop_step<F, L, P, typename N::items, U...> {
    using base = loop_step<F, L, P, typename N::items, U...>;

public:
    static constexpr bool needs_room = false;
    template <class... E>
    step_of_loop(char const* text, F f, N const& steps, typename base::variables_type params, context& c, E const&... e)
        : base(text, std::move(f), steps.xs(), std::move(params), c, e...) {}
    void reverse(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again, std::byte*) {
        base::reverse(c, i, now, bar, before, again);
    }
};
template <class C, class F, class L, class P, class... U>
class step_of_loop<steps_while<C>, F, L, P, U...> : public loop_step<F, L, P, no_items, U...> {
    using base = loop_step<F, L, P, no_items, U...>;
    using lanes_type = open_lanes<typename base::template answer_t<C>>;

public:
    static constexpr bool needs_room = lanes_type::template tell_apart<P, L>();
    template <class... E>
    step_of_loop(char const* text, F f, steps_while<C> const& steps, typename base::variables_type params, context& c, E const&... e)
        : base(text, std::move(f), steps.xs(), std::move(params), c, e...), holds_(steps.holds) {}
    bool goes_on(context& c, [[maybe_unused]] std::size_t n, std::byte* now) {
        if constexpr (!needs_room) return static_cast<bool>(this->ask(c, holds_, now));
        else {
            auto const open = this->ask(c, holds_, now).lanes;
            if (all_open_ == n && xsimd::all(open)) ++all_open_;
            return xsimd::any(open);
        }
    }
    XGRAD_DETAIL_INLINE void forward(context& c, std::size_t i, std::byte* now, std::byte* next, context* first) {
        if constexpr (needs_room)
            if (i >= all_open_) {
                lanes_type const open(this->ask(c, holds_, now));
                base::forward(c, i, now, next, first);
                return open.keep(this->state, now, next);
            }
        base::forward(c, i, now, next, first);
    }
    void reverse(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again, [[maybe_unused]] std::byte* room) {
        if constexpr (needs_room)
            if (i >= all_open_) {
                lanes_type const open(this->ask(c, holds_, now));
                open.split(this->state, bar, room);
                base::reverse(c, i, now, room, before, again);
                open.pass(this->state, bar, before);
                return open.keep(this->state, now, again);
            }
        base::reverse(c, i, now, bar, before, again);
    }

private:
    C holds_;
    std::size_t all_open_ = 0;  // the first steps, which all lanes take
};

}
XGRAD_DETAIL_QUIET_END
