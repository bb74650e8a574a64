// Derivatives inside derivatives: perturbations of different levels are never confused.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using xgrad::derivative;

namespace {
void check(double found, double expected) { BOOST_CHECK_CLOSE_FRACTION(found, expected, 1e-12); }
}

// The examples by which Siskind and Pearlmutter show confusion ("Nesting forward-mode AD in a functional framework", 2008).
BOOST_AUTO_TEST_CASE(perturbations_are_not_confused) {
    check(derivative([](auto const& x) { return x * derivative([&](auto const& y) { return x + y; }, 1.0); }, 1.0), 1);
    check(derivative([](auto const& x) { return x * derivative([&](auto const& y) { return x * y; }, 2.0); }, 3.0), 6);
    check(derivative(
              [](auto const& x) {
                  return derivative([&](auto const& y) { return derivative([&](auto const& z) { return x * y * y * z * z * z; }, 2.0); }, 3.0) * x;
              },
              5.0),
          2 * 5 * 6 * 12);
    // the inner derivative is taken where the outer variable is
    check(derivative([](auto const& x) { return derivative([&](auto const& y) { return sin(x * y); }, x); }, 0.7), std::cos(.49) - .49 * 2 * std::sin(.49));
}

BOOST_AUTO_TEST_CASE(higher_orders) {
    auto const f = [](auto const& x) { return exp(2.0 * x) * x; };
    auto const d1 = [&](auto const& x) { return derivative(f, x); };
    auto const d2 = [&](auto const& x) { return derivative(d1, x); };
    auto const d3 = [&](auto const& x) { return derivative(d2, x); };
    double const e = std::exp(1.0);
    check(d1(.5), e * (1 + 2 * .5));
    check(d2(.5), e * (4 + 4 * .5));
    check(d3(.5), e * (12 + 8 * .5));
    check(xgrad::hessian(f, .5), e * (4 + 4 * .5));
}

// Arrays, and values that a function names, inside of both.
BOOST_AUTO_TEST_CASE(with_arrays) {
    xt::xtensor<double, 1> const k = {1.0, 2.0, 3.0};
    check(derivative([&](auto const& x) {
        auto const outer = x * x;
        return derivative([&](auto const& y) {
            auto h = y * k * outer;
            auto s = sum(h * h);
            return s * x;
        }, 2.0) * outer;
    }, 1.5), 14 * 2 * 2 * 7 * std::pow(1.5, 6));
}

// Forward mode inside a function that the reverse mode differentiates: of plain values it is a constant; anything else is refused.
BOOST_AUTO_TEST_CASE(inside_of_the_reverse_mode) {
    auto const [g] = xgrad::gradient([](auto const& x) { return x * derivative([](auto const& y) { return y * y; }, 3.0); }, 2.0);
    check(g, 6);
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return x * derivative([&](auto const& y) { return x * y; }, 3.0); }, 2.0), std::logic_error);
    BOOST_CHECK_THROW(xgrad::hvp([](auto const& x) { return x * derivative([&](auto const& y) { return x * y; }, 3.0); }, 2.0, 1.0), std::logic_error);
    // and so is the reverse mode inside of the forward mode, where it would lose the outer tangent; a value of duals has it
    check(derivative([](auto const& x) { return x * xgrad::value([&](auto const& y) { return x * y; }, 3.0); }, 2.0), 12);
    BOOST_CHECK_THROW(derivative([](auto const& x) { return x * std::get<0>(xgrad::gradient([&](auto const& y) { return x * y; }, 3.0)); }, 2.0),
                      std::logic_error);
    // after that everything works as before
    check(derivative([](auto const& x) { return x * x; }, 2.0), 4);
}
