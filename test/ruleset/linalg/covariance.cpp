// cov, corrcoef, cross, cond and other functions of few lines: values by hand, plain and active, of each kind of array; derivatives of both modes and orders
// against differences.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include <xgrad/check_rule.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const x{{1.0, 2.0, 4.0}, {0.5, -1.0, 3.0}}, y{{0.3, -0.7, 1.1}, {2.0, 0.4, -0.6}};
vector const none = vector::from_shape({0});
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void good(xgrad::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }

}

BOOST_AUTO_TEST_CASE(covariances) {
    matrix const c = xgrad::cov(x);
    BOOST_TEST(xt::allclose(c, matrix{{7.0 / 3, 7.0 / 3}, {7.0 / 3, 49.0 / 12}}));
    BOOST_TEST(xt::allclose(xgrad::cov(xt::xarray<double>(x), 0), c * (2.0 / 3)));
    BOOST_TEST(xt::allclose(xgrad::corrcoef(x), matrix{{1.0, std::sqrt(4.0 / 7)}, {std::sqrt(4.0 / 7), 1.0}}));
    auto const f = [](auto const& a) { return sum(xgrad::cov(a) * xgrad::corrcoef(a)) + sum(xgrad::cov(a * a, 0)); };
    good(xgrad::check_rule(f, x));
    BOOST_TEST(xgrad::value(f, xt::xarray<double>(x)) == xgrad::value(f, x), boost::test_tools::tolerance(1e-14));
    BOOST_CHECK_THROW(xgrad::cov(matrix{{1.0}}), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(cross_products) {
    BOOST_TEST((xgrad::cross(vector{1.0, 0.0, 0.0}, vector{0.0, 1.0, 0.0}) == vector{0.0, 0.0, 1.0}));
    auto const f = [](auto const& a, auto const& b) { return sum(xgrad::cross(a, b) * a * b) + sum(xgrad::cross(a * a, x)); };
    good(xgrad::check_rule(f, x, y));
    BOOST_CHECK_THROW(xgrad::cross(vector{1.0, 0.0}, vector{1.0, 0.0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::cross(x, vector{1.0, 0.0, 0.0}), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(axes_in_braces) {
    BOOST_TEST(xt::allclose(xgrad::tensordot(x, y, {1}, {1}), xgrad::dot(x, matrix(xt::transpose(y)))));
    good(xgrad::check_rule([](auto const& a, auto const& b) { return sum(xgrad::tensordot(a, b, {-1}, {1})); }, x, y));
}
#ifdef HAVE_CBLAS
BOOST_AUTO_TEST_CASE(condition_and_rank) {
    matrix const d{{3.0, 0.0}, {0.0, -0.5}, {0.0, 0.0}}, one{{1.0, 2.0}, {2.0, 4.0}};
    BOOST_TEST(xgrad::cond(d) == 6.0, boost::test_tools::tolerance(1e-14));
    good(xgrad::check_rule([](auto const& a) { return xgrad::cond(a); }, x));
    BOOST_TEST(xgrad::matrix_rank(d) == 2u);
    BOOST_TEST(xgrad::matrix_rank(one) == 1u);
    BOOST_TEST(xgrad::matrix_rank(d, 0.5) == 1u);
    BOOST_TEST(xgrad::value([](auto const& a) { return sum(a) * static_cast<double>(xgrad::matrix_rank(a)); }, one) == 9.0);
}
#endif
BOOST_AUTO_TEST_CASE(running_extremes) {
    matrix const m{{1.0, 3.0, 2.0, 4.0}, {-1.0, -2.0, -2.0, 0.5}};
    BOOST_TEST((xgrad::cummax(m, 1) == matrix{{1.0, 3.0, 3.0, 4.0}, {-1.0, -1.0, -1.0, 0.5}}));
    BOOST_TEST((xgrad::cummin(m, 0) == matrix{{1.0, 3.0, 2.0, 4.0}, {-1.0, -2.0, -2.0, 0.5}}));
    good(xgrad::check_rule([](auto const& a) { return sum(xgrad::cummax(a, 1) * xgrad::cummax(a * a, 0)) + sum(xgrad::cummin(a) * a); }, x));
    // the first of equal ones, and a NaN from where it stands
    auto const [g] = xgrad::gradient([](auto const& a) { return sum(cummin(a) * vector{1.0, 2.0, 4.0}); }, vector{2.0, 1.0, 1.0});
    BOOST_TEST((g == vector{1.0, 6.0, 0.0}));
    vector const n = xgrad::cummax(vector{2.0, not_a_number, 3.0});
    BOOST_TEST((n(0) == 2.0 && std::isnan(n(1)) && std::isnan(n(2))));
    BOOST_TEST(xgrad::cummax(none).size() == 0u);
}
BOOST_AUTO_TEST_CASE(several_quantiles) {
    matrix const m{{3.0, 1.0, 2.0}, {0.5, -1.0, 4.0}};
    auto const f = [](auto const& a) { return sum(xgrad::quantile(a, {0.25, 0.6}) * xt::xtensor<double, 1>{2.0, 3.0}); };
    auto const g = [](auto const& a) { return 2.0 * quantile(a, 0.25) + 3.0 * quantile(a, 0.6); };
    BOOST_TEST(xgrad::value(f, m) == xgrad::value(g, m));
    BOOST_TEST((std::get<0>(xgrad::gradient(f, m)) == std::get<0>(xgrad::gradient(g, m))));
    auto const along = [](auto const& a) { return sum(xgrad::quantile(a, {0, 1}, 1) * matrix{{1.0, 2.0}, {3.0, 4.0}}); };
    BOOST_TEST((std::get<0>(xgrad::gradient(along, m)) == matrix{{3.0, 1.0, 0.0}, {0.0, 2.0, 4.0}}));
    BOOST_TEST((xgrad::quantile(m, {0.0, 1.0}) == xt::xtensor<double, 1>{-1.0, 4.0}));
    BOOST_TEST((xgrad::quantile(m, {0.0, 1.0}, 1) == matrix{{1.0, -1.0}, {3.0, 4.0}}));
    BOOST_CHECK_THROW(xgrad::value([](auto const& a) { return sum(quantile(a, {0.5, 1.5})); }, m), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(quantiles) {
    BOOST_TEST(xgrad::quantile(x, 0.3) == 0.75);
    BOOST_TEST(xt::allclose(xgrad::quantile(x, 0.3, 1), vector{1.6, -0.1}));
    BOOST_TEST(xgrad::quantile(vector{5.0}, 1.0) == 5.0);
    BOOST_TEST(xgrad::quantile(vector{1.0, std::numeric_limits<double>::infinity()}, 0.0) == 1.0);
    BOOST_TEST(std::isnan(xgrad::quantile(vector{1.0, not_a_number, 0.0}, 0.5)));
    good(xgrad::check_rule([](auto const& a) { return xgrad::quantile(a * a, 0.3) + sum(xgrad::quantile(a, 0.8, 1) * xgrad::quantile(a, 0.25, 1)); }, x));
    BOOST_CHECK_THROW(xgrad::quantile(x, 1.5), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::quantile(none, 0.5), std::invalid_argument);
}
