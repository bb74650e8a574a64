// Defines check_rule(f, x...): tests at run time that a function and its derivatives belong together: by differences, and by each other.
#pragma once

#include <array>
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
#include <xgrad/complex.hpp>
#include <xgrad/hessian.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/rule/rule_function.hpp>
#include <xgrad/rule/rule_laws.hpp>
#include <xgrad/tangent/type_name.hpp>
#include <xgrad/vjp.hpp>

namespace xgrad {

// What is compiled, and so checked: switch off what your function has not. check_rule<rule_checks{.second_order = false}>(f, x...).
struct rule_checks {
    bool plain = true;         // f is called with plain values, too: its body compiles for them
    bool forward = true;
    bool reverse = true;
    bool accumulation = true;
    bool aliasing = true;      // of a rule: arguments of one type as one object
    bool second_order = true;
};

namespace detail {

// ⟨y, ybar⟩ as an active value, over what is active in y.
template <class Y, class D>
auto weigh(Y&& y, D const& ybar) {
    using V = std::remove_cvref_t<Y>;
    if constexpr (active<V>) {
        // of complex numbers the real inner product, Re(conj(y) ybar)
        if constexpr (is_complex_number<typename V::value_type>) {
            if constexpr (V::rank == 0) return spelling::real(conj(std::forward<Y>(y)) * ybar);
            else return sum(spelling::real(conj(std::forward<Y>(y)) * ybar));
        } else if constexpr (V::rank == 0) return std::forward<Y>(y) * ybar;
        else return sum(std::forward<Y>(y) * ybar);
    } else if constexpr (!holds_active<V>) return 0.0;
    else if constexpr (requires { std::tuple_size<V>::value; })
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (weigh(std::get<I>(std::forward<Y>(y)), std::get<I>(ybar)) + ...);
        }(std::make_index_sequence<std::tuple_size_v<V>>{});
    else {
        variable s = weigh(y[0], ybar[0]);
        for (std::size_t i = 1; i < y.size(); ++i) s += weigh(y[i], ybar[i]);
        return s;
    }
}
template <class F, class D>
struct weighted_function {
    F const& f;
    D const& ybar;
    template <class... H>
    auto operator()(H const&... h) const {
        return weigh(f(h...), ybar);
    }
};

// A result that owns its numbers: calling the function for plain values left nothing behind that refers to its locals.
template <class R>
inline constexpr bool owns_result = plain_scalar<R> || is_plain_container<R>;
template <class... R>
inline constexpr bool owns_result<std::tuple<R...>> = (owns_result<R> && ...);
template <class A, class B>
inline constexpr bool owns_result<std::pair<A, B>> = owns_result<A> && owns_result<B>;
template <class R, std::size_t N>
inline constexpr bool owns_result<std::array<R, N>> = owns_result<R>;
template <class R, class A>
inline constexpr bool owns_result<std::vector<R, A>> = owns_result<R>;

// A function of active values at given arguments, by the verbs.
template <rule_checks Which, class F, class... X>
class program_function final : public flat_function {
    using index = std::index_sequence_for<X...>;
    using arguments = std::tuple<X...>;
    using gradients = std::tuple<gradient_type_t<X>...>;
    template <class Y>
    using plain_primal = typename traits_of<Y>::primal;

    static consteval bool calls_plain() {
        if constexpr (!Which.plain) return false;
        else if constexpr (std::is_invocable_v<F const&, plain_primal<X> const&...>)
            return owns_result<std::remove_cvref_t<std::invoke_result_t<F const&, plain_primal<X> const&...>>>;
        else return false;
    }

public:
    program_function(F const& g, X const&... args) : f_(g), x_(args...) {
        x = read(x_);
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) { append_magnitudes(magnitude, primal_in<I>(x_)); });
        epsilon = coarsest_epsilon<plain_primal<X>...>();
        has_plain = calls_plain();
        has_forward = Which.forward;
        has_reverse = Which.reverse;
        holds = Which.accumulation;
        has_second = Which.second_order && Which.reverse;
        if constexpr (Which.forward && Which.reverse) {
            using Y = decltype(evaluate(x_));
            using Z = decltype(jvp(f_, x_, tangents(x)).primal);
            if (!std::is_same_v<Y, Z>) wrong_types.push_back("vjp gives " + type_name<Y>() + ", jvp " + type_name<Z>());
        }
        if (Which.plain && !has_plain)
            notes.push_back("the plain call: f cannot be called with plain values, or gives an expression, which may refer to its locals");
    }

    std::vector<std::string> names_of_arguments() override {
        std::vector<std::string> r;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            for (auto& n : entry_names(primal_in<I>(x_), "x" + std::to_string(I))) r.push_back(std::move(n));
        });
        return r;
    }
    std::vector<std::string> names_of_value() override { return entry_names(evaluate(x_), "y"); }
    result value(numbers const& v) override {
        auto const y = evaluate(at(v));
        result r;
        read_entries(r.y, y, y);
        return r;
    }
    numbers plain([[maybe_unused]] numbers const& v) override {
        numbers r;
        if constexpr (calls_plain())
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                auto const t = at(v);
                auto const y = f_(primal_in<I>(t)...);
                read_entries(r, y, y);
            }(index{});
        return r;
    }
    pushed forward([[maybe_unused]] numbers const& v, [[maybe_unused]] numbers const& vdot) override {
        pushed r;
        if constexpr (Which.forward) {
            auto const t = at(v);
            auto const y = jvp(f_, t, tangents(vdot));
            require_form(y.tangent, zero_tangent(y.primal), "the tangent by jvp");
            read_entries(r.y, y.primal, y.primal);
            read_entries(r.ydot, y.primal, y.tangent);
        }
        return r;
    }
    pulled reverse([[maybe_unused]] numbers const& v, [[maybe_unused]] numbers const& ybar, [[maybe_unused]] numbers const* held) override {
        pulled r;
        auto const t = at(v), before = at(v);
        if (held) {
            if constexpr (Which.accumulation) {
                auto g = tangents(*held);
                r.held = *held;
                double const times = with_weighted(ybar, [&](auto& phi) { std::apply([&](auto const&... a) { add_gradient(g, phi, a...); }, t); });
                r.xbar = read_gradient(g);
                for (std::size_t i = 0; i < r.xbar.size() && times != 1; ++i) r.xbar[i] = (*held)[i] + times * (r.xbar[i] - (*held)[i]);
            }
        } else if constexpr (Which.reverse) {
            auto back = std::apply([this](auto const&... a) { return vjp(f_, a...); }, t);
            read_entries(r.value.y, back.value, back.value);
            auto cotangent = zero_tangent(back.value);
            double const* from = ybar.data();
            write_entries(from, back.value, cotangent);
            r.xbar = read_gradient(back.pullback(cotangent));
            r.again = read_gradient(back.pullback(cotangent));
        }
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            if (r.not_restored.empty() && !unchanged(primal_in<I>(t), primal_in<I>(before))) r.not_restored = "x" + std::to_string(I);
        });
        return r;
    }
    twice second([[maybe_unused]] numbers const& v, [[maybe_unused]] numbers const& ybar, [[maybe_unused]] numbers const& vdot) override {
        twice r;
        if constexpr (Which.second_order && Which.reverse) {
            double const times = with_weighted(ybar, [&](auto& phi) {
                auto const h = hvp(phi, at(v), tangents(vdot));
                r.gradient = read_gradient(h.gradient);
                r.product = read_gradient(h.product);
            });
            for (auto* n : {&r.gradient, &r.product})
                for (double& d : *n) d *= times;
        }
        return r;
    }
    std::size_t allocations([[maybe_unused]] std::size_t (*count)()) override {
        std::size_t n = 0;
        if constexpr (Which.accumulation)
            with_weighted(value(x).y, [&](auto& phi) {
                std::apply(
                    [&](auto const&... a) {
                        auto prepared = prepare_gradient(phi, a...);
                        prepared(a...);
                        n = count();
                        prepared(a...);
                        n = count() - n;
                    },
                    x_);
            });
        return n;
    }

private:
    F const& f_;
    arguments x_;

    template <std::size_t I, class T>
    static auto& primal_in(T& t) {
        using Y = std::tuple_element_t<I, arguments>;
        if constexpr (traits_of<Y>::is_constant) return traits_of<Y>::get(std::get<I>(t));
        else return std::get<I>(t);
    }
    // f(std::integral_constant<I>) for each argument that has a derivative.
    template <class G>
    void each_active(G const& g) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (active_argument<I>(g), ...); }(index{});
    }
    template <std::size_t I, class G>
    static void active_argument(G const& g) {
        if constexpr (!traits_of<std::tuple_element_t<I, arguments>>::is_constant) g(std::integral_constant<std::size_t, I>{});
    }
    numbers read(arguments const& t) const {
        numbers r;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) { read_entries(r, std::get<I>(x_), std::get<I>(t)); });
        return r;
    }
    numbers read_gradient(gradients const& g) const {
        numbers r;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            require_form(std::get<I>(g), zero_tangent(std::get<I>(x_)), "the gradient");
            read_entries(r, std::get<I>(x_), std::get<I>(g));
        });
        return r;
    }
    arguments at(numbers const& v) const {
        arguments t = [&]<std::size_t... I>(std::index_sequence<I...>) { return arguments{clone(std::get<I>(x_))...}; }(index{});
        double const* from = v.data();
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) { write_entries(from, std::get<I>(x_), std::get<I>(t)); });
        return t;
    }
    gradients tangents(numbers const& v) const {
        gradients g{};
        double const* from = v.data();
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            std::get<I>(g) = zero_tangent(std::get<I>(x_));
            write_entries(from, std::get<I>(x_), std::get<I>(g));
        });
        return g;
    }
    auto evaluate(arguments const& t) const {
        if constexpr (Which.reverse) return std::apply([this](auto const&... a) { return vjp(f_, a...).value; }, t);
        else return jvp(f_, t, tangents(numbers(x.size()))).primal;
    }
    // g(⟨ybar, f⟩); or, where f declares its result, g(f), and what that is to be multiplied by.
    template <class G>
    double with_weighted(numbers const& ybar, G const& g) const {
        if constexpr (declared_result<std::remove_cvref_t<std::invoke_result_t<F const&, parameter_t<X, counted>...>>>) {
            g(f_);
            return ybar[0];
        } else {
            auto const y = evaluate(x_);
            auto d = zero_tangent(y);
            double const* from = ybar.data();
            write_entries(from, y, d);
            weighted_function<F, decltype(d)> phi{f_, d};
            g(phi);
            return 1;
        }
    }
};

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
        std::string const what = "x" + std::to_string(j) + " as the object x" + std::to_string(i) + ": ";
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
//   dot product    ⟨ybar, J xdot⟩ = ⟨Jᵀ ybar, xdot⟩                second order   the Hessian's product agrees with differences of gradients
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
        else if constexpr (detail::check_owning_call<F const, X...>()) {
            detail::program_function<Which, F, X...> function(f, x...);
            detail::check_rule_laws(function, options, report);
        }
    }
    return report;
}
template <rule_checks Which = rule_checks{}, class F, class... X>
    requires(!std::same_as<F, rule_options>)
[[nodiscard]] rule_report check_rule(F const& f, X const&... x) {
    return check_rule<Which>(rule_options{}, f, x...);
}

}
