// Defines check_loop: says what is wrong with the state and the body of a loop in one sentence.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// True if there is nothing wrong with iterate(n, body, init, params...), whose elements are L, state P and parameters U..., or with a scan over an X.
template <class F, class L, class P, class X, class... U>
consteval bool check_loop() {
    constexpr bool state = differentiable<P> && find_is_state<P>(), parameters = ((!holds_active<U> || find_is_state<state_t<U>>()) && ...);
    static_assert(state, "xgrad[E170]: iterate(n, body, init, params...) requires a state of numbers and arrays, of structs, tuples and std::arrays of them, "
                         "and of what is copied byte by byte beside them, but init is something else: pass an array for a container of numbers, and a "
                         "floating-point number beside a counter");
    static_assert(parameters, "xgrad[E171]: iterate(n, body, init, params...) requires parameters that are numbers, arrays, or structs, tuples and std::arrays "
                              "of them, where they are active, but one is something else: pass the parts of a container one by one");
    if constexpr (!state || !parameters) return false;
    else {
        constexpr bool callable = []<class... A>(type_tag<std::tuple<A...>>) {
            return std::is_invocable_v<A...>;
        }(find_loop_call<F, counted, L, P, X, U...>());
        static_assert(callable, "xgrad[E172]: iterate(n, body, init, params...) requires that body compiles when it is called with a state and as many "
                                "parameters as there are behind init, but it does not: take them by auto const&, one parameter for each");
        if constexpr (!callable) return false;
        else {
            using R = std::remove_cvref_t<loop_result_t<F, counted, L, P, X, U...>>;
            constexpr bool declared = !declared_result<R> || declares_parts<R> || perturbable_number<P>;
            constexpr bool more = !std::is_same_v<X, no_items> && gives_more<P, R>(), form = !declared || more || gives_state<P, R>();
            static_assert(declared, "xgrad[E173]: iterate(n, body, init, params...) requires a body whose result has the form of the state, which is not a "
                                    "number, but its result is declared as one: declare result<S> with the type of the state, or leave the result type out");
            static_assert(form, "xgrad[E174]: iterate(n, body, init, params...) requires a body that gives a state of the form of init, with as many parts and "
                                "axes and numbers of the same type, but it gives something else: give the parts of a struct as a std::tuple, in their order");
            constexpr bool outputs = !more || are_outputs<typename decltype(find_outputs<P, R>())::type, declares_parts<R>>();
            static_assert(outputs, "xgrad[E179]: scan(body, init, xs, params...) requires outputs that are numbers or arrays of them, of a declared result "
                                   "those of fixed shape, one or a std::tuple of several, but one is something else: give its parts in a std::tuple");
            return declared && form && outputs;
        }
    }
}

// What f gives of parameters U..., as plain values.
template <class F, class L, class... U>
consteval auto find_checkpoint_result() {
    using R = std::remove_cvref_t<std::invoke_result_t<F const&, loop_parameter_t<U, counted, L>...>>;
    if constexpr (declared_result<R>) return type_tag<typename R::value_type>{};
    else return type_tag<state_t<R>>{};
}
template <class F, class L, class... U>
using checkpoint_result_t = typename decltype(find_checkpoint_result<F, L, U...>())::type;
// True if there is nothing wrong with checkpoint(f, x...), whose elements are L and arguments U....
template <class F, class L, class... U>
consteval bool check_checkpoint() {
    constexpr bool arguments = ((!holds_active<U> || find_is_state<state_t<U>>()) && ...);
    static_assert(arguments, "xgrad[E175]: checkpoint(f, x...) requires arguments that are numbers, arrays, or structs, tuples and std::arrays of them, where "
                             "they are active, but one is something else: pass the parts of a container one by one");
    if constexpr (!arguments) return false;
    else {
        constexpr bool callable = std::is_invocable_v<F const&, loop_parameter_t<U, counted, L>...>;
        static_assert(callable, "xgrad[E176]: checkpoint(f, x...) requires that f compiles when it is called with as many arguments as are given, but it does "
                                "not: take them by auto const&, one parameter for each");
        if constexpr (!callable) return false;
        else {
            using R = std::invoke_result_t<F const&, loop_parameter_t<U, counted, L>...>;
            using Y = checkpoint_result_t<F, L, U...>;
            constexpr bool result = !declares_parts<R> && find_is_state<Y>() && differentiable<Y>;
            static_assert(result, "xgrad[E177]: checkpoint(f, x...) requires that f gives a number, an array, or a struct, a tuple or a std::array of them, "
                                  "but it gives something else: give its parts as a std::tuple");
            return result;
        }
    }
}

// True if the condition of while_loop(cond, body, init, params...) can be asked.
template <class C, class L, class P, class... U>
consteval bool check_condition() {
    constexpr bool callable = std::is_invocable_r_v<bool, C const&, loop_handle_t<P, counted, L>, loop_parameter_t<U, counted, L>...>;
    static_assert(callable, "xgrad[E178]: while_loop(cond, body, init, params...) requires that cond is true or false when it is called with a state and as "
                            "many parameters as there are behind init, but it is not: compare a number of the state, s < 1.0 or sum(s) < 1.0");
    return callable;
}

}
XGRAD_DETAIL_QUIET_END
