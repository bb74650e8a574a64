// Arrays made of active numbers: stack(xtuple(a, b, ...)), and stack(v) of what a loop has put into a container.
#include <array>
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
