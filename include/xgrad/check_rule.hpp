// Defines check_rule(f, x...): tests at run time that a function and its derivatives belong together: by differences, and by each other.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/call.hpp>
#include <xgrad/check_types.hpp>
#include <xgrad/program_function.hpp>
#include <xgrad/rule/rule_function.hpp>
#include <xgrad/rule/rule_laws.hpp>
#include <xgrad/tangent/type_name.hpp>

namespace xgrad {

namespace detail {

template <class F>
struct elementwise_call {
    template <class... H>
        requires(active<H> || ...)
    auto operator()(H const&... h) const {
        return call(F{}, h...);
    }
};

// A rule's pairs of arguments as one object.
template <class R>
void check_aliasing(R& function, rule_options const& options, rule_report& report) {
    auto const changed = function.changed();
    for (auto const [i, j] : R::pairs()) {
        if (function.is_constant(i) || function.is_constant(j)) continue;
        std::string const what = numbered("x", j) + " as the object " + numbered("x", i) + ": ";
        if (changed[i] && changed[j]) {
            report.note(what + "the function changes both");
            continue;
        }
        R alias(function, i, j);
        try {
            static_cast<void>(alias.value(alias.x));
        } catch (std::exception const& e) {
            report.note(what + e.what());
            continue;
        }
        check_rule_laws(alias, options, report);
    }
}

template <class F, class... X>
inline constexpr bool is_checked_directly = has_rule<F> && !(scalar_rule<F> && (plain_array<typename traits_of<X>::primal> || ...));

}

// Checks f at x..., where f is a function that the verbs take, an operation with partials, or a function with a rule, and is smooth there. Of the
// value, jvp, vjp, add_gradient and hvp (of a rule: frule and rrule) it tests that they are right against central differences, which must converge
// with order 2, and against each other: the report says what is wrong where. Arguments are as for gradient(f, x...), constant(x) too.
//   value          every way to compute it gives the same          accumulation   what stands in the cotangents before is added to
//   jvp, gradient  agree with differences                          restoring      arguments are afterwards as they were before, bit for bit
//   convergence    differences converge to them with order 2       repetition     the same call gives the same, bit for bit
//   dot product    ⟨ybar, J xdot⟩ = ⟨Jᵀ ybar, xdot⟩                second order   the Hessian is symmetric, and agrees with differences
//   types          static assertions of check_types<F, X...>       allocations    a second call makes none, where options.allocations counts them
template <rule_checks Which = rule_checks{}, class F, class... X>
[[nodiscard]] rule_report check_rule(rule_options const& options, F const& f, X const&... x) {
    constexpr bool differentiable_arguments = (false || ... || (!detail::traits_of<X>::is_constant && differentiable<typename detail::traits_of<X>::primal>));
    static_assert(
        differentiable_arguments,
        "xgrad[E090]: check_rule(f, x...) requires an argument that has a derivative, but all are constants, integers and the like: pass a floating-point "
        "number, or an array");
    constexpr bool owning = !(false || ... || detail::somewhere_in_argument<detail::is_borrowed, X>);
    static_assert(
        owning,
        "xgrad[E091]: check_rule(f, x...) requires arguments that own their numbers, which it moves, but a raw pointer, a span or a view does not: pass the "
        "array itself");
    constexpr bool some_mode = Which.forward || Which.reverse;
    static_assert(some_mode, "xgrad[E092]: check_rule<checks>(f, x...) requires .forward or .reverse, but both are off: leave one on");
    rule_report report;
    if constexpr (differentiable_arguments && owning && some_mode) {
        if constexpr (detail::callable_struct<F, X...>) return check_rule<Which>(options, detail::body_of<F>{}, f, x...);
        else if constexpr (detail::is_checked_directly<F, X...>) {
            static_assert(check_types<F, typename detail::traits_of<X>::primal...>());
            using function_type = detail::rule_function<Which.second_order, F, typename detail::traits_of<X>::primal...>;
            function_type function(f, {detail::traits_of<X>::is_constant...}, detail::traits_of<X>::get(x)...);
            function.has_forward = function.has_forward && Which.forward;
            function.has_reverse = function.has_reverse && Which.reverse;
            function.holds = function.holds && Which.accumulation;
            detail::check_rule_laws(function, options, report);
            if constexpr (Which.aliasing && sizeof...(X) > 1) detail::check_aliasing(function, options, report);
        } else if constexpr (scalar_rule<F>) return check_rule<Which>(options, detail::elementwise_call<F>{}, x...);
        else if constexpr (detail::check_call<detail::gradient_owner::verb, F const, identity_lift, X...>()) {
            detail::program_function<Which, F, X...> function(f, x...);
            detail::check_rule_laws(function, options, report);
        } else detail::refused_call<void>();
    }
    return report;
}
template <rule_checks Which = rule_checks{}, class F, class... X>
    requires(!std::same_as<F, rule_options>)
[[nodiscard]] rule_report check_rule(F const& f, X const&... x) {
    return check_rule<Which>(rule_options{}, f, x...);
}

}
