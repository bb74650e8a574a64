// Defines check(name, f, x...): jvp of a real function of complex arguments against central differences in a complex direction and against its gradient,
// and hvp against differences of gradients, where the gradient is df/d(re z) + i df/d(im z).
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#include "complex_numbers.hpp"

namespace along_complex_directions {

using namespace complex_numbers;

// A direction of an argument's form, different in each number and in both parts of it.
template <class X>
X direction_of(X x, int& k) {
    auto const next = [&]<class T>(T& t) {
        ++k;
        if constexpr (std::is_floating_point_v<T>) t = T(std::cos(1.3 * k));
        else t = T(typename T::value_type(std::cos(1.3 * k)), typename T::value_type(std::sin(0.7 * k + 0.2)));
    };
    if constexpr (requires { x.begin(); })
        for (auto& e : x) next(e);
    else next(x);
    return x;
}
template <class X>
X moved(X const& x, X const& xdot, double h) {
    if constexpr (requires { x.begin(); }) {
        X y = x;
        auto d = xdot.begin();
        for (auto& e : y) e += *d++ * static_cast<xgrad::real_type_t<typename X::value_type>>(h);
        return y;
    } else return x + xdot * static_cast<xgrad::real_type_t<X>>(h);
}
template <class A>
void close_to(char const* name, A const& found, A const& expected, double tolerance) {
    if constexpr (requires { found.begin(); }) {
        BOOST_REQUIRE(found.size() == expected.size());
        auto e = expected.begin();
        for (auto const& f : found) close_to<typename A::value_type>(name, f, *e++, tolerance);
    } else BOOST_TEST(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)), name << ": found " << found << ", expected " << expected);
}

// f gives a real number.
template <bool Twice = true, class F, class... X>
void check(char const* name, F f, X const&... x) {
    int k = 0;
    std::tuple<X...> const at(x...), along{direction_of(x, k)...};
    double const h = 1e-6;
    auto const at_distance = [&](double t) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tuple<X...>(moved(std::get<I>(at), std::get<I>(along), t)...);
        }(std::index_sequence_for<X...>{});
    };
    auto const value = [&](double t) {
        return static_cast<double>(std::apply([&](auto const&... a) { return xgrad::value_and_gradient(f, a...).value; }, at_distance(t)));
    };
    auto const slope = xgrad::jvp(f, at, along);
    static_assert(std::is_floating_point_v<std::remove_const_t<decltype(slope.tangent)>>);
    BOOST_TEST(slope.primal == value(0), boost::test_tools::tolerance(1e-13));
    close_to(name, double(slope.tangent), (value(h) - value(-h)) / (2 * h), 2e-8);
    auto const gradient = xgrad::gradient(f, x...);
    close_to(name, double(slope.tangent), double(xgrad::pairing(gradient, along)), 1e-12);
    if constexpr (Twice) {
        auto const twice = xgrad::hvp(f, at, along);
        auto const up = std::apply([&](auto const&... a) { return xgrad::gradient(f, a...); }, at_distance(h));
        auto const down = std::apply([&](auto const&... a) { return xgrad::gradient(f, a...); }, at_distance(-h));
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (close_to<X>(name, std::get<I>(twice.gradient), std::get<I>(gradient), 1e-12), ...);
            (close_to<X>(name, std::get<I>(twice.product), X((std::get<I>(up) - std::get<I>(down)) / (2 * h)), 1e-6), ...);
        }(std::index_sequence_for<X...>{});
    }
}

}  // namespace along_complex_directions
