// Defines checkpoint_call: a call of a function inside a gradient call, whose inside is not kept: it runs once more on the way back.
#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

#include <xgrad/loops/pulled_call.hpp>
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
class checkpoint_call : pulled_call<checkpoint_call<F, L, P, U...>> {
    using base = pulled_call<checkpoint_call>;
    friend base;
    static constexpr char const* text = "checkpoint(f, x...)";
    using step_type = loop_step<only_step<F>, L, P, no_items, U...>;
    using slots_type = typename to_loop_result<L>::template type<P>;

public:
    template <class... E>
    static loop_variable_t<P, L> apply(F f, E&&... e) {
        typename step_type::variables_type x{step_type::template variable_of<U>(e)...};
        context* const c = owner_of_loop(no_variable(), x, no_variable());
        checkpoint_call& call = base::make(*c, std::move(f), std::move(x), e...);
        bind_loop_result(call, call.step_.state, call.slots_, call.part(0), call.part(1));
        auto y = make_loop_result<L>(call.step_.state, call.slots_);
        call.begin(call.step_.received.is_used());
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
        : base(c), step_(text, only_step<F>{std::move(f)}, no_variable(), std::move(x), c, e...) {
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
        if (!read_loop_result(step_.state, slots_, part(1)) && !step_.received.is_used()) return;
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
    void forget() noexcept { forget_loop_result(step_.state, slots_); }
};

}
XGRAD_DETAIL_QUIET_END
