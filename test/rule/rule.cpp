// Rules of one's own, called directly: their types, what they add to, that what they change is restored, and that arguments may alias.
#include "rules.hpp"

#include <boost/test/unit_test.hpp>

using namespace rules;

static_assert(xgrad::has_rrule<scaled, double, vector> && xgrad::has_frule<scaled, double, vector>);
static_assert(!xgrad::has_rrule<scaled, vector, double> && !xgrad::has_frule<scaled, vector, double>);
static_assert(!xgrad::has_rrule<scaled, double> && !xgrad::has_rrule<vector, double>);
static_assert(std::is_same_v<xgrad::rule_value_t<scaled, double, vector>, vector>);
// the pullback has a name, and holds what it needs and nothing else
static_assert(sizeof(xgrad::pullback_t<scaled, double, vector>) <= sizeof(double) + 2 * sizeof(void*));

// one line of partials is a rule in both directions, at compile time too
static_assert(xgrad::has_rrule<xgrad::op::times, double, double> && xgrad::has_frule<xgrad::op::tanh, float>);
static_assert(xgrad::rule<xgrad::op::times>::frule(xgrad::dual{2.0, 1.0}, xgrad::dual{3.0, 10.0}).tangent == 23.0);

BOOST_AUTO_TEST_CASE(forward_and_reverse_agree) {
    double a = 1.5;
    vector x{1, 2, 3}, dx{0.1, -0.2, 0.3}, ybar{1, -1, 2}, xbar{0, 0, 0};
    auto const y = xgrad::rule<scaled>::frule(xgrad::dual{a, 0.25}, xgrad::dual{x, dx});
    auto [value, pullback] = xgrad::rule<scaled>::rrule(xgrad::codual(a, xgrad::no_fdata{}), xgrad::codual(x, xbar));
    BOOST_TEST(value == y.primal);
    auto const [abar, none] = pullback(ybar);
    BOOST_TEST(xgrad::pairing(ybar, y.tangent) == abar * 0.25 + xgrad::pairing(xbar, dx), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(a_pullback_adds) {
    double a = 2.0;
    vector x{1, 2}, xbar{10, 20};
    auto r = xgrad::rule<scaled>::rrule(xgrad::codual(a, xgrad::no_fdata{}), xgrad::codual(x, xbar));
    r.pullback(vector{1, 1});
    BOOST_TEST(xbar == (vector{12, 22}));
}

// z *= y x; s = 2 z; return sum(z), with s of another size before
BOOST_AUTO_TEST_CASE(changed_arguments_are_restored) {
    vector const x0{1, 2, 3}, y0{4, 5, 6}, z0{1, 1, 2}, s0{7};
    vector x = x0, y = y0, z = z0, s = s0;
    vector xbar = xgrad::zero_tangent(x), ybar = xbar, zbar = xbar, sbar = xgrad::zero_tangent(s);
    auto [value, pullback] =
        xgrad::rule<multiply_in_place>::rrule(xgrad::codual(x, xbar), xgrad::codual(y, ybar), xgrad::codual(z, zbar), xgrad::codual(s, sbar));
    vector px = x0, py = y0, pz = z0, ps = s0;
    BOOST_TEST(value == multiply_in_place{}(px, py, pz, ps));
    BOOST_TEST((z == pz && s == ps && x == px && y == py));
    BOOST_TEST((sbar == vector{0, 0, 0}));
    // contributions to the changed arguments, from whatever used them afterwards
    zbar += 1.0;
    sbar += 0.5;
    pullback(1.0);
    BOOST_TEST((x == x0 && y == y0 && z == z0 && s == s0));
    // L = 3 sum(z0 x y): 1 by the value, 1 by z, 0.5 * 2 by s
    BOOST_TEST(zbar == vector(3.0 * x0 * y0));
    BOOST_TEST(xbar == vector(3.0 * z0 * y0));
    BOOST_TEST(ybar == vector(3.0 * z0 * x0));
    BOOST_TEST(sbar == (vector{0}));
}

BOOST_AUTO_TEST_CASE(a_changed_argument_may_alias_another) {
    vector const z0{1, 2, 3}, y0{4, 5, 6};
    vector y = y0, z = z0, s{0, 0, 0};
    vector ybar{0, 0, 0}, zbar{0, 0, 0}, sbar{0, 0, 0};
    auto [value, pullback] =
        xgrad::rule<multiply_in_place>::rrule(xgrad::codual(z, zbar), xgrad::codual(y, ybar), xgrad::codual(z, zbar), xgrad::codual(s, sbar));
    BOOST_TEST(value == 4.0 + 20.0 + 54.0);
    pullback(1.0);
    BOOST_TEST(z == z0);
    BOOST_TEST(zbar == vector(2.0 * z0 * y0));
    BOOST_TEST(ybar == vector(z0 * z0));
}
