// Defines call(f, x...): applies a function that has a rule of its own to active values.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/rule/scalar_rule.hpp>
#include <xgrad/scope/call/rule_call.hpp>
#include <xgrad/scope/call/rule_pushforward.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// The duals among the operands.
template <class... X>
struct dual_element;
template <class X, class... Y>
struct dual_element<X, Y...> : dual_element<Y...> {};
template <class X, class... Y>
    requires is_active_dual<X>
struct dual_element<X, Y...> {
    static auto find() {
        if constexpr (number_dual<X>) return std::type_identity<X>{};
        else return std::type_identity<typename X::value_type>{};
    }
    using type = typename decltype(find())::type;
};
}

// f(x...), differentiated by rule<F>::rrule, or by the partials of a scalar operation. The x... are active or plain values, structs and
// containers of them; the rule sees copies that it may change (arrays as xt::xtensor or xt::xarray), and the same active array passed
// twice as one object. In a forward derivative it is rule<F>::frule. What comes back has the form of f's result, with a variable for each number and array.
// Throws what the rule throws.
template <class F, class... X>
auto call([[maybe_unused]] F const& f, X&&... x) {
    if constexpr (!(false || ... || detail::holds_active<std::remove_cvref_t<X>>)) return f(std::forward<X>(x)...);
    else if constexpr (scalar_rule<F>) return elementwise<F>(std::forward<X>(x)...);
    else if constexpr ((detail::is_active_dual<X> || ...)) {
        constexpr bool known = has_frule<F, detail::operand_primal_t<X>...>;
        static_assert(
            known,
            "xgrad[E102]: call(f, x...) in jvp, derivative, hvp, hessian or a forward jacobian requires rule<F>::frule(dual<X>...) for numbers and arrays of "
            "these types: add it, "
            "or use the reverse mode alone, by gradient and vjp");
        if constexpr (!known) return 0.0;
        else {
            context* c = nullptr;
            ((c = c ? c : detail::owner_of(x)), ...);
            return detail::push_rule<F, typename detail::dual_element<std::remove_cvref_t<X>...>::type>(c, x...);
        }
    } else {
        constexpr bool known = has_rrule<F, detail::plain_t<X>...>;
        static_assert(
            known,
            "xgrad[E041]: call(f, x...) requires rule<F>::rrule(codual<X>...) for arguments of these types, whose pullback takes the tangent of the value "
            "and returns "
            "the std::tuple of the arguments' rdata: check_types<F, X...>() says what is missing");
        if constexpr (!known) return 0.0;
        else if constexpr (!differentiable<rule_value_t<F, detail::plain_t<X>...>>) {
            return f(detail::take_primal{}(detail::take_operand{}(x))...);
        } else return rule_call<F, std::remove_cvref_t<X>...>::apply(std::forward<X>(x)...);
    }
}

}
XGRAD_DETAIL_QUIET_END
