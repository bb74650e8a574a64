// Defines iterate, scan and while_loop, which carry a state, and whose memory the user chooses; and checkpoint(f, x...), a call whose inside is not kept.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/call.hpp>
#include <xgrad/loops/check.hpp>
#include <xgrad/loops/checkpoint_call.hpp>
#include <xgrad/loops/kept.hpp>
#include <xgrad/loops/plain.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

struct no_progress {};
template <class Policy, class Progress>
struct loop_options {
    using policy_type = Policy;
    using progress_type = Progress;
    Policy policy;
    Progress progress;
};
template <class E>
inline constexpr bool is_progress = false;
template <class F>
inline constexpr bool is_progress<on_progress<F>> = true;

// g(options, e...), where what stands behind the e... are options.
template <class G, class Policy, class Progress>
auto with_options(G const& g, loop_options<Policy, Progress> const& o, std::tuple<>) {
    return g(o);
}
template <class G, class Policy, class Progress, class... E>
auto with_options(G const& g, loop_options<Policy, Progress> const& o, std::tuple<E...> all) {
    using last = std::remove_cvref_t<std::tuple_element_t<sizeof...(E) - 1, std::tuple<E...>>>;
    auto rest = [&]<std::size_t... J>(std::index_sequence<J...>) {
        return std::forward_as_tuple(static_cast<std::tuple_element_t<J, std::tuple<E...>>>(std::get<J>(all))...);
    };
    if constexpr (is_progress<last>) {
        last const& p = std::get<sizeof...(E) - 1>(all);
        return with_options(g, loop_options<Policy, last>{o.policy, p}, rest(std::make_index_sequence<sizeof...(E) - 1>{}));
    } else if constexpr (loop_policy<last>) {
        last const& p = std::get<sizeof...(E) - 1>(all);
        return with_options(g, loop_options<last, Progress>{p, o.progress}, rest(std::make_index_sequence<sizeof...(E) - 1>{}));
    } else
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return g(o, static_cast<E>(std::get<J>(all))...);
        }(std::index_sequence_for<E...>{});
}

template <class X>
consteval bool check_items() {
    if constexpr (std::is_same_v<X, no_items>) return true;
    else {
        constexpr bool known = are_known_items<X>;
        static_assert(known, "xgrad[E180]: scan(body, init, xs, params...) requires xs that is an array, a struct of arrays, a container of constants, a "
                             "count, or a std::tuple of such, but it is something else: stack(v) makes an array of a container of active values");
        return known;
    }
}
template <class N, class L, class P, class... U>
consteval bool check_steps() {
    if constexpr (requires(N const& steps) { steps.holds; }) return check_condition<decltype(N::holds), L, P, U...>();
    else return check_items<typename N::items>();
}
template <class F, class O, class L, class P, class X, class... U>
consteval bool keeps_all_of_steps() {
    if constexpr (!std::is_same_v<typename O::policy_type, keep_all>) return false;
    else return !declared_result<std::remove_cvref_t<loop_result_t<F, counted, L, P, X, U...>>>;
}
template <class N, class O, class F, class I, class... E>
auto iterate_with(N const& steps, O const& options, F f, I&& init, E&&... e) {
    using X = typename N::items;
    using L = lift_like<active_element_t<I, X, E...>>;
    using P = state_t<I>;
    if constexpr (std::is_void_v<active_element_t<I, X, E...>>) {
        if constexpr (std::is_same_v<X, no_items>) return iterate_plain(steps, f, P(std::forward<I>(init)), e...);
        else if constexpr (!check_items<X>()) return 0.0;
        else return scan_plain(f, P(std::forward<I>(init)), steps.all, e...);
    } else if constexpr (!check_steps<N, L, P, std::remove_cvref_t<E>...>()) return 0.0;
    else if constexpr (!check_loop<F, L, P, X, std::remove_cvref_t<E>...>()) return 0.0;
    else if constexpr (keeps_all_of_steps<F, O, L, P, X, std::remove_cvref_t<E>...>())
        return kept_loop<F, L, P>::apply(steps, f, options, std::forward<I>(init), e...);
    else return loop_call<F, N, O, L, P, std::remove_cvref_t<E>...>::apply(steps, std::move(f), options, std::forward<I>(init), e...);
}
template <class N, class F, class I, class... E>
auto iterate_by_last(N const& steps, F body, I&& init, E&&... params) {
    auto go = [&]<class O>(O const& options, auto&&... e) {
        return iterate_with(steps, options, std::move(body), std::forward<I>(init), std::forward<decltype(e)>(e)...);
    };
    return with_options(go, loop_options<memory_budget, no_progress>{}, std::forward_as_tuple(std::forward<E>(params)...));
}

}

// The reflected struct S of variables, from what they begin with, in the order of its fields: numbers and arrays, active or plain, a struct for a struct in it,
// what is copied byte by byte as it is. It is a state of a loop with names, and may be assigned to. Of plain parts it is an S. What S has as a container is
// refused, as is another number of parts (E193).
//     auto u = iterate(n, step, variables<ode>(z0, 0.0, 0), k);      u.z ... u.cost ...
template <reflected S, class... E>
    requires(sizeof...(E) != 0)
auto variables(E&&... parts) {
    using L = detail::lift_like<detail::active_element_t<E...>>;
    constexpr bool fits = detail::find_is_state<S>() && field_count<S> == sizeof...(E);
    static_assert(fits, "xgrad[E193]: variables<S>(parts...) requires a reflected struct S of numbers, arrays and structs, and a part for each field in their "
                        "order, but S has others, or another number: write all of them, and a number for a counter or a plain field");
    if constexpr (!fits) return S{};
    else if constexpr (std::is_void_v<detail::active_element_t<E...>>)
        return [&]<class... Q>(type_list<Q...>) { return S{static_cast<std::remove_cv_t<Q>>(std::forward<E>(parts))...}; }(field_types<S>{});
    else return detail::make_struct_of_variables<S, L>(field_types<S>{}, std::forward<E>(parts)...);
}

// The state after n steps, s = body(s, params...), which begins with init. It has the form of init, with a variable for each number and array: a number, an
// array, a reflected struct, a tuple, a pair or a std::array of such; parts without a derivative (counters, the state of a random engine) are carried along,
// and are copied byte by byte. The body gives the next state: the same form, or the parts of a struct as a std::tuple in their order. Its types and its shapes
// stay. The params are active or plain, and the same in every step; what is active reaches the body as a parameter, never by capture. Last may stand what is
// stored:
//   memory_budget{bytes}   what is taken where nothing is said, with 64 MiB: every state where they fit, and otherwise as many as fit
//   keep_all()             all that the steps compute, as in a `for` loop: no step runs twice
//   keep_states()          every state
//   checkpoints(c)         c states, where they save most: forward_steps(n, c) steps run forward
//   every(k)               every k-th state
//   on_disk(folder, p)     what the policy p says, in a file
// or a schedule of one's own (loops/schedule.hpp), and on_progress(k, f), which is told every k steps. On the way back each step runs once more, the last
// first, so the body has to do the same each time, and it may be after the function around the loop has returned, so it captures the locals of that by value.
// Its result is auto, or declared, `-> xgrad::real` of a number, xgrad::result<S> of a state of the plain type S: then what it computes of numbers and small
// fixed arrays stays on the stack. Where nothing is active it is a plain loop, whose body gives eval(e) and no expression of its locals. Throws what the body
// throws, std::logic_error for an active value that the body has captured (E250), and std::invalid_argument for a state that changes its shape (E251), in the
// forward pass, and then nothing is left behind.
template <class F, class I, class... E>
auto iterate(std::size_t n, F body, I&& init, E&&... params) {
    return detail::iterate_by_last(detail::known_steps{n}, std::move(body), std::forward<I>(init), std::forward<E>(params)...);
}

// {last state, outputs} of a step for each item of xs, {s, y} = body(s, x, params...), which begins with init. State, params and the last arguments are those
// of iterate. xs is
//   an array                    whose rows are the items: of one axis numbers, of more an array without the first one; active or plain
//   a reflected struct of such  the item has its fields
//   a container of constants    with indices; of constant(x) arguments and by std::cref it is not copied
//   a count                     the item is the number of the step, from 0
//   a std::tuple of these       the item is a std::tuple
// The outputs y are a number or an array, which are stacked along a new first axis, or summed(y), which is added up over the steps: losses; or a std::tuple of
// these. A body that gives the next state alone has no outputs: then the last state alone comes back. The result may be declared, xgrad::result<std::tuple<S,
// Y>> with the plain types of state and outputs, summed<double> among them. Throws as iterate, and std::invalid_argument where the parts of xs have different
// numbers of items (E253), or an output changes its shape (E254).
template <class F, class I, class X, class... E>
auto scan(F body, I&& init, X const& xs, E&&... params) {
    return detail::iterate_by_last(detail::steps_over<X>{xs}, std::move(body), std::forward<I>(init), std::forward<E>(params)...);
}

// As iterate, as long as cond(s, params...) holds of the state that the next step would begin with, asked before each step: cond compares numbers, s < 1.0 or
// sum(s * s) > tolerance, and has no derivative. States are stored on the way, as many as the policy says, and what it is best to store is known when the end
// is. With a schedule of one's own the steps run once more, first to be counted.
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
