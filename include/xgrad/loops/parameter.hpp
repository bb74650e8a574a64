// Defines active_parameter, what a loop holds of a parameter, and local_parameter, what one step sees of it.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/port.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A parameter of a loop that is active: the variable, its values, and what came to it from all steps.
template <class X, class M, class L>
struct active_parameter {
    using P = state_t<X>;
    loop_port<P, M, L> port;
    block memory;
    std::size_t bytes = 0;

    std::byte* values() const noexcept { return static_cast<std::byte*>(memory.get()); }
    std::byte* of_step() const noexcept { return values() + bytes; }
    std::byte* total() const noexcept { return values() + 2 * bytes; }
};
struct no_variable {};

// What the body is given for a state P, and for a parameter of type X.
template <class P, class M, class L>
using loop_handle_t = std::remove_reference_t<handle_t<P, M, L>>&;
template <class X, class M, class L>
consteval auto find_loop_parameter() {
    if constexpr (holds_active<X>) return type_tag<loop_handle_t<state_t<X>, M, L>>{};
    else return type_tag<decltype(std::declval<loop_constant<X> const&>().handle())>{};
}
template <class X, class M, class L>
using loop_parameter_t = typename decltype(find_loop_parameter<X, M, L>())::type;

struct no_parameter_yet {
    template <class X, class M, class L>
    operator active_parameter<X, M, L>() const {
        return {};
    }
};
template <class X, class M, class L>
consteval auto find_parameter_port() {
    if constexpr (holds_active<X>) return type_tag<active_parameter<X, M, L>>{};
    else return type_tag<loop_constant<X>>{};
}
template <class X, class M, class L>
using parameter_port_t = typename decltype(find_parameter_port<X, M, L>())::type;

// A parameter for one step, with the slots of numbers on the stack: what has an address is there, so that the compiler sees through it.
template <class P>
struct local_parameter {
    P const& p;
    XGRAD_DETAIL_INLINE local_parameter(P const& q, context&) : p(q) {}
    XGRAD_DETAIL_INLINE decltype(auto) handle() const { return p.handle(); }
};
template <class X, class M, class L>
struct local_parameter<active_parameter<X, M, L>> {
    loop_port<state_t<X>, M, L> port;
    XGRAD_DETAIL_INLINE local_parameter(active_parameter<X, M, L> const& p, context& c) : port(p.port) {
        each_leaf(
            [&](auto& leaf) XGRAD_DETAIL_LAMBDA {
                leaf.open_here(c);
                leaf.enter(p.values(), p.of_step());
                leaf.goes_on();
            },
            port);
    }
    XGRAD_DETAIL_INLINE auto handle() { return port.handle(); }
};
// All of them, made where they are: a processor waits where what was just written in parts is moved as a whole.
template <std::size_t I, class P>
struct held_parameter : local_parameter<P> {
    using local_parameter<P>::local_parameter;
};
template <class Index, class... P>
struct local_parameters;
template <std::size_t... I, class... P>
struct local_parameters<std::index_sequence<I...>, P...> : held_parameter<I, P>... {
    XGRAD_DETAIL_INLINE local_parameters(std::tuple<P...> const& all, context& c) : held_parameter<I, P>(std::get<I>(all), c)... {}
    template <std::size_t J>
    XGRAD_DETAIL_INLINE auto& get() noexcept {
        using port = std::tuple_element_t<J, std::tuple<P...>>;
        return static_cast<local_parameter<port>&>(static_cast<held_parameter<J, port>&>(*this));
    }
};

}
XGRAD_DETAIL_QUIET_END
