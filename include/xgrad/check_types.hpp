// Defines check_types<F, X...>(): at compile time, that a function can be differentiated with respect to arguments of these types.
#pragma once

#include <type_traits>

#include <xgrad/call.hpp>
#include <xgrad/check_tangent_types.hpp>
#include <xgrad/gradient.hpp>

namespace xgrad {

namespace detail {

template <class F>
concept has_rule = requires { sizeof(rule<F>); };

template <class F, class... X>
concept calls_frule = requires { rule<F>::frule(std::declval<dual<X>>()...); };
template <class F, class... X>
concept calls_rrule = requires { rule<F>::rrule(std::declval<codual<X>>()...); };

// The rule's value is that of the plain call, where there is one.
template <class Y, class F, class... X>
consteval bool is_value_of_call() {
    if constexpr (std::is_invocable_v<F const&, X&...>) return std::is_same_v<Y, std::remove_cvref_t<std::invoke_result_t<F const&, X&...>>>;
    else return true;
}

template <class F, class... X>
consteval bool check_rule_types() {
    static_assert(
        calls_frule<F, X...> || calls_rrule<F, X...>,
        "xgrad[E042]: check_types<F, X...> requires a rule<F> that takes these arguments, but neither frule(dual<X>...) nor rrule(codual<X>...) can be called: "
        "give it parameters of exactly these types, or templates");
    if constexpr (calls_rrule<F, X...>) {
        static_assert(
            has_rrule<F, X...>,
            "xgrad[E043]: check_types<F, X...> requires that rule<F>::rrule gives value_with_pullback{y, pullback}, whose pullback takes tangent_type_t<Y> "
            "const& and returns "
            "std::tuple<rdata_type_t<X>...>: return the rdata of every argument, no_rdata{} for an array, or nothing where none has any");
        if constexpr (has_rrule<F, X...>)
            static_assert(
                is_value_of_call<rule_value_t<F, X...>, F, X...>(),
                "xgrad[E044]: check_types<F, X...> requires that rule<F>::rrule gives a value of the type that the plain call f(x...) gives: convert it");
    }
    if constexpr (calls_frule<F, X...>) {
        static_assert(has_frule<F, X...>, "xgrad[E045]: check_types<F, X...> requires that rule<F>::frule gives dual<Y>: return dual{y, tangent of y}");
        if constexpr (has_frule<F, X...>)
            static_assert(
                is_value_of_call<typename frule_result<F, X...>::primal_type, F, X...>(),
                "xgrad[E044]: check_types<F, X...> requires that rule<F>::frule gives a value of the type that the plain call f(x...) gives: convert it");
    }
    return true;
}

}

// True, or a static assertion that says in one sentence what is wrong: that each X is a type that xgrad knows, with the laws of its tangent
// types, and that the F (as in decltype(f)) has a rule for them that gives the right types, or is a function with a scalar result that can
// be called with active ones. Nothing is run.
template <class F, class... X>
[[nodiscard]] consteval bool check_types() {
    using G = std::remove_cvref_t<F>;
#ifdef XGRAD_DESCRIBE
    return (true && ... && check_tangent_types<X>());
#endif
    if constexpr (detail::has_rule<G>) return (true && ... && check_tangent_types<X>()) && detail::check_rule_types<G, X...>();
    else if constexpr (detail::check_call<detail::gradient_owner::caller, G, identity_lift, X...>()) {
        static_assert(sizeof(typename detail::call_of<G, X...>::value_type) != 0);
        return (true && ... && check_tangent_types<X>());
    } else return false;
}

}
