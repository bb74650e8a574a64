// Defines loop_action and the policies keep_all, keep_states, checkpoints, every, memory_budget and on_disk: what is stored, and which steps run again.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/loops/store.hpp>

namespace xgrad {

// What a loop does next. It has one current state, that before its step number `at`, which begins as that before step 0; and places for states.
//   forward   runs `number` steps from the current state
//   store     keeps the current state in the place `number`
//   load      makes the state in the place `number` the current one
//   drop      the state in the place `number` is not needed any more
//   reverse   runs the step that begins with the current state once more, and takes the cotangents through it; the current state is lost
//   end       all steps have been reversed
struct loop_action {
    enum class verb : unsigned char { forward, store, load, drop, reverse, end };
    verb what = verb::end;
    std::size_t number = 0;
};

// What says how much memory a loop of n steps takes, and which steps run again for it:
//   places(n)            how many states are in store at once, at most
//   begin(n, position)   something with next(), which yields the actions for n steps, to `end`: steps are reversed one by one, the last first. It is a plain
//                        object that may be copied; `position` is room for places(n) numbers, which it may use as it likes
// A schedule of one's own has the same two members. Whatever comes before the first reverse is done in the forward pass.
template <class S>
concept schedule = requires(S const& s, std::size_t n, std::size_t* position) {
    { s.places(n) } -> std::convertible_to<std::size_t>;
    { s.begin(n, position).next() } -> std::same_as<loop_action>;
};

namespace detail {

// n over k, or the largest number where that is more.
constexpr std::size_t binomial(std::size_t n, std::size_t k) noexcept {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (k > n) return 0;
    k = std::min(k, n - k);
    std::size_t b = 1;
    for (std::size_t i = 1; i <= k; ++i) {
        // b (n - k + i) / i is a whole number
        std::size_t const f = n - k + i;
        if (b > most / f) {
            std::size_t const whole = b / i, rest = b % i;
            if (whole >= most / f || rest > most / f) return most;
            b = whole * f + rest * f / i;
        } else b = b * f / i;
    }
    return b;
}
// How often a step is run again at most where n steps are reversed with c places: the least r with (c + r over r) >= n.
constexpr std::size_t repetitions(std::size_t n, std::size_t c) noexcept {
    std::size_t r = 0;
    while (binomial(c + r, r) < n) ++r;
    return r;
}
// How many of n steps are run before the next state is stored, where there are c places, that of the first state among them: with it the number of steps that
// run forward is the least that there is, forward_steps(n, c).
constexpr std::size_t steps_to_next(std::size_t n, std::size_t c) noexcept {
    if (c <= 1) return n - 1;
    if (n <= c + 1) return 1;
    std::size_t const r = repetitions(n, c), after = binomial(c + r - 1, c - 1), before = c + r >= 2 ? binomial(c + r - 2, c) : 0;
    return std::clamp<std::size_t>(std::max(before, n > after ? n - after : 0), 1, n - 1);
}

}

// How many steps run forward so that n steps can be reversed with c places for states, that of the first state among them: r n - (c + r over r - 1), with the
// least r for which (c + r over r) >= n. It is the least possible: A. Griewank, A. Walther, Algorithm 799: Revolve, ACM Trans. Math. Softw. 26, 2000.
constexpr std::size_t forward_steps(std::size_t n, std::size_t c) noexcept {
    std::size_t const r = detail::repetitions(n, c);
    return r == 0 ? 0 : r * n - detail::binomial(c + r, r - 1);
}

namespace detail {

// The actions where the places are a stack: what was stored last is loaded first. split(at, left, free) says how many of the `left` steps from step `at` run
// before the next state is stored, where `free` places are, that of the state `at` among them.
template <class Split>
class stack_of_states {
public:
    constexpr stack_of_states(std::size_t n, std::size_t places, std::size_t* position, Split split) noexcept
        : end_(n), places_(places), position_(position), split_(split) {}
    // Where `stored` states are in store already, one every `distance` steps, and the current state is that before the last step.
    constexpr void go_on(std::size_t stored, std::size_t distance) noexcept {
        for (std::size_t i = 0; i < stored; ++i) position_[i] = i * distance;
        top_ = stored;
        places_ = std::max(places_, stored);
        at_ = end_ - 1;
    }
    constexpr loop_action next() noexcept {
        using enum loop_action::verb;
        if (top_ != 0 && position_[top_ - 1] >= end_) return {drop, --top_};
        if (end_ == 0) return {};
        if (lost_) {
            lost_ = false;
            at_ = position_[top_ - 1];
            return {load, top_ - 1};
        }
        if (at_ + 1 == end_) {
            --end_;
            lost_ = true;
            return {reverse, at_};
        }
        bool const stored = top_ != 0 && position_[top_ - 1] == at_;
        if (!stored && top_ < places_) {
            position_[top_] = at_;
            return {store, top_++};
        }
        std::size_t const k = split_(at_, end_ - at_, places_ - top_ + 1);
        at_ += k;
        return {forward, k};
    }

private:
    std::size_t end_, at_ = 0, top_ = 0, places_;  // end_: this step and those behind it are reversed
    std::size_t* position_;
    bool lost_ = false;
    [[no_unique_address]] Split split_;
};

}

namespace detail {
// Which states are stored while nobody knows how many steps there will be: one every `distance` steps; where `most` of them are there every second one is given
// up, and the distance doubles. What is stored when the end is known is what a stack of states goes on with.
struct states_on_the_way {
    std::size_t most, distance = 1, count = 0;
    // Whether the state before step `at` is stored. give_up(i, j): the state in the place i is that of the place j from now on.
    template <class G>
    constexpr bool stores(std::size_t at, G give_up) {
        while (at % distance == 0 && count == most) {
            count = (most + 1) / 2;
            for (std::size_t i = 1; i < count; ++i) give_up(i, 2 * i);
            distance *= 2;
        }
        if (at % distance != 0) return false;
        ++count;
        return true;
    }
};
inline constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();
}

// c states are stored, that of the first step among them, where they save most: forward_steps(n, c) steps run forward, the least possible. With c >= n that is
// keep_states. c is at least 1.
struct checkpoints {
    std::size_t count;
    constexpr explicit checkpoints(std::size_t c) noexcept : count(std::max<std::size_t>(c, 1)) {}
    constexpr auto on_the_way() const noexcept { return detail::states_on_the_way{count}; }
    constexpr std::size_t places(std::size_t n) const noexcept { return std::min(count, n - (n != 0)); }
    constexpr auto begin(std::size_t n, std::size_t* position) const noexcept {
        auto split = [](std::size_t, std::size_t left, std::size_t free) { return detail::steps_to_next(left, free); };
        return detail::stack_of_states(n, places(n), position, split);
    }
};

// Every state is stored, but the last ones, which are at hand: n - 1 states, and no step runs forward twice.
struct keep_states {
    constexpr auto on_the_way() const noexcept { return detail::states_on_the_way{detail::no_end}; }
    constexpr std::size_t places(std::size_t n) const noexcept { return n - (n != 0); }
    constexpr auto begin(std::size_t n, std::size_t* position) const noexcept {
        auto split = [](std::size_t, std::size_t, std::size_t) -> std::size_t { return 1; };
        return detail::stack_of_states(n, places(n), position, split);
    }
};

// All that the steps compute is kept, as by a `for` loop with variables, and no step runs twice. Of a body with a declared result the states are kept: there is
// nothing else to keep.
struct keep_all : keep_states {};

// Every k-th state is stored, and those of the k steps that are about to be reversed: n / k + k states at most, and each step runs forward at most twice. k is
// at least 1.
struct every {
    std::size_t distance;
    constexpr explicit every(std::size_t k) noexcept : distance(std::max<std::size_t>(k, 1)) {}
    constexpr auto on_the_way() const noexcept { return detail::states_on_the_way{detail::no_end, distance}; }
    constexpr std::size_t places(std::size_t n) const noexcept {
        return n < 2 ? 0 : (n + distance - 1) / distance + std::min(distance, n) - 2;
    }
    constexpr auto begin(std::size_t n, std::size_t* position) const noexcept {
        auto split = [k = distance](std::size_t at, std::size_t left, std::size_t) -> std::size_t { return at % k == 0 && left > k ? k : 1; };
        return detail::stack_of_states(n, places(n), position, split);
    }
};

// As many checkpoints as fit into so many bytes, and at least one: all states where they do. It is what a loop does that is told nothing, with 64 MiB.
struct memory_budget {
    std::size_t bytes = std::size_t(64) << 20;
    constexpr checkpoints for_states_of(std::size_t one) const noexcept { return checkpoints(bytes / (one + sizeof(std::size_t))); }
};

// The states that a policy stores lie in a file of this folder, but for as many as fit into `memory`, those that are used most. The file has no name, and is
// gone when the call ends, however it ends. Throws std::runtime_error where the folder cannot be written to, or has no room (E255), in the forward pass.
template <class S = keep_states>
struct on_disk {
    detail::disk_of_states disk;
    S policy;
    explicit on_disk(std::string folder, S s = S(), memory_budget memory = memory_budget{0}) : disk{std::move(folder), memory.bytes}, policy(std::move(s)) {}
};

// The last argument of a loop may be this, beside a policy: f(p) is called each time that so many more steps have run or have been reversed, p a loop_progress.
// It may not throw in the reverse pass.
struct loop_progress {
    std::size_t done, of;  // steps; of is 0 as long as nobody knows how many there are
    bool backward;
};
template <class F>
struct on_progress {
    std::size_t every;
    F f;
    on_progress(std::size_t steps, F g) : every(std::max<std::size_t>(steps, 1)), f(std::move(g)) {}
};

namespace detail {
// The schedule of a loop whose states have so many bytes.
template <schedule S>
constexpr S const& schedule_for(S const& s, std::size_t) noexcept {
    return s;
}
constexpr checkpoints schedule_for(memory_budget b, std::size_t bytes) noexcept { return b.for_states_of(bytes); }
template <class S>
constexpr auto schedule_for(on_disk<S> const& d, std::size_t bytes) noexcept {
    return schedule_for(d.policy, bytes);
}
template <class S>
constexpr disk_of_states const* disk_for(S const&) noexcept {
    return nullptr;
}
template <class S>
disk_of_states const* disk_for(on_disk<S> const& d) noexcept {
    return &d.disk;
}
template <class S>
concept loop_policy = requires(S const& s, std::size_t n) {
    requires schedule<std::remove_cvref_t<decltype(schedule_for(s, n))>>;
};
}

}
