// Defines orders_agree: a scalar program's jvp, hvp, vjp and hessian against its gradient, and against differences of it.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>

#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/randn_tangent.hpp>
#include <xgrad/xgrad.hpp>

namespace derivatives {

inline bool close(double found, double expected, double tolerance) { return std::abs(found - expected) <= tolerance * (1 + std::abs(expected)); }
inline void check(char const* what, double found, double expected, double tolerance) {
    BOOST_CHECK_MESSAGE(close(found, expected, tolerance), what << " is " << found << ", not " << expected);
}

template <class X>
auto random_tangent(std::mt19937& engine, X const& x) { return xgrad::randn_tangent(engine, x); }
template <class P>
auto random_tangent(std::mt19937&, xgrad::constant_argument<P> const&) { return xgrad::no_tangent{}; }
template <class X, class D>
auto moved(X const& x, D const& t) { return xgrad::add_to_primal(x, t); }
template <class P>
auto moved(xgrad::constant_argument<P> const& x, xgrad::no_tangent) { return x; }
template <class D>
auto scaled(double a, D const& t) {
    if constexpr (std::is_same_v<D, xgrad::no_tangent>) return t;
    else return xgrad::scale(a, t);
}
template <class G, class D>
double paired(G const& g, D const& t) {
    if constexpr (std::is_same_v<G, xgrad::no_tangent>) return 0.0;
    else return xgrad::pairing(g, t);
}
template <class... G, class... D>
double paired(std::tuple<G...> const& g, std::tuple<D...> const& t) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (0.0 + ... + paired(std::get<I>(g), std::get<I>(t))); }(std::index_sequence_for<G...>{});
}

template <class X>
inline constexpr bool is_float = std::is_same_v<xgrad::scalar_of_t<X>, float>;
template <class X>
    requires requires { typename X::value_type; }
inline constexpr bool is_float<X> = std::is_same_v<typename X::value_type, float>;

template <class F, class... X>
void orders_agree(F const& f, X const&... x) {
    constexpr bool loose = (is_float<X> || ...);
    double const exact = loose ? 2e-4 : 1e-11, h = loose ? 3e-3 : 1e-5, near = loose ? 3e-2 : 2e-8;
    std::mt19937 engine(7);
    auto const primals = std::make_tuple(x...);
    auto const xdot = std::tuple(random_tangent(engine, x)...), u = std::tuple(random_tangent(engine, x)...);
    auto const [value, gradient] = xgrad::value_and_gradient(f, x...);

    auto const y = xgrad::jvp(f, primals, xdot);
    check("jvp's value", static_cast<double>(y.primal), static_cast<double>(value), exact);
    check("jvp's tangent", static_cast<double>(y.tangent), paired(gradient, xdot), exact * 10);

    auto const second = xgrad::hvp(f, primals, xdot);
    check("hvp's value", static_cast<double>(second.value), static_cast<double>(value), exact);
    check("hvp's gradient", paired(second.gradient, u), paired(gradient, u), exact * 10);
    auto along = [&](double t) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return paired(xgrad::gradient(f, moved(x, scaled(t, std::get<I>(xdot)))...), u);
        }(std::index_sequence_for<X...>{});
    };
    check("hvp's product", paired(second.product, u), (along(h) - along(-h)) / (2 * h), near);
    // the Hessian is symmetric
    check("hvp along the other tangent", paired(xgrad::hvp(f, primals, u).product, xdot), paired(second.product, u), exact * 100);

    auto [kept, back] = xgrad::vjp(f, x...);
    check("vjp's value", static_cast<double>(kept), static_cast<double>(value), exact);
    for (double seed : {1.0, -2.0, 1.0})
        check("vjp's cotangent", paired(back(static_cast<std::remove_cvref_t<decltype(value)>>(seed)), u), seed * paired(gradient, u), exact * 10);
}

}
