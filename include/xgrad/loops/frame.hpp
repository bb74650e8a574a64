// Defines loop_frame: what the body of a loop is called with, and where what it gives goes, for one step after the other.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/form.hpp>
#include <xgrad/loops/items.hpp>
#include <xgrad/loops/outputs.hpp>
#include <xgrad/loops/received.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What a body gives that is called with a state P, an item of X, and parameters U....
template <class X, class M, class L>
using item_handle_t = std::remove_reference_t<decltype(std::declval<item_source<X, M, L>&>().handle())>&;
template <class F, class M, class L, class P, class X, class... U>
consteval auto find_loop_call() {
    if constexpr (std::is_same_v<X, no_items>) return type_tag<std::tuple<F const&, loop_handle_t<P, M, L>, loop_parameter_t<U, M, L>...>>{};
    else return type_tag<std::tuple<F const&, loop_handle_t<P, M, L>, item_handle_t<X, M, L>, loop_parameter_t<U, M, L>...>>{};
}
template <class... A>
std::invoke_result<A...> invoked(type_tag<std::tuple<A...>>);
template <class F, class M, class L, class P, class X, class... U>
using loop_result_t = typename decltype(invoked(find_loop_call<F, M, L, P, X, U...>()))::type;

// F is the body, L what elements are, P the state, X what the loop goes over, U... the parameters as the user passed them.
template <class F, class L, class P, class X, class... U>
class loop_frame {
    using probed = std::remove_cvref_t<loop_result_t<F, counted, L, P, X, U...>>;

public:
    static constexpr bool is_declared = declared_result<probed>;
    // counted even where promises are believed: what the body has captured is found by it
    using M = std::conditional_t<is_declared, scoped, counted>;
    template <class V>
    static consteval auto find_variable() {
        if constexpr (holds_active<V>) return type_tag<loop_variable_t<state_t<V>, L>>{};
        else return type_tag<no_variable>{};
    }
    template <class V>
    using variable_t = typename decltype(find_variable<V>())::type;
    using variables_type = std::tuple<variable_t<U>...>;
    template <class V, class E>
    static variable_t<V> variable_of(E const& e) {
        if constexpr (holds_active<V>) return make_loop_variable<L>{}(e);
        else return {};
    }
    using outputs_type = typename decltype(find_outputs<P, probed>())::type;
    static constexpr bool has_items = !std::is_same_v<X, no_items>, has_outputs = !std::is_same_v<outputs_type, no_outputs>;
    static constexpr bool delivers = declares_parts<probed>;  // its parts are given their cotangents as they are delivered
    static constexpr bool is_scaled = is_declared && !delivers;  // it is pulled with the seed 1, and what comes is multiplied


    // A step of numbers and small arrays alone is one function for the compiler, with what it computes in registers.
    template <class Q>
    static consteval bool is_small() {
        if constexpr (!differentiable<Q> || perturbable_number<Q>) return true;
        else if constexpr (number_array<Q>) return loop_port<Q, M, L>::is_fixed;
        else return []<class... R>(type_list<R...>) { return (is_small<std::remove_cv_t<R>>() && ...); }(typename parts<Q>::types{});
    }
    template <class V>
    static consteval bool is_small_parameter() {
        if constexpr (!holds_active<V>) return true;
        else return is_scaled ? perturbable_number<state_t<V>> : is_small<state_t<V>>();
    }
    static constexpr bool is_local = is_declared && is_small<P>() && (is_small_parameter<U>() && ...);

    loop_port<P, M, L> state;
    output_set<outputs_type, L> outputs;
    std::conditional_t<has_items, item_source<X, M, L>, no_items> items;
    received_log received;

    template <class V, class... E>
    loop_frame(char const* call, F f, V const& xs, variables_type params, context& c, E const&... e)
        : items(xs, c), received(c, !is_scaled), call_(call), f_(std::move(f)), variables_(std::move(params)), parameters_(source_of<U>(e, c)...) {}
    loop_frame(loop_frame const&) = delete;

    // The parts of a state.
    template <class V>
    void measure(V const& v, state_layout& l) {
        each_leaf([&l](auto& leaf, auto const& part) { leaf.measure(part, l); }, state, v);
    }
    template <class V>
    void load(V const& v, std::byte* to) const {
        copy_values(state, v, to);
    }
    void take_parameters(context& c) {
        each_parameter([&](auto& p, auto const& v) {
            p.bytes = measure_leaves(p.port, v);
            p.memory.renew(c, bytes_of_packs((is_scaled ? 3 : 2) * p.bytes));
            copy_values(p.port, v, p.values());
        });
    }
    void begin_reverse() noexcept {
        each_parameter([](auto& p, auto const&) {
            each_leaf([](auto& leaf) { forget(leaf); }, p.port);
            if constexpr (!is_scaled) enter_leaves(p.port, p.values(), p.of_step());
        });
        if constexpr (has_items) items.begin_reverse();
    }
    bool is_due() {
        bool due = false;
        each_leaf(
            [&due](auto& leaf) {
                if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) due = due || leaf.due;
            },
            state);
        return due || outputs.is_due();
    }
    void give_parameters() noexcept {
        each_parameter([](auto& p, auto const& v) {
            if constexpr (!is_scaled && !is_local)
                each_leaf(
                    [&p](auto& leaf) {
                        if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) {
                            leaf.due = leaf.came();
                            if (leaf.due) leaf.leave(p.of_step());
                        }
                    },
                    p.port);
            give_leaves(p.port, v, is_scaled ? p.total() : p.of_step());
        });
        if constexpr (has_items) items.give();
    }

protected:
    char const* call_;
    F f_;
    variables_type variables_;
    std::tuple<parameter_port_t<U, M, L>...> parameters_;
    arena::place start_;
    template <class V, class E>
    static auto source_of(E const& e, context const& c) {
        if constexpr (holds_active<V>) return no_parameter_yet{};
        else return loop_constant_source<V>{e, c};
    }
    // Where a declared result of several parts goes.
    template <class R>
    static consteval auto find_delivery() {
        if constexpr (delivers) return type_tag<delivery<typename R::value_type, L>>{};
        else return type_tag<no_variable>{};
    }
    using delivery_type = typename decltype(find_delivery<probed>())::type;

    // g(parameter, variable) for each that is active.
    template <class G>
    void each_parameter(G g) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            [[maybe_unused]] auto one = [&g]<class Y, class V>(Y& p, V const& v) {
                if constexpr (!std::is_same_v<V, no_variable>) g(p, v);
            };
            (one(std::get<I>(parameters_), std::get<I>(variables_)), ...);
        }(std::index_sequence_for<U...>{});
    }
    template <class Port>
    static void enter_leaves(Port& port, std::byte* x, std::byte* xbar) noexcept {
        each_leaf([x, xbar](auto& leaf) { leaf.enter(x, xbar); }, port);
    }
    template <class R>
    static auto& next_of(R& r) {
        if constexpr (has_outputs) return std::get<0>(r);
        else return r;
    }
    template <class Port>
    XGRAD_DETAIL_INLINE void leave(Port& port, std::byte* before) {
        each_leaf(
            [&](auto& leaf, auto& own) XGRAD_DETAIL_LAMBDA {
                if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) {
                    own.due = leaf.came();
                    leaf.leave(before);
                }
            },
            port, state);
    }

    template <class To, class... H>
    XGRAD_DETAIL_MELT void deliver(context& c, To& to, H&&... h) {
        c.deliveries = 0;
        if constexpr (is_scaled) to = melt_scalar<To>(f_, c, h...);
        else {
            c.deliver_to(&to);
            auto const r = std::as_const(f_)(h...);
            if (c.deliveries > 1) other_delivery();
            if (c.deliveries == 0) each_leaf([&c](auto& part, auto& v) { deliver_part(c, part, behind_sum(v)); }, to, r.value());
        }
    }
    // What a delivery is to begin with: where arrays go to, and the cotangents that are due.
    template <class D>
    XGRAD_DETAIL_INLINE void expect(D& d, std::size_t i, std::byte* next, std::byte* bar, bool first) {
        auto prepare = [&](auto& part, auto& leaf) XGRAD_DETAIL_LAMBDA {
            if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) {
                part.due = bar != nullptr && leaf.due;
                if constexpr (requires { leaf.shape; }) {
                    part.shape = leaf.shape;
                    part.value = leaf.memory(next);
                    part.seed = leaf.memory(bar);
                } else if (part.due) part.seed = leaf.number(bar);
            }
        };
        if constexpr (has_outputs) {
            each_leaf(prepare, std::get<0>(d.parts_here), state);
            outputs.expect(std::get<1>(d.parts_here), i, bar != nullptr, first);
        } else each_leaf(prepare, d, state);
    }
    template <class D>
    XGRAD_DETAIL_INLINE void take_delivery(D& d, std::size_t i, std::byte* next, bool first) {
        auto take = [&](auto& part, auto& leaf) XGRAD_DETAIL_LAMBDA {
            if constexpr (!std::remove_reference_t<decltype(leaf)>::takes_cotangents) leaf.put(part.value, next);
            else if constexpr (!requires { leaf.shape; }) leaf.number(next) = part.value;
        };
        if constexpr (has_outputs) {
            each_leaf(take, std::get<0>(d.parts_here), state);
            if (first) outputs.take(std::get<1>(d.parts_here), i);
        } else each_leaf(take, d, state);
    }
    template <class Leaf>
    static void forget(Leaf& leaf) noexcept {
        if constexpr (Leaf::takes_cotangents) leaf.due = false;
    }
    void open(context& c) {
        each_leaf([&c](auto& leaf) { leaf.open(c); }, state);
        if constexpr (has_items) items.open(c);
        [[maybe_unused]] auto one = [&c]<class Y>(Y& p) {
            if constexpr (requires { p.port; }) {
                each_leaf([&c](auto& leaf) { leaf.open(c); }, p.port);
                enter_leaves(p.port, p.values(), p.of_step());
            } else p.open(c);
        };
        detail::call_with([&](auto&... p) { (one(p), ...); }, parameters_);
    }
    bool is_owed() {
        bool owed = false;
        auto ask = [&owed](auto& leaf) {
            if constexpr (std::remove_reference_t<decltype(leaf)>::takes_cotangents) owed = owed || leaf.is_owed();
        };
        each_leaf(ask, state);
        each_parameter([&](auto& p, auto const&) { each_leaf(ask, p.port); });
        if constexpr (has_items) owed = owed || items.is_owed();
        return owed;
    }
    void enter([[maybe_unused]] std::size_t i, std::byte* now, std::byte* before) {
        enter_leaves(state, now, before);
        if constexpr (has_items) items.enter(i);
        if constexpr (is_scaled) each_parameter([](auto& p, auto const&) { enter_leaves(p.port, p.values(), p.of_step()); });
    }
    template <class V>
    static decltype(auto) handle_of(V& p) {
        if constexpr (requires { p.port; }) return p.port.handle();
        else return p.handle();
    }
};

}
XGRAD_DETAIL_QUIET_END
