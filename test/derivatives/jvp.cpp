// jvp and derivative: along tangents of every kind, by gradients and by rules.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "../rule/rules.hpp"

#include <boost/test/unit_test.hpp>

using namespace rules;
using boost::test_tools::tolerance;

namespace {

struct model {
    xt::xtensor<double, 1> weights;
    double offset;
    int epochs;
};
XGRAD_REFLECT(model, weights, offset, epochs)

}

BOOST_AUTO_TEST_CASE(along_tangents_of_structs_and_arrays) {
    model const m{{1, 2}, 0.5, 3};
    vector const x{0.3, -0.4};
    auto const f = [](auto const& p, auto const& a) { return sum(sin(p.weights * a)) * p.offset; };
    xgrad::tangent<model> dm{};
    dm.weights = vector{0.1, 0.2};
    dm.offset = -1.0;
    vector const dx{1.0, 0.5};
    auto const [y, dy] = xgrad::jvp(f, std::tuple(m, x), std::tuple(dm, dx));
    BOOST_TEST(y == (std::sin(0.3) + std::sin(-0.8)) * 0.5, tolerance(1e-14));
    double const h = 1e-6;
    auto const at = [&](double t) { return xgrad::value(f, xgrad::add_to_primal(m, xgrad::scale(t, dm)), vector(x + t * dx)); };
    BOOST_TEST(dy == (at(h) - at(-h)) / (2 * h), tolerance(1e-8));
    // a constant has no tangent
    auto const along_m = xgrad::jvp(f, std::tuple(m, xgrad::constant(x)), std::tuple(dm, xgrad::no_tangent{}));
    auto const along_x = xgrad::jvp(f, std::tuple(xgrad::constant(m), x), std::tuple(xgrad::no_tangent{}, dx));
    BOOST_TEST(along_m.tangent + along_x.tangent == dy, tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(by_a_forward_rule) {
    auto const r = xgrad::jvp(scaled{}, std::tuple(2.0, vector{1, 2}), std::tuple(1.0, vector{10, 20}));
    BOOST_TEST((r.primal == vector{2, 4}));
    BOOST_TEST((r.tangent == vector{21, 42}));
    // the same against the reverse rule: ⟨ybar, J dx⟩ = ⟨Jᵀ ybar, dx⟩
    vector x{1, 2}, xbar{0, 0};
    double a = 2.0;
    auto back = xgrad::rule<scaled>::rrule(xgrad::codual(a, xgrad::no_fdata{}), xgrad::codual(x, xbar));
    vector const ybar{3, -1};
    auto const abar = std::get<0>(back.pullback(ybar));
    BOOST_TEST(xgrad::pairing(ybar, r.tangent) == abar * 1.0 + xgrad::pairing(xbar, vector{10, 20}));
}

BOOST_AUTO_TEST_CASE(of_one_number) {
    BOOST_TEST(xgrad::derivative([](auto const& x) { return exp(x) * x; }, 2.0) == 3.0 * std::exp(2.0), tolerance(1e-14));
    BOOST_TEST(xgrad::derivative(xgrad::op::tanh{}, 0.5) == 1 - std::tanh(0.5) * std::tanh(0.5), tolerance(1e-14));
    BOOST_TEST(xgrad::derivative([](auto const& x) { return x * x; }, 3.0f) == 6.0f);
}

// What a function does not ask for does not spoil what it asks for: infinite slopes beside tangents that are 0.
template <class F>
void along_x_alone(char const* what, F f, double a, double b, double expected) {
    std::size_t const n = 11;
    vector const x(std::array<std::size_t, 1>{n}, a), y(std::array<std::size_t, 1>{n}, b), one(std::array<std::size_t, 1>{n}, 1.0), none = xt::zeros_like(x);
    BOOST_TEST(xgrad::jvp(f, std::tuple(a, b), std::tuple(1.0, 0.0)).tangent == expected, what);
    BOOST_TEST(xgrad::jvp([&](auto const& u, auto const& v) { return sum(f(u, v)); }, std::tuple(x, y), std::tuple(one, none)).tangent == expected * n, what);
    // one by one, several directions at once
    auto const all = xgrad::jacobian([&](auto const& u, auto const& v) { return f(u, v) * vector{1.0, 2.0, 4.0}; }, a, b);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(all(i, 0) == expected * std::pow(2.0, i), what);
}
#define ALONG_X(EXPECTED, A, B, ...) along_x_alone(#__VA_ARGS__, [](auto const& x, auto const& y) { return __VA_ARGS__; }, A, B, EXPECTED)
BOOST_AUTO_TEST_CASE(of_one_argument) {
    xt::xtensor<double, 1> const x{1.0, 2.0}, along{3.0, -1.0};
    auto const [y, ydot] = xgrad::jvp([](auto const& u) { return sum(u * u); }, x, along);
    BOOST_TEST((y == 5.0 && ydot == 2.0));
    BOOST_TEST(xgrad::jvp([](auto const& u) { return u * u; }, 3.0, 2.0).tangent == 12.0);
    auto const product = [](auto const& a, auto const& b) { return a * b; };
    BOOST_TEST(xgrad::jvp(product, xgrad::dual<double>(3.0, 1.0), xgrad::dual<double>(4.0, 0.5)).tangent == 5.5);
    auto const of_a_pair = [](auto const& p) { return p.first * p.second; };
    BOOST_TEST(xgrad::jvp(of_a_pair, std::tuple<std::pair<double, double>>({3.0, 4.0}), std::tuple<std::pair<double, double>>({1.0, 0.5})).tangent == 5.5);
    BOOST_CHECK_THROW((xgrad::jvp([](auto const& u) { return sum(u); }, x, xt::xtensor<double, 1>{1.0})), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(zero_tangents_beside_infinite_slopes) {
    double const inf = std::numeric_limits<double>::infinity();
    ALONG_X(12.0, -2.0, 3.0, pow(x, y));
    ALONG_X(0.0, 1.0, inf, hypot(x, y));
    ALONG_X(1.0, 1.0, 0.0, x + sqrt(y));
    ALONG_X(2.0, 1.0, 0.0, x * 2.0 + log(y) + pow(y, 0.5));
    ALONG_X(1.0, 1.0, 800.0, x - cbrt(y - 800.0));
    // of derivatives, too
    auto const slope = [](auto const& x, auto const& y) { return xgrad::derivative([&](auto const& t) { return t * t * x + sqrt(y); }, 3.0); };
    BOOST_TEST(xgrad::jvp(slope, std::tuple(1.0, 0.0), std::tuple(1.0, 0.0)).tangent == 6.0);
}

BOOST_AUTO_TEST_CASE(shapes_that_differ) {
    auto const f = [](auto const& x) { return sum(x); };
    BOOST_CHECK_THROW(xgrad::jvp(f, std::tuple(vector{1, 2}), std::tuple(vector{1, 2, 3})), std::invalid_argument);
}

// A function with a forward rule, called inside.
namespace {
struct doubled_product {
    template <class A, class B>
    auto operator()(A const& a, B const& b) const { return 2.0 * a * b; }
};
struct shifted_square {
    xt::xtensor<double, 1> operator()(xt::xtensor<double, 1> const& x) const { return x * x + 1.0; }
};
}
template <>
struct xgrad::rule<doubled_product> {
    static xgrad::dual<double> frule(xgrad::dual<double> const& a, xgrad::dual<double> const& b) {
        return {2 * a.primal * b.primal, 2 * (a.tangent * b.primal + a.primal * b.tangent)};
    }
};
template <>
struct xgrad::rule<shifted_square> {
    using array = xt::xtensor<double, 1>;
    static xgrad::dual<array> frule(xgrad::dual<array> const& x) { return {shifted_square{}(x.primal), 2.0 * x.primal * x.tangent}; }
};

BOOST_AUTO_TEST_CASE(forward_rules_are_called) {
    BOOST_CHECK_CLOSE(xgrad::derivative([](auto const& x) { return sin(xgrad::call(doubled_product{}, x, 3.0)) * x; }, 0.5),
                      std::sin(3.0) + .5 * 6 * std::cos(3.0), 1e-10);
    xt::xtensor<double, 1> const x = {1.0, 2.0, 3.0}, xdot = {1.0, 0.0, -1.0};
    auto const f = [](auto const& v) { return sum(xgrad::call(shifted_square{}, v) * v); };
    BOOST_CHECK_CLOSE(xgrad::jvp(f, std::tuple(x), std::tuple(xdot)).tangent, (3 * 1 + 1) - (3 * 9 + 1.0), 1e-10);
    auto const j = xgrad::jacobian<xgrad::direction::forward>([](auto const& v) { return xgrad::call(shifted_square{}, v * 2.0); }, x);
    BOOST_CHECK_CLOSE(j(1, 1), 16.0, 1e-10);
    BOOST_CHECK_THROW(xgrad::hvp(f, x, xdot), std::logic_error);
}
