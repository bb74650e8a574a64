// Defines checkpoint_call: a call of a function inside a gradient call, whose inside is not kept: it runs once more on the way back.
#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

#include <xgrad/loops/replay.hpp>
#include <xgrad/loops/result.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A function as the body of a loop of one step, which does not look at the state of before.
template <class F>
struct only_step {
    F f;
    template <class S, class... H>
    decltype(auto) operator()(S const&, H&... h) const {
        return f(h...);
    }
};

// f is the function, L what elements are, P its result, U... the arguments as the user passed them.
template <class F, class L, class P, class... U>
class checkpoint_call : rule_call_base {
    static constexpr char const* text = "checkpoint(f, x...)";
    using step_type = loop_step<only_step<F>, L, P, no_items, U...>;
    using slots_type = typename to_loop_result<L>::template type<P>;

public:
    template <class... E>
    static loop_variable_t<P, L> apply(F f, E&&... e) {
        typename step_type::variables_type x{step_type::template variable_of<U>(e)...};
        context* const c = owner_of_loop(no_variable(), x, no_variable());
        void* const room = c->memory.take(sizeof(checkpoint_call));
        checkpoint_call* call;
        try {
            call = new (room) checkpoint_call(*c, std::move(f), std::move(x), e...);
        } catch (...) {
            c->memory.give(room, sizeof(checkpoint_call));
            throw;
        }
        bind_loop_result(*call, call->step_.state, call->slots_, call->part(0), call->part(1));
        auto y = make_loop_result<L>(call->step_.state, call->slots_);
        if (c->keeps != context::keeping::nothing) c->keep(call);
        else if (call->alive == 0) finish_call(call);
        return y;
    }

private:
    slots_type slots_{};
    borrowed_workspace workspace_;
    step_type step_;
    std::size_t bytes_ = 0;
    block memory_;  // of the result, its cotangent, and what is not used of a step

    template <class... E>
    checkpoint_call(context& c, F f, typename step_type::variables_type x, E const&... e)
        : rule_call_base(c, &finish_call), step_(text, only_step<F>{std::move(f)}, no_variable(), std::move(x), c, e...) {
        settle = &settle_kept_call;
        step_.take_parameters(c);
        step_.within(workspace_.get(), c.reverse, [&](context& inner) {
            step_.forward_once(inner, [&](std::size_t bytes) {
                bytes_ = bytes;
                memory_.renew(c, bytes_of_packs(4 * bytes));
                return part(0);
            });
        });
    }
    std::byte* part(std::size_t i) const noexcept { return static_cast<std::byte*>(memory_.get()) + i * bytes_; }

    void pull() noexcept {
        if (!read_loop_result(step_.state, slots_, part(1))) return;
        try {
            step_.within(workspace_.get(), true, [&](context& c) {
                step_.begin_reverse();
                step_.reverse(c, 0, part(0), part(1), part(2), part(3));
            });
        } catch (std::exception const& e) {
            replay_failed(text, e.what());
        }
        step_.give_parameters();
    }
    static void finish_call(rule_call_base* b) noexcept {
        auto* call = static_cast<checkpoint_call*>(b);
        context* c = call->owner;
        if (call->has_cotangent && c->reverse) call->pull();
        call->~checkpoint_call();
        c->memory.give(call, sizeof(checkpoint_call));
    }
    static void settle_kept_call(slot_base* s) noexcept {
        auto* call = static_cast<checkpoint_call*>(s);
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
