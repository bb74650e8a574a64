// Defines loop_call: one loop inside a gradient call: its operands, its result, whose parts are slots, the states that are stored, and its reverse pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/explain_loop.hpp>
#include <xgrad/loops/pulled_call.hpp>
#include <xgrad/loops/replay.hpp>
#include <xgrad/loops/result.hpp>
#include <xgrad/loops/schedule.hpp>
#include <xgrad/loops/step_of_loop.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A loop in the call c. F is the body, N says how many steps there are (loops/steps.hpp), L what elements are, P the state, U... the parameters.
// The steps run in a workspace of the thread; the forward pass has shown how much of it they need, as each operation has room for its cotangent.
template <class F, class N, class Options, class L, class P, class... U>
class loop_call : pulled_call<loop_call<F, N, Options, L, P, U...>> {
    using base = pulled_call<loop_call>;
    friend base;
    using base::owner;
    using step_type = step_of_loop<N, F, L, P, U...>;
    using variable_type = loop_variable_t<P, L>;
    using slots_type = typename to_loop_result<L>::template type<P>;
    using S = std::remove_cvref_t<decltype(schedule_for(std::declval<typename Options::policy_type const&>(), std::size_t{}))>;
    using verb = loop_action::verb;
    static constexpr char const* text = N::text;

public:
    // By a call: a map's kernel would take in all of it, twice.
    template <class I, class... E>
    [[gnu::noinline]] static auto apply(N const& steps, F f, Options const& options, I&& init, E&&... e) {
        variable_type first = make_loop_variable<L>{}(std::forward<I>(init));
        typename step_type::variables_type params{step_type::template variable_of<U>(e)...};
        context* const c = owner_of_loop(first, params, steps.xs());
        loop_call& call = base::make(*c, steps, std::move(f), options, std::move(first), std::move(params), e...);
        bind_loop_result(call, call.step_.state, call.slots_, call.result(), call.part(3));
        if constexpr (step_type::has_outputs) call.step_.outputs.bind(call);
        auto y = call.make_result();
        call.begin(call.step_.received.is_used());
        return y;
    }

private:
    variable_type first_;
    slots_type slots_{};
    borrowed_workspace workspace_;
    step_type step_;
    std::size_t bytes_ = 0;  // of a state
    S schedule_;
    static constexpr std::size_t states = 5 + step_type::needs_room;
    block memory_;  // of two states, the result, two of cotangents, room for a step, and in a debug build the state behind that which is reversed
    std::byte* now_;   // the current state, and room for the next
    std::byte* next_;
    std::size_t n_ = 0, at_ = 0;  // steps; that which begins with the current state, where not every state has its place
    bool keeps_all_ = false;  // every state has its place
    state_store places_;
    std::optional<block> position_;
    std::size_t* numbers_ = nullptr;  // of the steps that begin with what is in the places
    using cursor_type = decltype(std::declval<S const&>().begin(std::size_t{}, static_cast<std::size_t*>(nullptr)));
    std::optional<cursor_type> todo_;
    bool pulled_ = false;
    std::size_t again_ = 0;  // for explain: steps that run once more
    typename Options::progress_type progress_;

    template <class... E>
    loop_call(context& c, N const& steps, F f, Options const& options, variable_type first, typename step_type::variables_type params, E const&... e)
        : base(c), first_(std::move(first)), step_(text, std::move(f), steps.xs(), std::move(params), c, e...), bytes_(measure()),
          schedule_(schedule_for(options.policy, bytes_)), memory_(c, bytes_of_packs((states + compares_replays) * bytes_)), now_(part(0)), next_(part(1)),
          places_(c, bytes_, disk_for(options.policy)), progress_(options.progress) {
        step_.take_parameters(c);
        if constexpr (requires { steps.holds; }) run_while(steps.holds);
        else {
            n_ = steps.count(step_.items);
            if constexpr (step_type::has_outputs) step_.outputs.begin(n_);
            prepare();
            run_forward();
        }
        if constexpr (step_type::has_outputs)
            if (!step_.outputs.has_memory()) step_.outputs.measure_nothing(c);
        if (explaining) [[unlikely]] explain_loop<typename Options::policy_type>(text, n_, places_.size(), bytes_, step_.received.bytes(), again_, slots_);
    }
    std::size_t measure() {
        state_layout l;
        step_.measure(first_, l);
        return l.size();
    }
    // The places for n_ steps.
    void prepare() {
        if (!owner->reverse) return;
        std::size_t const places = schedule_.places(n_);
        keeps_all_ = places + 1 >= n_;
        places_.reserve(keeps_all_ ? n_ : places);
        if (keeps_all_) return;
        begin_schedule(places);
        if (explaining) [[unlikely]] again_ = count_forward(schedule_, n_, [](auto&) {}) - (n_ - 1);
    }
    void begin_schedule(std::size_t places) {
        if (!position_) position_.emplace(*owner, 2 * places * sizeof(std::size_t));
        numbers_ = static_cast<std::size_t*>(position_->get()) + places;
        todo_.emplace(schedule_.begin(n_, static_cast<std::size_t*>(position_->get())));
    }
    std::byte* part(std::size_t i) const noexcept { return static_cast<std::byte*>(memory_.get()) + i * bytes_; }
    std::byte* result() const noexcept { return part(2); }
    XGRAD_DETAIL_INLINE void step(context& c, std::size_t i, std::byte* from, std::byte* to, bool first) {
        step_.forward(c, i, from, to, first ? owner : nullptr);
    }
    XGRAD_DETAIL_INLINE void report(std::size_t done, bool backward) { report(done, backward, n_); }
    XGRAD_DETAIL_INLINE void report(std::size_t done, bool backward, std::size_t of) {
        if constexpr (requires { progress_.f; })
            if (done % progress_.every == 0) progress_.f(loop_progress{done, of, backward});
    }

    // The steps of the forward pass. The last of them is the first that will be reversed: its state stays.
    void run_forward() {
        std::byte* const first = keeps_all_ && n_ != 0 ? places_[0] : now_;
        step_.load(first_, first);
        if (n_ == 0) {
            std::memcpy(result(), first, bytes_);
            return;
        }
        step_.within(workspace_.get(), owner->reverse, [&](context& c) {
            if (keeps_all_) {
                now_ = first;
                for (std::size_t i = 1; i < n_; ++i) {
                    std::byte* const to = places_[i];
                    step(c, i - 1, now_, to, true);
                    now_ = to;
                    report(i, false);
                }
            } else if (owner->reverse) proceed(c, true);
            else
                for (std::size_t i = 1; i < n_; ++i) {
                    advance(c, i - 1, true);
                    report(i, false);
                }
            step(c, n_ - 1, now_, result(), true);
            report(n_, false);
        });
    }
    // As long as the condition holds. Where a schedule cannot be begun before the end is known, the steps run once to be counted.
    template <class C>
    void run_while(C const& holds) {
        step_.load(first_, now_);
        if constexpr (requires { schedule_.on_the_way(); }) {
            auto stored = schedule_.on_the_way();
            step_.within(workspace_.get(), owner->reverse, [&](context& c) {
                for (; step_.goes_on(c, holds, n_, now_); ++n_) {
                    if (owner->reverse && stored.stores(n_, [this](std::size_t i, std::size_t j) { copy(places_[i], places_[j]); })) {
                        places_.grow(stored.count, stored.most);
                        copy(places_[stored.count - 1], now_);
                    }
                    advance(c, n_, true);
                    report(n_ + 1, false, 0);
                }
            });
            copy(result(), now_);
            if (n_ == 0 || !owner->reverse) return;
            std::swap(now_, next_);  // the state before the last step
            keeps_all_ = stored.count == n_;
            if (keeps_all_) return;
            std::size_t const places = std::max(schedule_.places(n_), stored.count);
            places_.reserve(places);
            begin_schedule(places);
            todo_->go_on(stored.count, stored.distance);
            for (std::size_t k = 0; k < stored.count; ++k) numbers_[k] = k * stored.distance;
            at_ = n_ - 1;
            if (explaining) [[unlikely]] again_ = count_forward(schedule_, n_, [&](auto& rest) { rest.go_on(stored.count, stored.distance); });
            (void)todo_->next();  // to reverse the last step
        } else {
            step_.within(workspace_.get(), owner->reverse, [&](context& c) { for (; step_.goes_on(c, holds, n_, now_); ++n_) advance(c, n_, false); });
            now_ = part(0);
            next_ = part(1);
            prepare();
            run_forward();
        }
    }
    void copy(std::byte* to, std::byte const* from) const noexcept {
        if constexpr (perturbable_number<P>) std::memcpy(to, from, sizeof(typename L::template type<P>));
        else std::memcpy(to, from, bytes_);
    }
    XGRAD_DETAIL_INLINE void advance(context& c, std::size_t i, bool first) {
        step(c, i, now_, next_, first);
        std::swap(now_, next_);
    }
    // Does what the schedule says, until a step is to be reversed; false at the end.
    bool proceed(context& c, bool first) {
        for (std::size_t done = 0;;) {
            loop_action const a = todo_->next();
            switch (a.what) {
                case verb::forward:
                    for (std::size_t i = 0; i < a.number; ++i) {
                        advance(c, at_ + i, first);
                        if (first) report(++done, false);
                    }
                    at_ += a.number;
                    break;
                case verb::store:
                    copy(places_[a.number], now_);
                    numbers_[a.number] = at_;
                    break;
                case verb::load:
                    copy(now_, places_[a.number]);
                    at_ = numbers_[a.number];
                    step_.received.turn();
                    break;
                case verb::drop: break;
                case verb::reverse: return true;
                case verb::end: return false;
            }
        }
    }

    // Steps that have exchanged something do so on the way back in any case: other programs may wait for it.
    bool is_due(bool came) const noexcept { return came || step_.received.is_used(); }
    // All steps, the last first.
    void pull() noexcept {
        std::byte* bar = part(3);
        std::byte* before = part(4);
        bool due = read_loop_result(step_.state, slots_, bar);
        if constexpr (step_type::has_outputs) due = step_.outputs.read() || due;
        if (!is_due(due)) return;
        try {
            if (n_ != 0)
                step_.within(workspace_.get(), true, [&](context& c) {
                    step_.begin_reverse();
                    std::byte const* after = result();
                    std::size_t reversed = 0;
                    auto reverse = [&](std::size_t i, std::byte* state) {
                        std::byte* const again = keeps_all_ ? part(0) : next_;
                        step_.reverse(c, i, state, bar, before, again, part(5));
                        if constexpr (compares_replays) {
                            check_replay(text, step_.state, again, after);
                            std::memcpy(part(states), state, bytes_);
                            after = part(states);
                        }
                        std::swap(bar, before);
                        report(++reversed, true);
                    };
                    if (keeps_all_) {
                        for (std::size_t i = n_; i-- != 0 && is_due(step_.is_due());) reverse(i, places_[i]);
                        return;
                    }
                    if (pulled_) {
                        step_.load(first_, now_);
                        at_ = 0;
                        begin_schedule(schedule_.places(n_));
                        proceed(c, false);
                    }
                    do reverse(at_, now_);
                    while (is_due(step_.is_due()) && proceed(c, false));
                });
        } catch (std::exception const& e) {
            replay_failed(text, e.what());
        }
        pulled_ = true;
        give_leaves(step_.state, first_, bar);
        if (n_ != 0) step_.give_parameters();
    }

    auto make_result() {
        auto y = make_loop_result<L>(step_.state, slots_);
        if constexpr (step_type::has_outputs) return std::tuple(std::move(y), step_.outputs.result());
        else return y;
    }
    void forget() noexcept {
        forget_loop_result(step_.state, slots_);
        if constexpr (step_type::has_outputs) step_.outputs.forget();
    }
};

}
XGRAD_DETAIL_QUIET_END
