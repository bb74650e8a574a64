// Defines bend(f, x, along), what hvp is compared with: a difference of gradients, which compiles faster than second derivatives of a program by hand.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

// The derivative of the gradient of f at x, a number or an array, along a direction: its error is of the order of 1e-10.
template <class F, class X>
X bend(F const& f, X const& x, X const& along) {
    constexpr double h = 1e-5;
    auto const gradient_at = [&](double t) -> X { return std::get<0>(xgrad::value_and_gradient(f, X(x + t * along)).gradient); };
    return X((gradient_at(h) - gradient_at(-h)) / (2 * h));
}

// Whether product is the Hessian's with along.
template <class X, class F>
void bends(X const& product, F const& f, X const& x, X const& along) {
    X const expected = bend(f, x, along);
    if constexpr (std::is_arithmetic_v<X>) BOOST_TEST(std::abs(product - expected) < 1e-7 * (1 + std::abs(expected)));
    else {
        BOOST_TEST(product.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::abs(product.flat(i) - expected.flat(i)) < 1e-7 * (1 + std::abs(expected.flat(i))));
    }
}
