// Defines program_function<Which, F, X...>: a function of active values, at given arguments, as a flat_function: the verbs ask it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/complex.hpp>
#include <xgrad/hvp.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/rule/flat_function.hpp>
#include <xgrad/rule/magnitudes.hpp>
#include <xgrad/tangent/entries.hpp>
#include <xgrad/tangent/type_name.hpp>
#include <xgrad/tangent/unchanged.hpp>
#include <xgrad/tangent/zero_tangent.hpp>
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
            for (auto& n : entry_names(primal_in<I>(x_), numbered("x", I))) r.push_back(std::move(n));
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
                double const times = with_weighted(ybar, [&](auto& phi) { detail::call_with([&](auto const&... a) { add_gradient(g, phi, a...); }, t); });
                r.xbar = read_gradient(g);
                for (std::size_t i = 0; i < r.xbar.size() && times != 1; ++i) r.xbar[i] = (*held)[i] + times * (r.xbar[i] - (*held)[i]);
            }
        } else if constexpr (Which.reverse) {
            auto back = detail::call_with([this](auto const&... a) { return vjp(f_, a...); }, t);
            read_entries(r.value.y, back.value, back.value);
            auto cotangent = zero_tangent(back.value);
            double const* from = ybar.data();
            write_entries(from, back.value, cotangent);
            r.xbar = read_gradient(back.pullback(cotangent));
            r.again = read_gradient(back.pullback(cotangent));
        }
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            if (r.not_restored.empty() && !unchanged(primal_in<I>(t), primal_in<I>(before))) r.not_restored = numbered("x", I);
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
                detail::call_with(
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
        if constexpr (Which.reverse) return detail::call_with([this](auto const&... a) { return vjp(f_, a...).value; }, t);
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

}

}
