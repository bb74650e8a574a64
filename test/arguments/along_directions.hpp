// Defines agree and ARGUMENTS_BOTH_MODES: the gradient of arguments of any type, by every verb, against central differences along random directions.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/tangent/randn_tangent.hpp>
#include <xgrad/xgrad.hpp>

// A function's body once with an auto result and once with a declared one.
#define ARGUMENTS_BOTH_MODES(PARAMETERS, ...) \
    std::pair { [] PARAMETERS { __VA_ARGS__ }, [] PARAMETERS -> xgrad::real { __VA_ARGS__ } }

namespace arguments {

inline void close(char const* what, double found, double expected, double tolerance) {
    BOOST_CHECK_MESSAGE(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)), what << ": found " << found << ", expected " << expected);
}

// The derivative of plain along t, and that by the gradient g.
template <class P, class G, class T, class... X>
void compare(char const* verb, double times, P const& plain, G const& g, T const& t, X const&... x) {
    auto over = std::index_sequence_for<X...>{};
    double const h = 1e-6;
    auto moved = [&]<std::size_t... I>(double by, std::index_sequence<I...>) {
        return static_cast<double>(plain(xgrad::add_to_primal(x, xgrad::scale(by, std::get<I>(t)))...));
    };
    double const difference = (moved(h, over) - moved(-h, over)) / (2 * h);
    double const found = [&]<std::size_t... I>(std::index_sequence<I...>) { return (0.0 + ... + xgrad::pairing(std::get<I>(g), std::get<I>(t))); }(over);
    close(verb, found, times * difference, 1e-7);
}

template <class F, class P, class... X>
void agree(F const& f, P const& plain, X const&... x) {
    double const expected = static_cast<double>(plain(x...));
    close("value", xgrad::value(f, x...), expected, 1e-12);
    auto const once = xgrad::value_and_gradient(f, x...);
    close("value_and_gradient", once.value, expected, 1e-12);
    std::tuple<xgrad::tangent_type_t<X>...> added(xgrad::zero_tangent(x)...);
    for (int i = 0; i < 2; ++i) close("add_gradient", xgrad::add_gradient(added, f, x...), expected, 1e-12);
    auto prepared = xgrad::prepare_gradient(f, x...);
    prepared(x...);
    auto const& again = prepared(x...);
    close("prepare_gradient", again.value, expected, 1e-12);
    std::mt19937_64 rng(1);
    for (int i = 0; i < 3; ++i) {
        std::tuple<xgrad::tangent_type_t<X>...> const t{xgrad::randn_tangent(rng, x)...};
        compare("value_and_gradient", 1, plain, once.gradient, t, x...);
        compare("prepare_gradient", 1, plain, again.gradient, t, x...);
        compare("add_gradient", 2, plain, added, t, x...);
    }
}

template <class F, class G, class P, class... X>
void agree(std::pair<F, G> const& both, P const& plain, X const&... x) {
    {
        BOOST_TEST_CONTEXT("in default mode") agree(both.first, plain, x...);
    }
    {
        BOOST_TEST_CONTEXT("in scoped mode") agree(both.second, plain, x...);
    }
}

// add_gradient into g throws, says this, and leaves g as it was.
template <class G, class F, class... X>
void refuses(char const* sentence, G& g, F const& f, X const&... x) {
    BOOST_CHECK_EXCEPTION(xgrad::add_gradient(g, f, x...), std::invalid_argument, [&](std::invalid_argument const& e) {
        return std::string_view(e.what()).find(sentence) != std::string_view::npos || (BOOST_TEST_MESSAGE(e.what()), false);
    });
}

}
