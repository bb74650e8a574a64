// Defines loop_step: the body of a loop, run for one step in a context of its own: forward, and once more to take cotangents through it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/exchange_order.hpp>
#include <xgrad/loops/frame.hpp>
#include <xgrad/loops/replay.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class F, class L, class P, class X, class... U>
class loop_step : public loop_frame<F, L, P, X, U...> {
    using frame = loop_frame<F, L, P, X, U...>;
    using typename frame::delivery_type;

public:
    using typename frame::M;
    using frame::frame;
    // by new names: g++ loses inherited ones in lambdas
    static constexpr bool is_declared = frame::is_declared, has_items = frame::has_items, has_outputs = frame::has_outputs, delivers = frame::delivers,
                          is_scaled = frame::is_scaled, is_local = frame::is_local;

    // body(c) in a context of the loop's own, whose memory each step begins with as it is then.
    template <class Body>
    void within(workspace& w, bool reverse, Body body) {
        received_log::scope const steps(reverse ? this->received.steps() : received_log::here());
        try {
            bound_call<M, identity_lift>::within(w, reverse || is_declared, [&](context& c) {
                this->open(c);
                this->start_ = c.memory.here();
                body(c);
                // what is still owed to an argument is kept outside the body
                if (this->is_owed()) ++c.live;
                return 0;
            });
        } catch (std::logic_error const& e) {
            if (std::string_view(e.what()).starts_with("xgrad[E214]")) captured_in_loop(std::string(this->call_));
            throw;
        } catch (captured_value) {
            captured_in_loop(std::string(this->call_));
        }
    }
    // Step i. Its outputs are written the first time, into memory of the call's.
    XGRAD_DETAIL_INLINE void forward(context& c, std::size_t i, std::byte* now, std::byte* next, context* first) {
        this->received.begin(i);
        if constexpr (has_outputs && is_declared)
            if (first && !this->outputs.has_memory()) this->outputs.measure_types(*first);
        if constexpr (is_local) {
            forward_local(c, i, now, next, first != nullptr);
            return;
        }
        this->enter(i, now, nullptr);
        run(c, i, next, nullptr, first != nullptr, [&](auto&& r) {
            if constexpr (is_scaled) this->state.number(next) = r;
            else if constexpr (delivers) this->take_delivery(r, i, next, first != nullptr);
            else {
                each_leaf([&](auto& leaf, auto&& part) { write_leaf(c, leaf, part, next); }, this->state, this->next_of(r));
                if constexpr (has_outputs)
                    if (first) this->outputs.write(c, *first, i, std::get<1>(r));
            }
        });
    }
    // What a condition says of a state: a mask of lanes, or a bool.
    template <class C>
    using answer_t = std::remove_cvref_t<std::invoke_result_t<C const&, loop_handle_t<P, M, L>, loop_parameter_t<U, M, L>...>>;
    template <class C>
    auto ask(context& c, C const& condition, std::byte* now) {
        using answer = std::conditional_t<is_lane_mask<answer_t<C>>, answer_t<C>, bool>;
        received_log::scope const outside(this->received.around());
        this->enter(0, now, nullptr);
        c.forward_only = true;
        if (c.live == 0) c.memory.return_to(this->start_);
        auto say = [&condition](auto&&... h) { return static_cast<answer>(condition(h...)); };
        return detail::call_with([&](auto&... p) { return say(this->state.handle(), this->handle_of(p)...); }, this->parameters_);
    }
    // The only step, whose result shows how much memory it needs: make(bytes) gives it.
    template <class Make>
    void forward_once(context& c, Make make) {
        this->received.begin(0);
        run(c, 0, nullptr, nullptr, true, [&](auto&& r) {
            state_layout l;
            if constexpr (is_declared) this->state.measure(0, l);
            else each_leaf([&l](auto& leaf, auto&& part) { measure_result(leaf, part, l); }, this->state, r);
            std::byte* const to = make(l.size());
            if constexpr (is_declared) this->state.number(to) = r;
            else each_leaf([&](auto& leaf, auto&& part) { write_leaf(c, leaf, part, to); }, this->state, r);
        });
    }
    // bar: the cotangent of what the step gives; before: that of what it began with; again: room for what it gives.
    XGRAD_DETAIL_INLINE void reverse(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again) {
        this->received.begin(i);
        if constexpr (is_local) {
            reverse_local(c, i, now, bar, before, again);
            return;
        }
        this->enter(i, now, before);
        run(c, i, again, bar, false, [&](auto&& r) {
            if constexpr (compares_replays) {
                if constexpr (is_scaled) this->state.number(again) = r;
                else if constexpr (delivers) this->take_delivery(r, i, again, false);
                else each_leaf([&](auto& leaf, auto&& part) { write_leaf(c, leaf, part, again); }, this->state, this->next_of(r));
            }
            if constexpr (!is_declared) {
                each_leaf([&](auto& leaf, auto&& part) { seed_leaf(c, leaf, part, bar, again); }, this->state, this->next_of(r));
                if constexpr (has_outputs) this->outputs.seed(i, std::get<1>(r));
            }
        });
        if constexpr (is_scaled) {
            auto const g = this->state.number(bar);
            this->state.s.cotangent = this->state.s.cotangent * g;
            this->each_parameter([&](auto& p, auto const&) { each_leaf([&](auto& leaf) { add_times(leaf, g, p.of_step(), p.total()); }, p.port); });
            if constexpr (has_items) this->items.leave(g);
        } else if constexpr (has_items) this->items.leave(no_factor());
        this->leave(this->state, before);
    }
private:
    struct nothing_here {
        template <class G>
        XGRAD_DETAIL_INLINE void leave(G const&) {}
    };
    XGRAD_DETAIL_INLINE auto item_here(context& c, std::size_t i) {
        if constexpr (has_items) return this->items.here(c, i);
        else return nothing_here{};
    }
    // use(state, item, parameters...) after one step, whose value is `to`, a number or a delivery.
    template <class To, class Use>
    XGRAD_DETAIL_MELT void with_local(context& c, std::size_t i, std::byte* now, std::byte* before, To& to, Use use) {
        running_call = &c;  // as it is: so it is known here
        loop_port<P, M, L> s = this->state;
        each_leaf(
            [&](auto& leaf) XGRAD_DETAIL_LAMBDA {
                leaf.open_here(c);
                leaf.enter(now, before);
            },
            s);
        auto item = item_here(c, i);
        [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_MELT_LAMBDA {
            [[maybe_unused]] local_parameters<std::index_sequence<I...>, parameter_port_t<U, M, L>...> local(this->parameters_, c);
            auto call = [&](auto&&... h) XGRAD_DETAIL_MELT_LAMBDA { this->deliver(c, to, h...); };
            if constexpr (has_items) call(s.handle(), item.handle(), local.template get<I>().handle()...);
            else call(s.handle(), local.template get<I>().handle()...);
            use(s, item, local.template get<I>()...);
        }(std::index_sequence_for<U...>{});
    }
    XGRAD_DETAIL_KERNEL void forward_local(context& c, std::size_t i, std::byte* now, std::byte* next, bool first) {
        c.forward_only = true;
        if constexpr (is_scaled) {
            typename loop_port<P, M, L>::T y;
            with_local(c, i, now, nullptr, y, [](auto&&...) XGRAD_DETAIL_LAMBDA {});
            this->state.number(next) = y;
        } else {
            delivery_type d;
            this->expect(d, i, next, nullptr, first);
            with_local(c, i, now, nullptr, d, [](auto&&...) XGRAD_DETAIL_LAMBDA {});
            this->take_delivery(d, i, next, first);
        }
    }
    XGRAD_DETAIL_KERNEL void reverse_local(context& c, std::size_t i, std::byte* now, std::byte* bar, std::byte* before, std::byte* again) {
        c.forward_only = false;
        [[maybe_unused]] auto run_back = [&](auto& to, auto const& g) XGRAD_DETAIL_MELT_LAMBDA {
            with_local(c, i, now, before, to, [&](auto& s, auto& item, auto&... local) XGRAD_DETAIL_LAMBDA {
                if constexpr (is_scaled) s.s.cotangent = s.s.cotangent * g;
                this->leave(s, before);
                item.leave(g);
                [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
                    [[maybe_unused]] auto take = [&](auto& p, auto& mine) XGRAD_DETAIL_LAMBDA {
                        if constexpr (requires { mine.port; })
                            each_leaf(
                                [&](auto& leaf, auto& total) XGRAD_DETAIL_LAMBDA {
                                    if constexpr (!std::remove_reference_t<decltype(leaf)>::takes_cotangents) return;
                                    else if constexpr (requires { leaf.shape; }) total.due = leaf.came();
                                    else if (leaf.came()) {
                                        auto& sum = total.number(is_scaled ? p.total() : p.of_step());
                                        auto const mine_here = [&] {
                                            // of a declared real, which is a double where the parameter may be a float
                                            if constexpr (is_scaled) return typename std::remove_reference_t<decltype(leaf)>::T(leaf.s.cotangent * g);
                                            else return leaf.s.cotangent;
                                        }();
                                        if (total.due) sum = sum + mine_here;
                                        else sum = mine_here;
                                        total.due = true;
                                    }
                                },
                                mine.port, p.port);
                    };
                    (take(std::get<I>(this->parameters_), local), ...);
                }(std::index_sequence_for<U...>{});
            });
        };
        if constexpr (is_scaled) {
            typename loop_port<P, M, L>::T y;
            auto const g = this->state.number(bar);
            run_back(y, g);
            this->state.number(again) = y;
        } else {
            delivery_type d;
            this->expect(d, i, again, bar, false);
            run_back(d, no_factor());
            this->take_delivery(d, i, again, false);
        }
    }
    // use(what the body gives): of a declared result the value, and everything is pulled.
    template <class Use>
    void run(context& c, std::size_t i, std::byte* next, std::byte* bar, bool first, Use use) {
        if (c.live == 0) c.memory.return_to(this->start_);
        c.forward_only = bar == nullptr;
        exchange_order const order(bar ? &c : nullptr, !is_declared);
        auto call = [&](auto&&... h) {
            if constexpr (is_scaled) {
                typename loop_port<P, M, L>::T y;
                this->deliver(c, y, h...);
                use(y);
            } else if constexpr (delivers) {
                delivery_type d;
                this->expect(d, i, next, bar, first);
                this->deliver(c, d, h...);
                use(d);
            } else {
                auto&& r = std::as_const(this->f_)(h...);
                if (c.deliveries != 0) other_delivery();
                use(r);
            }
        };
        detail::call_with(
            [&](auto&... p) {
                if constexpr (has_items) call(this->state.handle(), this->items.handle(), this->handle_of(p)...);
                else call(this->state.handle(), this->handle_of(p)...);
            },
            this->parameters_);
    }
};

}
XGRAD_DETAIL_QUIET_END
