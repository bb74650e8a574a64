// Defines iterate and while_loop, which carry a state, and whose memory the user chooses; and checkpoint(f, x...), a call whose inside is not kept.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/call.hpp>
#include <xgrad/loops/check.hpp>
#include <xgrad/loops/checkpoint_call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class... E>
inline constexpr bool ends_with_policy = false;
template <class E>
inline constexpr bool ends_with_policy<E> = loop_policy<std::remove_cvref_t<E>>;
template <class E, class F, class... G>
inline constexpr bool ends_with_policy<E, F, G...> = ends_with_policy<F, G...>;

template <class N, class L, class P, class... U>
consteval bool check_steps() {
    if constexpr (requires(N const& steps) { steps.n; }) return true;
    else return check_condition<decltype(N::holds), L, P, U...>();
}
template <class N, class S, class F, class I, class... E>
auto iterate_with(N const& steps, S const& policy, F f, I&& init, E&&... e) {
    using L = lift_like<active_element_t<I, E...>>;
    using P = state_t<I>;
    if constexpr (!(holds_active<std::remove_cvref_t<I>> || ... || holds_active<std::remove_cvref_t<E>>))
        return iterate_plain(steps, f, P(std::forward<I>(init)), e...);
    else if constexpr (!check_loop<F, L, P, std::remove_cvref_t<E>...>()) return 0.0;
    else if constexpr (!check_steps<N, L, P, std::remove_cvref_t<E>...>()) return 0.0;
    else return loop_call<F, N, S, L, P, std::remove_cvref_t<E>...>::apply(steps, std::move(f), policy, std::forward<I>(init), e...);
}
// The last argument may be a policy.
template <class N, class F, class I, class... E>
auto iterate_by_last(N const& steps, F body, I&& init, E&&... params) {
    if constexpr (!ends_with_policy<E...>)
        return iterate_with(steps, memory_budget(), std::move(body), std::forward<I>(init), std::forward<E>(params)...);
    else
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            auto all = std::forward_as_tuple(std::forward<E>(params)...);
            return iterate_with(steps, std::get<sizeof...(J)>(all), std::move(body), std::forward<I>(init), std::get<J>(std::move(all))...);
        }(std::make_index_sequence<sizeof...(E) - 1>{});
}

}

// The state after n steps, s = body(s, params...), which begins with init. It has the form of init, with a variable for each number and array: a number, an
// array, a reflected struct, a tuple, a pair or a std::array of such; parts without a derivative (counters, the state of a random engine) are carried along,
// and are copied byte by byte. The body gives the next state: the same form, or the parts of a struct as a std::tuple in their order. Its types and its shapes
// stay. The params are active or plain, and the same in every step; what is active reaches the body as a parameter, never by capture. Last may stand what is
// stored:
//   memory_budget{bytes}   what is taken where nothing is said, with 64 MiB: every state where they fit, and otherwise as many as fit
//   keep_states()          every state
//   checkpoints(c)         c states, where they save most: forward_steps(n, c) steps run forward
//   every(k)               every k-th state
// or a schedule of one's own (loops/schedule.hpp). On the way back each step runs once more, the last first, so the body has to do the same each time, and it
// may be after the function around the loop has returned, so it captures the locals of that by value. Its result is auto; of a number it may be declared, `->
// xgrad::real`: then what it computes stays on the stack. Where nothing is active it is a plain loop. Throws what the body throws, std::logic_error for an
// active value that the body has captured (E250), and std::invalid_argument for a state that changes its shape (E251), in the forward pass, and then nothing
// is left behind.
template <class F, class I, class... E>
auto iterate(std::size_t n, F body, I&& init, E&&... params) {
    return detail::iterate_by_last(detail::known_steps{n}, std::move(body), std::forward<I>(init), std::forward<E>(params)...);
}

// The same as long as cond(s, params...) holds of the state that the next step would begin with, asked before each step: cond compares numbers, s < 1.0 or
// sum(s * s) > tolerance, and has no derivative. The steps run once more than with iterate, first to be counted.
template <class C, class F, class I, class... E>
auto while_loop(C cond, F body, I&& init, E&&... params) {
    return detail::iterate_by_last(detail::steps_while<C>{std::move(cond)}, std::move(body), std::forward<I>(init), std::forward<E>(params)...);
}

namespace detail {
template <class F, class... E>
auto checkpoint_with(F f, E&&... x) {
    using L = lift_like<active_element_t<E...>>;
    if constexpr (!check_checkpoint<F, L, std::remove_cvref_t<E>...>()) return 0.0;
    else return checkpoint_call<F, L, checkpoint_result_t<F, L, std::remove_cvref_t<E>...>, std::remove_cvref_t<E>...>::apply(std::move(f), x...);
}
}

// f(x...), of which the arguments and the result are kept, but nothing between: f runs once more on the way back. For a part of a function that computes big
// arrays on its way to a small result. x... are numbers, arrays, structs, tuples and std::arrays of them, and plain values; f gives such, too. As with iterate
// what is active reaches f by a parameter, and f captures the locals of the function around it by value. Throws what f throws, and std::logic_error for an
// active value that f has captured (E250), in the forward pass.
template <class F, class... X>
auto checkpoint(F f, X&&... x) {
    if constexpr (!(detail::holds_active<std::remove_cvref_t<X>> || ...)) return f(std::forward<X>(x)...);
    else return detail::checkpoint_with(std::move(f), std::forward<X>(x)...);
}

}
XGRAD_DETAIL_QUIET_END
