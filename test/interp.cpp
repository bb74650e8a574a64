// interp(x, xp, fp): NumPy's values, plain, active and mixed; derivatives of both modes and orders against differences; the ends, points that stand twice, NaN.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/check_rule.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const xp{-1.0, 0.5, 1.0, 4.0}, fp{2.0, -1.0, 3.0, 0.5};
void good(xgrad::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }

}

BOOST_AUTO_TEST_CASE(values) {
    // NumPy's
    vector const x{-3.0, -1.0, -0.25, 0.5, 0.75, 2.0, 4.0, 9.0}, expected{2.0, 2.0, 0.5, -1.0, 1.0, 13.0 / 6, 0.5, 0.5};
    BOOST_TEST(xt::allclose(xgrad::interp(x, xp, fp), expected));
    vector active_x, active_f;
    xgrad::value([&](auto const& a) { active_x = xgrad::primal(interp(a, xp, fp)); return sum(a); }, x);
    xgrad::value([&](auto const& f) { active_f = xgrad::primal(interp(x, xp, f)); return sum(f); }, fp);
    BOOST_TEST(xt::allclose(active_x, expected));
    BOOST_TEST(xt::allclose(active_f, expected));
    for (std::size_t k = 0; k < x.size(); ++k) {
        BOOST_TEST(xgrad::value([&](auto const& a) { return interp(a, xp, fp); }, x(k)) == expected(k), boost::test_tools::tolerance(1e-14));
        BOOST_TEST(xgrad::interp(x(k), xp, fp) == expected(k), boost::test_tools::tolerance(1e-14));
        BOOST_TEST(xgrad::value([&](auto const& f) { return interp(x(k), xp, f); }, fp) == expected(k), boost::test_tools::tolerance(1e-14));
    }
    double const inf = std::numeric_limits<double>::infinity();
    BOOST_TEST(xgrad::value([](auto const& a) { return sum(interp(a, xp, fp)); }, vector{-inf, inf}) == 2.5);
    BOOST_TEST(std::isnan(xgrad::value([](auto const& a) { return interp(a, xp, fp); }, std::nan(""))));
    // one point; a step
    BOOST_TEST(xgrad::value([](auto const& a) { return sum(interp(a, vector{1.0}, vector{7.0})); }, vector{0.0, 1.0, 2.0}) == 21.0);
    vector const twice{0.0, 1.0, 1.0, 2.0}, step{0.0, 0.0, 5.0, 5.0};
    BOOST_TEST(xgrad::value([&](auto const& a) { return sum(interp(a, twice, step)); }, vector{0.5, 1.0, 1.5}) == 10.0);
}
BOOST_AUTO_TEST_CASE(derivatives) {
    matrix const x{{-3.0, -0.25}, {0.75, 1.9}, {3.5, 9.0}};
    good(xgrad::check_rule([](auto const& a, auto const& f) { return xgrad::sum(xgrad::square(xgrad::interp(a, xp, f)) * a); }, x, fp));
    good(xgrad::check_rule([](auto const& a) { return xgrad::sum(xgrad::square(xgrad::interp(a * a, xp, fp))); }, x));
    good(xgrad::check_rule([](auto const& a, auto const& f) { return xgrad::square(xgrad::interp(a, xp, f)) * a; }, 0.7, fp));
    good(xgrad::check_rule([&](auto const& f) { return xgrad::sum(xgrad::square(xgrad::interp(x, xp, f))) + xgrad::interp(2.5, xp, f); }, fp));
    // at the points: the slope to the right, at the last one that to the left
    BOOST_TEST(xt::allclose(std::get<0>(xgrad::gradient([](auto const& a) { return sum(interp(a, xp, fp)); }, vector{-2.0, -1.0, 0.5, 1.0, 4.0, 5.0})),
                            vector{0.0, -2.0, 8.0, -2.5 / 3, -2.5 / 3, 0.0}));
    xt::xarray<double> const dynamic = x;
    xt::xtensor<float, 1> const few{0.75f};
    BOOST_TEST(xt::allclose(std::get<0>(xgrad::gradient([](auto const& a) { return sum(interp(a, xp, fp)); }, dynamic)),
                            std::get<0>(xgrad::gradient([](auto const& a) { return sum(interp(a, xp, fp)); }, x))));
    xt::xtensor<float, 1> const points = xp, values = fp;
    BOOST_TEST(std::get<0>(xgrad::gradient([&](auto const& a) { return sum(interp(a, points, values)); }, few))(0) == 8.0f);
}
BOOST_AUTO_TEST_CASE(bad_input) {
    auto const at = [](vector const& grid, vector const& f) {
        return [=] { xgrad::gradient([&](auto const& a) { return sum(interp(a, grid, f)); }, vector{1.0}); };
    };
    BOOST_CHECK_THROW(at({0.0, 1.0}, {0.0})(), std::invalid_argument);
    BOOST_CHECK_THROW(at({1.0, 0.0}, {0.0, 1.0})(), std::invalid_argument);
    BOOST_CHECK_THROW(at(vector::from_shape({0}), vector::from_shape({0}))(), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::interp(0.5, vector{0.0, 1.0}, vector{0.0}), std::invalid_argument);
}
