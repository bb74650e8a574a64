// Defines check_loop: says what is wrong with the state and the body of a loop in one sentence, and iterate_plain, the loop of plain values alone.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/step.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The types of the parts of a state.
template <class P>
consteval auto find_part_types() {
    if constexpr (requires { std::tuple_size<P>::value; })
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return type_list<std::tuple_element_t<I, P>...>{};
        }(std::make_index_sequence<std::tuple_size_v<P>>{});
    else return typename parts<P>::types{};
}
template <class R>
using fields_of_result = std::remove_cvref_t<decltype(fields_in_turn(std::declval<R&>()))>;

// Whether an R can follow a state P.
template <class P, class R>
consteval bool gives_state();
template <class Parts, class... P>
consteval bool gives_parts(type_list<P...>) {
    if constexpr (!requires { std::tuple_size<Parts>::value; }) return false;
    else if constexpr (std::tuple_size_v<Parts> != sizeof...(P)) return false;
    else
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (gives_state<std::remove_cv_t<P>, std::remove_cvref_t<std::tuple_element_t<I, Parts>>>() && ...);
        }(std::index_sequence_for<P...>{});
}
template <class P, class R>
consteval bool gives_state() {
    if constexpr (declared_result<R>) return perturbable_number<P>;
    else if constexpr (!differentiable<P>) return std::is_convertible_v<R, P> && !active<R>;
    else if constexpr (perturbable_number<P>) {
        if constexpr (active<R>) return R::rank == 0 || R::rank == dynamic_rank;
        else return perturbable_number<R> || std::is_arithmetic_v<R>;
    } else if constexpr (number_array<P>) {
        constexpr int rank = rank_of<P>;
        if constexpr (active<R>)
            return (R::rank == rank || R::rank == dynamic_rank || rank == dynamic_rank) &&
                   std::is_same_v<typename without_duals<typename R::value_type>::type, array_element_t<P>>;
        else if constexpr (plain_array<R>) return rank_of<R> == rank || rank_of<R> == dynamic_rank || rank == dynamic_rank;
        else return false;
    } else if constexpr (requires { typename fields_of_result<R>; }) return gives_parts<fields_of_result<R>>(find_part_types<P>());
    else return false;
}

// True if there is nothing wrong with iterate(n, body, init, params...), whose elements are L, state P and parameters U....
template <class F, class L, class P, class... U>
consteval bool check_loop() {
    constexpr bool state = differentiable<P> && find_is_state<P>(), parameters = ((!holds_active<U> || find_is_state<state_t<U>>()) && ...);
    static_assert(state, "xgrad[E170]: iterate(n, body, init, params...) requires a state of numbers and arrays, of structs, tuples and std::arrays of them, "
                         "and of what is copied byte by byte beside them, but init is something else: pass an array for a container of numbers");
    static_assert(parameters, "xgrad[E171]: iterate(n, body, init, params...) requires parameters that are numbers, arrays, or structs, tuples and std::arrays "
                              "of them, where they are active, but one is something else: pass the parts of a container one by one");
    if constexpr (!state || !parameters) return false;
    else {
        constexpr bool callable = std::is_invocable_v<F const&, loop_handle_t<P, counted, L>, loop_parameter_t<U, counted, L>...>;
        static_assert(callable, "xgrad[E172]: iterate(n, body, init, params...) requires that body compiles when it is called with a state and as many "
                                "parameters as there are behind init, but it does not: take them by auto const&, one parameter for each");
        if constexpr (!callable) return false;
        else {
            using R = std::remove_cvref_t<std::invoke_result_t<F const&, loop_handle_t<P, counted, L>, loop_parameter_t<U, counted, L>...>>;
            constexpr bool declared = !declared_result<R> || perturbable_number<P>, form = !declared || gives_state<P, R>();
            static_assert(declared, "xgrad[E173]: iterate(n, body, init, params...) requires a body whose result is auto where the state is not a number, but "
                                    "its result is declared: leave the result type out");
            static_assert(form, "xgrad[E174]: iterate(n, body, init, params...) requires a body that gives a state of the form of init, with as many parts and "
                                "axes and numbers of the same type, but it gives something else: give the parts of a struct as a std::tuple, in their order");
            return declared && form;
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
            constexpr bool result = find_is_state<checkpoint_result_t<F, L, U...>>() && differentiable<checkpoint_result_t<F, L, U...>>;
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

// The parts of a plain result, which may refer to the state of before.
template <class P, class R>
void take_plain(P& to, R&& r) {
    if constexpr (declared_result<R>) to = static_cast<P>(r.value());
    else if constexpr (plain_array<P>) to = P(r);
    else if constexpr (is_leaf<P>) to = static_cast<P>(r);
    else {
        auto take = [](auto& mine, auto& others) {
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                using std::get;
                (take_plain(get<I>(mine), get<I>(others)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(mine)>>>{});
        };
        auto bind = [&](auto&& mine, auto&& others) { take(mine, others); };
        bind(fields_in_turn(to), fields_in_turn(r));
    }
}
template <class N, class F, class P, class... E>
P iterate_plain(N const& steps, F const& f, P s, E const&... e) {
    auto goes_on = [&]([[maybe_unused]] std::size_t i) {
        if constexpr (requires { steps.n; }) return i < steps.n;
        else return static_cast<bool>(steps.holds(std::as_const(s), e...));
    };
    for (std::size_t i = 0; goes_on(i); ++i) {
        P next = s;
        take_plain(next, f(std::as_const(s), e...));
        s = std::move(next);
    }
    return s;
}

}
XGRAD_DETAIL_QUIET_END
