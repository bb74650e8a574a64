// Defines rule_function<Second, F, P...>: a function with its own rule, at given arguments, as a flat_function: its rule is asked directly.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/flat_function.hpp>
#include <xgrad/rule/magnitudes.hpp>
#include <xgrad/rule/rule.hpp>
#include <xgrad/tangent/clone.hpp>
#include <xgrad/tangent/dual.hpp>
#include <xgrad/tangent/entries.hpp>
#include <xgrad/tangent/pairing.hpp>
#include <xgrad/tangent/real_type.hpp>
#include <xgrad/tangent/type_name.hpp>
#include <xgrad/tangent/unchanged.hpp>
#include <xgrad/tangent/zero_tangent.hpp>

namespace xgrad::detail {

// Second: the rule is asked whether it takes duals, and then for second derivatives.
template <bool Second, class F, class... P>
class rule_function final : public flat_function {
    static constexpr std::size_t N = sizeof...(P);
    using index = std::index_sequence_for<P...>;
    template <std::size_t I>
    using type = std::tuple_element_t<I, std::tuple<P...>>;
    struct derivative_of_rule;
    template <class T>
    using over_dual = dual<T, 1, derivative_of_rule>;
    static consteval bool is_of_numbers() { return (perturbable_number<P> && ...); }
    static consteval bool is_twice_differentiable() {
        if constexpr (Second && is_of_numbers()) return has_rrule<F, over_dual<P>...>;
        else return false;
    }

public:
    // The second of two arguments of one type is the object of the first where `alias` says so.
    rule_function(F const& g, std::array<bool, N> const& constants, P const&... args) : f_(g), x_(clone(args)...), constant_(constants) {
        for (std::size_t i = 0; i < N; ++i) first_[i] = i;
        prepare(index{});
    }
    rule_function(rule_function const& other, std::size_t i, std::size_t j) : rule_function(other, index{}) {
        first_[j] = i;
        name = numbered("x", j) + " is " + numbered("x", i);
        prepare(index{});
        notes.clear();
        has_forward = has_second = false;
    }

    // The pairs of arguments that can be one object.
    static std::vector<std::array<std::size_t, 2>> pairs() {
        std::vector<std::array<std::size_t, 2>> r;
        [&]<std::size_t... J>(std::index_sequence<J...>) { (pairs_with<J>(r, index{}), ...); }(index{});
        return r;
    }
    bool is_constant(std::size_t i) const { return constant_[i]; }
    // Which arguments the plain call changes.
    std::array<bool, N> changed() {
        auto t = at(x);
        auto const before = at(x);
        if constexpr (std::is_invocable_v<F const&, P&...>) static_cast<void>(call_plain(t, index{}));
        std::array<bool, N> r{};
        [&]<std::size_t... I>(std::index_sequence<I...>) { ((r[I] = !unchanged(std::get<I>(t), std::get<I>(before))), ...); }(index{});
        return r;
    }

    std::vector<std::string> names_of_arguments() override {
        std::vector<std::string> r;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            for (auto& n : entry_names(std::get<I>(x_), numbered("x", I))) r.push_back(std::move(n));
        });
        return r;
    }
    std::vector<std::string> names_of_value() override {
        auto t = at(x);
        return entry_names(call(t, index{}), "y");
    }
    result value(numbers const& v) override {
        auto t = at(v);
        result r;
        auto const y = call(t, index{});
        read_entries(r.y, y, y);
        r.after = read(t);
        return r;
    }
    pushed forward(numbers const& v, numbers const& vdot) override {
        pushed r;
        if constexpr (has_frule<F, P...>) {
            auto t = at(v);
            auto tdot = tangents(t, vdot, index{});
            auto const y = push(t, tdot, index{});
            require_form(y.tangent, zero_tangent(y.primal), "the tangent by frule");
            read_entries(r.y, y.primal, y.primal);
            read_entries(r.ydot, y.primal, y.tangent);
        }
        return r;
    }
    pulled reverse(numbers const& v, numbers const& ybar, numbers const* held) override {
        pulled r;
        if constexpr (has_rrule<F, P...>) {
            auto t = at(v);
            auto const before = at(v);
            auto xbar = zeros(t, index{});
            auto back = start(t, xbar, index{});
            read_entries(r.value.y, back.value, back.value);
            r.value.after = read(t);
            if (held) r.held = hold(t, xbar, *held);
            auto cotangent = zero_tangent(back.value);
            double const* from = ybar.data();
            write_entries(from, back.value, cotangent);
            auto const rdata = pull(back.pullback, std::as_const(cotangent));
            each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
                if (r.not_restored.empty() && !unchanged(std::get<I>(t), std::get<I>(before))) r.not_restored = numbered("x", I);
                auto const whole = join(fdata_of(std::get<I>(xbar)), std::get<I>(rdata));
                require_form(whole, zero_tangent(std::get<I>(before)), "the cotangent by rrule");
                read_entries(r.xbar, std::get<I>(before), whole);
            });
        }
        return r;
    }
    twice second([[maybe_unused]] numbers const& v, [[maybe_unused]] numbers const& ybar, [[maybe_unused]] numbers const& vdot) override {
        twice r;
        if constexpr (is_twice_differentiable())
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                auto const value = at(v);
                auto const tangent = tangents(value, vdot, index{});
                std::tuple<over_dual<P>...> t{over_dual<P>(std::get<I>(value), std::get<I>(tangent))...};
                auto back = rule<F>::rrule(codual<over_dual<P>>(std::get<I>(t), no_fdata{})...);
                auto const append = [](numbers& to, auto const& from_rule) { read_entries(to, from_rule, from_rule); };
                append(r.ydot, back.value.tangent);
                auto seed = zero_tangent(back.value.primal);
                double const* from = ybar.data();
                write_entries(from, seed, seed);
                auto const xbar = back.pullback(decltype(back.value)(seed));
                ((constant_[I] ? void() : void((append(r.gradient, std::get<I>(xbar).primal), append(r.product, std::get<I>(xbar).tangent)))), ...);
            }(index{});
        return r;
    }
    std::size_t allocations(std::size_t (*count)()) override {
        std::size_t n = 0;
        for (int round = 0; round < 2; ++round) {
            auto t = at(x);
            if constexpr (has_rrule<F, P...>) {
                auto xbar = zeros(t, index{});
                auto cotangent = [&] {
                    auto u = at(x);
                    return zero_tangent(start(u, xbar, index{}).value);
                }();
                n = count();
                auto back = start(t, xbar, index{});
                static_cast<void>(pull(back.pullback, std::as_const(cotangent)));
                n = count() - n;
            }
        }
        return n;
    }

private:
    F const& f_;
    std::tuple<P...> x_;
    std::array<bool, N> constant_;
    std::array<std::size_t, N> first_{};

    template <std::size_t... I>
    rule_function(rule_function const& other, std::index_sequence<I...>) : rule_function(other.f_, other.constant_, std::get<I>(other.x_)...) {}
    template <std::size_t... I>
    void prepare(std::index_sequence<I...>) {
        x.clear();
        magnitude.clear();
        x = read(x_);
        each_active([&]<std::size_t J>(std::integral_constant<std::size_t, J>) { append_magnitudes(magnitude, std::get<J>(x_)); });
        has_forward = has_frule<F, P...>;
        has_reverse = has_rrule<F, P...>;
        holds = (false || ... || !std::is_same_v<fdata_type_t<P>, no_fdata>);
        has_second = is_twice_differentiable();
        if constexpr (has_rrule<F, P...>) epsilon = coarsest_epsilon<P..., rule_value_t<F, P...>>();
        else epsilon = coarsest_epsilon<P..., typename frule_result<F, P...>::primal_type>();
        if constexpr (has_rrule<F, P...> && has_frule<F, P...>)
            if constexpr (!std::is_same_v<rule_value_t<F, P...>, typename frule_result<F, P...>::primal_type>)
                wrong_types.push_back("frule and rrule give values of two types");
        if (!has_forward) notes.push_back("the forward mode: rule<F> has no frule for these arguments");
        if (!has_reverse) notes.push_back("the reverse mode: rule<F> has no rrule for these arguments");
        if (Second && !has_second) notes.push_back("the second order: the rule does not take duals");
        if (!std::is_invocable_v<F const&, P&...>) notes.push_back("the plain call: f cannot be called with these arguments");
    }

    // f(std::integral_constant<I>) for each argument that is an object of its own and has a derivative.
    template <class G>
    void each_active(G const& g) const {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (active_argument<I>(g), ...); }(index{});
    }
    template <std::size_t I, class G>
    void active_argument(G const& g) const {
        if constexpr (differentiable<type<I>>)
            if (!constant_[I] && first_[I] == I) g(std::integral_constant<std::size_t, I>{});
    }
    numbers read(std::tuple<P...> const& t) const {
        numbers r;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) { read_entries(r, std::get<I>(t), std::get<I>(t)); });
        return r;
    }
    std::tuple<P...> at(numbers const& v) const {
        std::tuple<P...> t = [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple<P...>{clone(std::get<I>(x_))...}; }(index{});
        double const* from = v.data();
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) { write_entries(from, std::get<I>(x_), std::get<I>(t)); });
        return t;
    }
    // The J-th of these, or the one that it is the same as.
    template <std::size_t J, std::size_t I = 0, class Tuple>
    auto& shared(Tuple& t) const {
        if constexpr (I == J) return std::get<J>(t);
        else {
            if constexpr (std::is_same_v<std::tuple_element_t<I, Tuple>, std::tuple_element_t<J, Tuple>>)
                if (first_[J] == I) return std::get<I>(t);
            return shared<J, I + 1>(t);
        }
    }
    template <std::size_t J, std::size_t... I>
    static void pairs_with(std::vector<std::array<std::size_t, 2>>& r, std::index_sequence<I...>) {
        // what has numbers outside of any memory has no one place to be shared
        constexpr bool in_memory = differentiable<type<J>> && std::is_same_v<rdata_type_t<type<J>>, no_rdata>;
        if constexpr (in_memory) ((I < J && std::is_same_v<type<I>, type<J>> ? r.push_back({I, J}) : void()), ...);
    }

    template <std::size_t... I>
    auto call_plain(std::tuple<P...>& t, std::index_sequence<I...>) const {
        return f_(shared<I>(t)...);
    }
    auto call(std::tuple<P...>& t, index all) const {
        if constexpr (std::is_invocable_v<F const&, P&...>) return call_plain(t, all);
        else if constexpr (has_rrule<F, P...>) {
            auto xbar = zeros(t, all);
            return start(t, xbar, all).value;
        } else {
            auto tdot = zeros(t, all);
            return push(t, tdot, all).primal;
        }
    }
    template <std::size_t... I>
    static auto zeros(std::tuple<P...> const& t, std::index_sequence<I...>) {
        return std::tuple<tangent_type_t<P>...>{zero_tangent(std::get<I>(t))...};
    }
    template <std::size_t... I>
    auto tangents(std::tuple<P...> const& t, numbers const& vdot, std::index_sequence<I...> all) const {
        auto r = zeros(t, all);
        double const* from = vdot.data();
        each_active([&]<std::size_t J>(std::integral_constant<std::size_t, J>) { write_entries(from, std::get<J>(t), std::get<J>(r)); });
        return r;
    }
    template <class D, std::size_t... I>
    auto push(std::tuple<P...>& t, D& tdot, std::index_sequence<I...>) const {
        return rule<F>::frule(dual<P>{clone(shared<I>(t)), clone(shared<I>(tdot))}...);
    }
    template <class D, std::size_t... I>
    auto start(std::tuple<P...>& t, D& xbar, std::index_sequence<I...>) const {
        return rule<F>::rrule(codual<P>(shared<I>(t), fdata_of(shared<I>(xbar)))...);
    }
    template <class B, class D>
    static auto pull(B& pullback, D const& ybar) {
        if constexpr (have_rdata<P...>) return std::tuple<rdata_type_t<P>...>(pullback(ybar));
        else {
            pullback(ybar);
            return std::tuple<rdata_type_t<P>...>{};
        }
    }
    // Adds to the cotangents what has an address, and says what that was.
    template <class D>
    numbers hold(std::tuple<P...> const& t, D& xbar, numbers const& held) const {
        numbers added;
        each_active([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            auto const& here = std::get<I>(t);
            require_form(std::get<I>(xbar), zero_tangent(here), "the cotangent of a changed argument");
            auto ones = zero_tangent(here);
            for_each_entry([](auto& one) { one = std::remove_reference_t<decltype(one)>(1); }, ones);
            auto const in_memory = join(fdata_of(ones), rdata_of(zero_tangent(here)));
            for_each_entry(
                [&]<class T>(auto const&, T const& is_in, T& to) {
                    auto const next = [&] {
                        added.push_back(is_in == T(0) || added.size() >= held.size() ? 0.0 : held[added.size()]);
                        return static_cast<real_type_t<T>>(added.back());
                    };
                    auto const re = next();
                    if constexpr (is_complex_number<T>) to += T(re, next());
                    else to += re;
                },
                here, in_memory, std::get<I>(xbar));
        });
        return added;
    }
};

}  // namespace xgrad::detail
