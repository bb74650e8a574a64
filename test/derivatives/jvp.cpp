// jvp and derivative: along tangents of every kind, by gradients and by rules.
#include <cmath>
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
