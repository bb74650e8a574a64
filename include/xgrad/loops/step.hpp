// Defines loop_step: the body of a loop, run for one step in a context of its own: forward, and once more to take cotangents through it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/parameter.hpp>
#include <xgrad/loops/transfer.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class F, class L, class P, class... U>
class loop_step {
    template <class M>
    using result_in = std::invoke_result_t<F const&, loop_handle_t<P, M, L>, loop_parameter_t<U, M, L>...>;
    using probed = std::remove_cvref_t<result_in<counted>>;

public:
    static constexpr bool is_declared = declared_result<probed>;
    // counted even where promises are believed: what the body has captured is found by it
    using M = std::conditional_t<is_declared, scoped, counted>;
    template <class X>
    static consteval auto find_variable() {
        if constexpr (holds_active<X>) return type_tag<loop_variable_t<state_t<X>, L>>{};
        else return type_tag<no_variable>{};
    }
    template <class X>
    using variable_t = typename decltype(find_variable<X>())::type;
    using variables_type = std::tuple<variable_t<U>...>;
    template <class X, class E>
    static variable_t<X> variable_of(E const& e) {
        if constexpr (holds_active<X>) return make_loop_variable<L>{}(e);
        else return {};
    }

    loop_port<P, M, L> state;

    template <class... E>
    loop_step(char const* call, F f, variables_type params, context const& c, E const&... e)
        : call_(call), f_(std::move(f)), variables_(std::move(params)), parameters_(source_of<U>(e, c)...) {}
    loop_step(loop_step const&) = delete;

    // The bytes of a state.
    template <class V>
    std::size_t measure(V const& v) {
        return measure_leaves(state, v);
    }
    template <class V>
    void load(V const& v, std::byte* to) const {
        copy_values(state, v, to);
    }
    void take_parameters(context& c) {
        each_parameter([&](auto& p, auto const& v) {
            p.bytes = measure_leaves(p.port, v);
            p.memory.renew(c, (is_declared ? 3 : 2) * p.bytes);
            copy_values(p.port, v, p.values());
        });
    }

    // body(c) in a context of the loop's own, whose memory each step begins with as it is then.
    template <class Body>
    void within(workspace& w, bool reverse, Body body) {
        try {
            bound_call<M, identity_lift>::within(w, reverse || is_declared, [&](context& c) {
                open(c);
                start_ = c.memory.here();
                body(c);
                // what is still owed to an argument is kept outside the body
                if (is_owed()) ++c.live;
                return 0;
            });
        } catch (std::logic_error const& e) {
            if (std::string_view(e.what()).starts_with("xgrad[E214]")) captured_in_loop(call_);
            throw;
        } catch (captured_value) {
            captured_in_loop(call_);
        }
    }
    XGRAD_DETAIL_INLINE void forward(context& c, std::byte* now, std::byte* next) {
        if constexpr (is_of_numbers) {
            state.number(next) = value_of_numbers(c, state.number(now));
            return;
        }
        enter(now, nullptr);
        run(c, [&](auto&& r) {
            if constexpr (is_declared) state.number(next) = r;
            else each_leaf([&](auto& leaf, auto&& part) { write_leaf(c, leaf, part, next); }, state, r);
        });
    }
    // Whether a condition holds of a state.
    template <class C>
    bool holds(context& c, C const& condition, std::byte* now) {
        enter(now, nullptr);
        if (c.live == 0) c.memory.return_to(start_);
        auto ask = [&condition](auto&&... h) { return static_cast<bool>(condition(h...)); };
        return std::apply([&](auto&... p) { return ask(state.handle(), handle_of(p)...); }, parameters_);
    }
    // The only step, whose result shows how much memory it needs: make(bytes) gives it.
    template <class Make>
    void forward_once(context& c, Make make) {
        run(c, [&](auto&& r) {
            state_layout l;
            if constexpr (is_declared) state.measure(0, l);
            else each_leaf([&l](auto& leaf, auto&& part) { measure_result(leaf, part, l); }, state, r);
            std::byte* const to = make(l.size());
            if constexpr (is_declared) state.number(to) = r;
            else each_leaf([&](auto& leaf, auto&& part) { write_leaf(c, leaf, part, to); }, state, r);
        });
    }
    void begin_reverse() noexcept {
        each_parameter([](auto& p, auto const&) {
            each_leaf([](auto& leaf) { forget(leaf); }, p.port);
            if constexpr (!is_declared) enter_leaves(p.port, p.values(), p.of_step());
        });
    }
    // bar: the cotangent of what the step gives; before: that of what it began with.
    XGRAD_DETAIL_INLINE void reverse(context& c, std::byte* now, std::byte* bar, std::byte* before) {
        if constexpr (is_of_numbers) {
            state.due = pull_numbers(c, state.number(now), state.number(bar), state.number(before));
            return;
        }
        enter(now, before);
        run(c, [&](auto&& r) {
            if constexpr (!is_declared) each_leaf([&](auto& leaf, auto&& part) { seed_leaf(leaf, part, bar); }, state, r);
        });
        if constexpr (is_declared) {
            auto const g = state.number(bar);
            state.s.cotangent = state.s.cotangent * g;
            each_parameter([&](auto& p, auto const&) { each_leaf([&](auto& leaf) { add_times(leaf, g, p.of_step(), p.total()); }, p.port); });
        }
        each_leaf(
            [&](auto& leaf) {
                if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) {
                    leaf.due = leaf.came();
                    leaf.leave(before);
                }
            },
            state);
    }
    bool is_due() {
        bool due = false;
        each_leaf(
            [&due](auto& leaf) {
                if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) due = due || leaf.due;
            },
            state);
        return due;
    }
    void give_parameters() noexcept {
        each_parameter([](auto& p, auto const& v) {
            if constexpr (!is_declared)
                each_leaf(
                    [&p](auto& leaf) {
                        if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) {
                            leaf.due = leaf.came();
                            if (leaf.due) leaf.leave(p.of_step());
                        }
                    },
                    p.port);
            give_leaves(p.port, v, is_declared ? p.total() : p.of_step());
        });
    }

private:
    char const* call_;
    F f_;
    variables_type variables_;
    std::tuple<parameter_port_t<U, M, L>...> parameters_;
    arena::place start_;
    template <class X, class E>
    static auto source_of(E const& e, context const& c) {
        if constexpr (holds_active<X>) return no_parameter_yet{};
        else return loop_constant_source<X>{e, c};
    }

    // g(parameter, variable) for each that is active.
    template <class G>
    void each_parameter(G g) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            [[maybe_unused]] auto one = [&g]<class X, class V>(X& p, V const& v) {
                if constexpr (!std::is_same_v<V, no_variable>) g(p, v);
            };
            (one(std::get<I>(parameters_), std::get<I>(variables_)), ...);
        }(std::index_sequence_for<U...>{});
    }
    template <class Port>
    static void enter_leaves(Port& port, std::byte* x, std::byte* xbar) noexcept {
        each_leaf([x, xbar](auto& leaf) { leaf.enter(x, xbar); }, port);
    }
    // A step of numbers alone is one function for the compiler, with what it computes in registers.
    static constexpr bool is_of_numbers = is_declared && ((!holds_active<U> || perturbable_number<state_t<U>>)&&...);
    template <class T>
    XGRAD_DETAIL_KERNEL T value_of_numbers(context& c, T const& x) {
        return with_numbers(f_, c, state, x, parameters_, [](T const& y, auto const&, auto const&...) XGRAD_DETAIL_LAMBDA { return y; });
    }
    template <class T>
    XGRAD_DETAIL_KERNEL bool pull_numbers(context& c, T const& x, T const& g, T& xbar) {
        return with_numbers(f_, c, state, x, parameters_, [&](T const&, auto const& s, auto const&... local) XGRAD_DETAIL_LAMBDA {
            xbar = s.s.cotangent * g;
            [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
                [[maybe_unused]] auto take = [&](auto& p, auto const& mine) XGRAD_DETAIL_LAMBDA {
                    if constexpr (requires { mine.port; })
                        if (mine.port.came()) {
                            auto& total = p.port.number(p.total());
                            total = p.port.due ? total + mine.port.s.cotangent * g : mine.port.s.cotangent * g;
                            p.port.due = true;
                        }
                };
                (take(std::get<I>(parameters_), local), ...);
            }(std::index_sequence_for<U...>{});
            return s.came();
        });
    }
    template <class Leaf>
    static void forget(Leaf& leaf) noexcept {
        if constexpr (Leaf::takes_cotangents) leaf.due = false;
    }
    void open(context& c) {
        each_leaf([&c](auto& leaf) { leaf.open(c); }, state);
        [[maybe_unused]] auto one = [&c]<class X>(X& p) {
            if constexpr (requires { p.port; }) {
                each_leaf([&c](auto& leaf) { leaf.open(c); }, p.port);
                enter_leaves(p.port, p.values(), p.of_step());
            } else p.open(c);
        };
        std::apply([&](auto&... p) { (one(p), ...); }, parameters_);
    }
    bool is_owed() {
        bool owed = false;
        auto ask = [&owed](auto& leaf) {
            if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) owed = owed || leaf.is_owed();
        };
        each_leaf(ask, state);
        each_parameter([&](auto& p, auto const&) { each_leaf(ask, p.port); });
        return owed;
    }
    void enter(std::byte* now, std::byte* before) {
        enter_leaves(state, now, before);
        if constexpr (is_declared) each_parameter([](auto& p, auto const&) { enter_leaves(p.port, p.values(), p.of_step()); });
    }
    // use(what the body gives): of a declared result the value, and everything is pulled.
    template <class Use>
    void run(context& c, Use use) {
        if (c.live == 0) c.memory.return_to(start_);
        std::apply([&](auto&... p) { call_with(c, use, state.handle(), handle_of(p)...); }, parameters_);
    }
    template <class X>
    static decltype(auto) handle_of(X& p) {
        if constexpr (requires { p.port; }) return p.port.handle();
        else return p.handle();
    }
    template <class Use, class... H>
    void call_with(context& c, Use& use, H&&... h) {
        if constexpr (is_declared) {
            c.deliveries = 0;
            use(call_scalar<typename loop_port<P, M, L>::T>(f_, c, h...));
        } else {
            auto&& r = std::as_const(f_)(h...);
            if (c.deliveries != 0) other_delivery();
            use(r);
        }
    }

};

}
XGRAD_DETAIL_QUIET_END
