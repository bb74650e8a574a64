// Defines loop_call: one loop inside a gradient call: its operands, its result, whose parts are slots, the states that are stored, and its reverse pass.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/result.hpp>
#include <xgrad/loops/schedule.hpp>
#include <xgrad/loops/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

struct known_steps {
    static constexpr char const* text = "iterate(n, body, init, params...)";
    std::size_t n;
};
// As long as the condition holds of the state.
template <class C>
struct steps_while {
    static constexpr char const* text = "while_loop(cond, body, init, params...)";
    C holds;
};

// A loop in the call c. F is the body, Policy says which states are stored, L what elements are, P the state, U... the parameters as the user passed them.
// States that are stored lie in the call's workspace. The steps run in a workspace of the thread; the forward pass has shown how much of it they need, as each
// of its operations has room for its cotangent.
// N says how many steps there are: known_steps, or steps_while, which runs them once to count them.
template <class F, class N, class Policy, class L, class P, class... U>
class loop_call : rule_call_base {
    using step_type = loop_step<F, L, P, U...>;
    using variable_type = loop_variable_t<P, L>;
    using slots_type = typename to_loop_result<L>::template type<P>;
    using S = std::remove_cvref_t<decltype(schedule_for(std::declval<Policy const&>(), std::size_t{}))>;
    using verb = loop_action::verb;
    static constexpr char const* text = N::text;

public:
    template <class I, class... E>
    static variable_type apply(N const& steps, F f, Policy const& policy, I&& init, E&&... e) {
        variable_type first = make_loop_variable<L>{}(std::forward<I>(init));
        typename step_type::variables_type params{step_type::template variable_of<U>(e)...};
        context* const c = owner_of_loop(first, params);
        void* const room = c->memory.take(sizeof(loop_call));
        loop_call* call;
        try {
            call = new (room) loop_call(*c, steps, std::move(f), policy, std::move(first), std::move(params), e...);
        } catch (...) {
            c->memory.give(room, sizeof(loop_call));
            throw;
        }
        bind_loop_result(*call, call->step_.state, call->slots_, call->result(), call->part(3));
        auto y = make_loop_result<L>(call->step_.state, call->slots_);
        if (c->keeps != context::keeping::nothing) c->keep(call);
        else if (call->alive == 0) finish_call(call);
        return y;
    }

private:
    variable_type first_;
    slots_type slots_{};
    borrowed_workspace workspace_;
    step_type step_;
    std::size_t bytes_ = 0;
    S schedule_;
    block memory_;  // of two states, the result, and two of cotangents
    std::byte* now_;   // the current state, and room for the next
    std::byte* next_;
    std::size_t n_;
    bool keeps_all_;  // every state has its place
    block places_, position_;
    using cursor_type = decltype(std::declval<S const&>().begin(std::size_t{}, static_cast<std::size_t*>(nullptr)));
    cursor_type todo_;
    bool pulled_ = false;

    template <class... E>
    loop_call(context& c, N const& steps, F f, Policy const& policy, variable_type first, typename step_type::variables_type params, E const&... e)
        : rule_call_base(c, &finish_call), first_(std::move(first)), step_(text, std::move(f), std::move(params), c, e...), bytes_(step_.measure(first_)),
          schedule_(schedule_for(policy, bytes_)), memory_(c, 5 * bytes_), now_(part(0)), next_(part(1)), n_(count(steps)),
          keeps_all_(c.reverse && schedule_.places(n_) + 1 >= n_), places_(c, (keeps_all_ ? n_ : c.reverse ? schedule_.places(n_) : 0) * bytes_),
          position_(c, keeps_all_ || !c.reverse ? 0 : schedule_.places(n_) * sizeof(std::size_t)), todo_(begin()) {
        settle = &settle_kept_loop;
        run_forward();
    }
    // How many steps there are. Parameters are taken on the way.
    std::size_t count(known_steps const& steps) {
        step_.take_parameters(*owner);
        return steps.n;
    }
    template <class C>
    std::size_t count(steps_while<C> const& steps) {
        step_.take_parameters(*owner);
        step_.load(first_, now_);
        std::size_t n = 0;
        step_.within(workspace_.get(), owner->reverse, [&](context& c) {
            for (; step_.holds(c, steps.holds, now_); ++n) advance(c);
        });
        return n;
    }
    cursor_type begin() const { return schedule_.begin(n_, static_cast<std::size_t*>(position_.get())); }
    std::byte* part(std::size_t i) const noexcept { return static_cast<std::byte*>(memory_.get()) + i * bytes_; }
    std::byte* place(std::size_t i) const noexcept { return static_cast<std::byte*>(places_.get()) + i * bytes_; }
    std::byte* result() const noexcept { return part(2); }

    // The steps of the forward pass. The last of them is the first that will be reversed: its state stays.
    void run_forward() {
        std::byte* const first = keeps_all_ && n_ != 0 ? place(0) : now_;
        step_.load(first_, first);
        if (n_ == 0) {
            std::memcpy(result(), first, bytes_);
            return;
        }
        step_.within(workspace_.get(), owner->reverse, [&](context& c) {
            if (keeps_all_) {
                for (std::size_t i = 1; i < n_; ++i) step_.forward(c, place(i - 1), place(i));
                now_ = place(n_ - 1);
            } else if (owner->reverse) proceed(c);
            else
                for (std::size_t i = 1; i < n_; ++i) advance(c);
            step_.forward(c, now_, result());
        });
    }
    void copy(std::byte* to, std::byte const* from) const noexcept {
        if constexpr (perturbable_number<P>) std::memcpy(to, from, sizeof(typename L::template type<P>));
        else std::memcpy(to, from, bytes_);
    }
    void advance(context& c) {
        step_.forward(c, now_, next_);
        std::swap(now_, next_);
    }
    // Does what the schedule says, until a step is to be reversed; false at the end.
    bool proceed(context& c) {
        for (;;) {
            loop_action const a = todo_.next();
            switch (a.what) {
                case verb::forward:
                    for (std::size_t i = 0; i < a.number; ++i) advance(c);
                    break;
                case verb::store: copy(place(a.number), now_); break;
                case verb::load: copy(now_, place(a.number)); break;
                case verb::drop: break;
                case verb::reverse: return true;
                case verb::end: return false;
            }
        }
    }

    // All steps, the last first.
    void pull() noexcept {
        std::byte* bar = part(3);
        std::byte* before = part(4);
        bool const due = read_loop_result(step_.state, slots_, bar);
        if (!due) return;
        try {
            if (n_ != 0)
                step_.within(workspace_.get(), true, [&](context& c) {
                    step_.begin_reverse();
                    if (keeps_all_) {
                        for (std::size_t i = n_; i-- != 0 && step_.is_due(); std::swap(bar, before)) step_.reverse(c, place(i), bar, before);
                        return;
                    }
                    if (pulled_) {
                        step_.load(first_, now_);
                        std::destroy_at(&todo_);
                        std::construct_at(&todo_, begin());
                        proceed(c);
                    }
                    do {
                        step_.reverse(c, now_, bar, before);
                        std::swap(bar, before);
                    } while (step_.is_due() && proceed(c));
                });
        } catch (std::exception const& e) {
            replay_failed(text, e.what());
        }
        pulled_ = true;
        give_leaves(step_.state, first_, bar);
        if (n_ != 0) step_.give_parameters();
    }

    static void finish_call(rule_call_base* b) noexcept {
        auto* call = static_cast<loop_call*>(b);
        context* c = call->owner;
        if (call->has_cotangent && c->reverse) call->pull();
        call->~loop_call();
        c->memory.give(call, sizeof(loop_call));
    }
    // Where values are kept: the loop is pulled each time that its result's slots have cotangents.
    static void settle_kept_loop(slot_base* s) noexcept {
        auto* call = static_cast<loop_call*>(s);
        if (call->owner->keeps == context::keeping::backward) {
            call->pull();
            forget_loop_result(call->step_.state, call->slots_);
        }
        if (!call->owner->ends(call)) return;
        call->owner->live -= call->alive;
        call->has_cotangent = false;
        call->finish(call);
    }
};

}
XGRAD_DETAIL_QUIET_END
