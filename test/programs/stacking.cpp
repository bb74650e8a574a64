// Arrays made of active numbers: stack(xtuple(a, b, ...)), and stack(v) of what a loop has put into a container.
#include <array>
#include <stdexcept>
#include <vector>

#include "against_differences.hpp"

using namespace programs;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

auto const polar = [](auto const& x) { return stack(xt::xtuple(x(0) * cos(x(1)), x(0) * sin(x(1)), 1.0, x(1))); };
double cubes(vector const& p) { return xt::sum(p * p * p)(); }
}

BOOST_AUTO_TEST_CASE(some_numbers) {
    agree(XGRAD_BOTH_MODES((auto const& x), auto p = polar(x); return sum(p * p * p);),
          [](vector const& x) { return cubes({x(0) * std::cos(x(1)), x(0) * std::sin(x(1)), 1.0, x(1)}); }, vector{0.5, 0.7});
    agree(XGRAD_BOTH_MODES((auto const& a, auto const& b), auto c = a * b; return sum(exp(stack(xt::xtuple(c, a, c)))) + c;),
          [](double a, double b) { return 2 * std::exp(a * b) + std::exp(a) + a * b; }, 0.3, 0.8);
    agree([](auto const& x) { return sum(square(stack(xt::xtuple(stack(xt::xtuple(x(0), x(1))), x * x), 1))); },
          [](vector const& x) { return x(0) * x(0) + x(1) * x(1) + std::pow(x(0), 4) + std::pow(x(1), 4); }, vector{0.5, 0.7});
    vector const x{0.5, 0.7};
    auto const j = xgrad::jacobian(polar, x);
    BOOST_CHECK(xt::allclose(j, matrix{{std::cos(0.7), -0.5 * std::sin(0.7)}, {std::sin(0.7), 0.5 * std::cos(0.7)}, {0.0, 0.0}, {0.0, 1.0}}));
    auto const h = xgrad::hessian([](auto const& v) { return sum(exp(stack(xt::xtuple(v(0) * v(1), v(1))))); }, x);
    double const e = std::exp(0.35);
    BOOST_CHECK(xt::allclose(h, matrix{{0.49 * e, e * 1.35}, {e * 1.35, 0.25 * e + std::exp(0.7)}}));
}

// Expressions of numbers go straight into the line: what is not used sends nothing back, and names are shared.
BOOST_AUTO_TEST_CASE(numbers_in_a_line) {
    auto const slope = [](auto const& u, auto const& p) {
        return stack(xt::xtuple(p * (u(1) - u(0)), u(0) * (28.0 - u(2)) - u(1), u(0) * u(1) - 2 * u(2)));
    };
    auto const euler = [&](auto const& s, auto const& p) {
        if constexpr (xgrad::active<decltype(s)>) {
            xgrad::variable u = s;
            for (int i = 0; i < 3; ++i) u += 0.01 * slope(u, p);
            return sum(u * u);
        } else {
            vector u = s;
            for (int i = 0; i < 3; ++i) u += 0.01 * vector{p * (u(1) - u(0)), u(0) * (28.0 - u(2)) - u(1), u(0) * u(1) - 2 * u(2)};
            return double(xt::sum(u * u)());
        }
    };
    agree(euler, euler, vector{1.0, 2.0, 20.0}, 10.0);
    vector const zero{0.0, 4.0};
    auto const g = std::get<0>(xgrad::gradient([](auto const& x) { auto y = stack(xt::xtuple(sqrt(x(0)), sqrt(x(1)))); return y(1); }, zero));
    BOOST_TEST(g == (vector{0.0, 0.25}));
    auto const shared = [](auto const& x) {
        auto a = x(0) * x(1);
        auto y = stack(xt::xtuple(a, a * a, 1.0 * a), 0);
        return sum(y * y);
    };
    vector const h = std::get<0>(xgrad::gradient(shared, vector{0.5, 0.7}));
    double const a = 0.35, d = 4 * a + 4 * a * a * a;
    BOOST_CHECK(xt::allclose(h, vector{0.7 * d, 0.5 * d}));
    xt::xtensor<float, 1> const f{0.5f, 0.25f};
    BOOST_TEST(std::get<0>(xgrad::gradient([](auto const& x) { return sum(square(stack(xt::xtuple(x(0), 2 * x(1), 1)))); }, f)) ==
               (xt::xtensor<float, 1>{1.0f, 2.0f}));
    BOOST_CHECK_THROW(xgrad::gradient([](auto const& x) { return sum(stack(xt::xtuple(x(0), x(1)), 1)); }, zero), std::invalid_argument);
    auto [y, pull] = xgrad::vjp([&](auto const& u) { return slope(u, 10.0); }, vector{1.0, 2.0, 20.0});
    vector const first = std::get<0>(pull(vector{1.0, 0.0, 0.5})), again = std::get<0>(pull(vector{1.0, 0.0, 0.5}));
    BOOST_CHECK(xt::allclose(first, vector{-10.0 + 0.5 * 2.0, 10.0 + 0.5 * 1.0, -1.0}));
    BOOST_CHECK(first == again);
}

BOOST_AUTO_TEST_CASE(what_a_loop_computes) {
    agree(
        [](auto const& x) {
            std::vector<xgrad::variable<double>> v{x(0)};
            for (int i = 0; i < 4; ++i) v.push_back(v.back() * x(1) + 0.1);
            auto y = stack(v);
            return sum(y * y * y) + y(2);
        },
        [](vector const& x) {
            double s = 0, y = x(0);
            for (int i = 0; i < 5; ++i, y = y * x(1) + 0.1) s += y * y * y + (i == 2 ? y : 0);
            return s;
        },
        vector{0.5, 0.7});
    // rows of a matrix
    agree(
        [](auto const& x) {
            std::vector v{xgrad::variable(x)};
            for (int i = 0; i < 2; ++i) v.push_back(v.back() * x + 0.1);
            return sum(sum(stack(v), {1}) * vector{1.0, 2.0, 3.0});
        },
        [](vector const& x) {
            double s = 0;
            for (double e : x) s += e + 2 * (e * e + 0.1) + 3 * ((e * e + 0.1) * e + 0.1);
            return s;
        },
        vector{0.5, 0.7, -0.3});
    // of an argument, and of an array of variables
    agree(
        [](auto const& v) {
            auto y = stack(v);
            return sum(y * y * y);
        },
        [](std::vector<double> const& v) {
            double s = 0;
            for (double e : v) s += e * e * e;
            return s;
        },
        std::vector<double>{0.5, 1.5, -1.0});
    agree([](auto const& a) { return sum(exp(stack(std::array{xgrad::variable(a * 2.0), xgrad::variable(a)}))); },
          [](double a) { return std::exp(2 * a) + std::exp(a); }, 0.4);
    // second derivatives and pullbacks
    auto const f = [](auto const& x) { std::vector v{xgrad::variable(x(0) * x(1)), xgrad::variable(x(1) * x(1))}; return stack(v); };
    vector const x{0.5, 0.7};
    auto [y, pullback] = xgrad::vjp(f, x);
    BOOST_CHECK(xt::allclose(y, vector{0.35, 0.49}));
    for (int i = 0; i < 2; ++i) BOOST_CHECK(xt::allclose(std::get<0>(pullback(vector{1.0, 10.0})), vector{0.7, 14.5}));
    BOOST_CHECK(xt::allclose(xgrad::jacobian<xgrad::direction::forward>(f, x), matrix{{0.7, 0.5}, {0.0, 1.4}}));
    BOOST_CHECK(xt::allclose(xgrad::jacobian<xgrad::direction::reverse>(f, x), matrix{{0.7, 0.5}, {0.0, 1.4}}));
}

BOOST_AUTO_TEST_CASE(refused) {
    vector const x{0.5, 0.7};
    BOOST_CHECK_THROW(xgrad::value([](auto const& u) { std::vector<xgrad::variable<double>> v; return sum(stack(v)) * u(0); }, x), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value(
                          [](auto const& u) {
                              std::vector v{xgrad::variable(u), xgrad::variable(view(u, xt::range(0, 1)) * 1.0)};
                              return sum(stack(v));
                          },
                          x),
                      std::invalid_argument);
}
