// Defines moment, what a cursor of a kernel is told of, and the cursors of numbers: each is read, step by step, and takes its cotangent.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/pairwise.hpp>
#include <xgrad/scope/kernel/short_plan.hpp>
#include <xgrad/scope/kernel/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What a cursor is told of.
enum class moment {
    noted,         // only where all arrays lie flat, and cotangents go: each that takes some has a record, or goes alone
    entered,       // only where not all arrays lie flat: each enters the plan
    opened,        // only where cotangents go: each of the kernel is
    copies_begin,  // instead of these, of a short kernel where not all arrays lie flat: those are copied, all of them
    tile_begins,
    rest_begins,   // before the last step of a tile and after it, where plan::rest is not 0
    rest_ends,
    tile_ends,     // only where cotangents go
    copies_end,    // as copies_begin: what their copies were given goes to them
    all_ends       // only where cotangents go, and after every array has its own: then active scalars take theirs
};

// Some lanes of a step.
struct some_lanes_of_step {
    std::size_t first, count;
};
// When what packs have summed up over tiles becomes one number: before there are too many, and around a step of which some lanes count.
class folding {
public:
    // Which lanes are to be folded now; none of them: not yet. `unit`: the elements of a step; `most`: the steps of one sum, about.
    template <class Plan>
    XGRAD_DETAIL_INLINE some_lanes_of_step due(moment m, Plan const& p, std::size_t unit, std::size_t most) noexcept {
        if (m == moment::rest_ends) return {unit - p.rest, p.rest};
        bool const ends = m == moment::tile_ends || m == moment::rest_begins;
        if (ends && (m == moment::rest_begins || p.rest == 0)) steps_ += p.partial ? 1 : p.size / unit;
        bool const stays = m == moment::tile_begins ? !p.partial : m == moment::tile_ends && !p.partial && steps_ < most / 2;
        if (stays || !is_open()) return {0, 0};
        steps_ = 0;
        return {0, ends && p.partial ? p.size : unit};
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
        } else if (auto const due = folding_.due(m, p, Step::size, detail::longest_sum<T>); due.count != 0) {
            total_ = total_ + fold_step<T, typename Step::unit>(sum_, due.first, due.count, add_values());
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
