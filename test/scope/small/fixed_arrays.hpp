// Defines as_of_any_shape, and three small arrays of fixed shape: what is computed with them has the gradient that it has with arrays of any shape.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../count_allocations.hpp"

using xgrad::variable;

namespace {

using fixed_matrix = xt::xtensor_fixed<double, xt::xshape<3, 3>>;
using fixed_vector = xt::xtensor_fixed<double, xt::xshape<3>>;
using fixed_column = xt::xtensor_fixed<double, xt::xshape<3, 1>>;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

fixed_matrix const A{{2.0, 0.5, -0.25}, {0.125, 1.5, 0.75}, {-1.0, 0.25, 3.0}};
fixed_vector const v{0.5, -1.5, 2.0};
fixed_column const c{{1.0}, {-2.0}, {0.25}};

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-13 * (1 + std::abs(b)); }
template <class F, class G>
void same_elements(char const* what, F const& found, G const& expected) {
    BOOST_REQUIRE_EQUAL(found.size(), expected.size());
    auto e = expected.begin();
    for (double x : found) {
        BOOST_CHECK_MESSAGE(same(x, *e), what << ": found " << x << ", expected " << *e);
        ++e;
    }
}
template <class F, class G>
void as_of_any_shape(F const& automatic, G const& declared, bool takes_nothing = true) {
    auto const expected = xgrad::value_and_gradient(automatic, matrix(A), vector(v), matrix(c));
    auto check = [&](char const* what, double value, auto const& g) {
        BOOST_CHECK_MESSAGE(same(value, expected.value), what << ": found " << value << ", expected " << expected.value);
        same_elements(what, std::get<0>(g), std::get<0>(expected.gradient));
        same_elements(what, std::get<1>(g), std::get<1>(expected.gradient));
        same_elements(what, std::get<2>(g), std::get<2>(expected.gradient));
    };
    auto prepared = [&](char const* what, auto const& f) {
        auto g = xgrad::prepare_gradient(f, A, v, c);
        g(A, v, c);
        std::size_t const before = allocations;
        auto const& again = g(A, v, c);
        if (takes_nothing) BOOST_CHECK_EQUAL(allocations - before, 0u);
        check(what, again.value, again.gradient);
    };
    prepared("prepared, declared", declared);
#ifndef XGRAD_UNCHECKED_SCOPES  // which says nothing of other results
    prepared("prepared", automatic);
    std::tuple<fixed_matrix, fixed_vector, fixed_column> twice(xgrad::zero_tangent(A), xgrad::zero_tangent(v), xgrad::zero_tangent(c));
    double value = 0;
    for (int i = 0; i < 2; ++i) value = xgrad::add_gradient(twice, automatic, A, v, c);
    check("added twice", value,
          std::tuple(fixed_matrix(std::get<0>(twice) / 2.0), fixed_vector(std::get<1>(twice) / 2.0), fixed_column(std::get<2>(twice) / 2.0)));
#endif
}

}

// A body once with an auto result and once with a declared one.
#define IN_BOTH_MODES(...) \
    [=](auto const& a, auto const& b, auto const& d) { \
        (void)a, (void)b, (void)d; \
        __VA_ARGS__ \
    }, \
        [=](auto const& a, auto const& b, auto const& d) -> xgrad::real { \
            (void)a, (void)b, (void)d; \
            __VA_ARGS__ \
        }
#define BOTH(...) as_of_any_shape(IN_BOTH_MODES(__VA_ARGS__))
