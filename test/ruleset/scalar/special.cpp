// The error functions and the gamma functions.
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>

#include <xgrad/special.hpp>

#include "rows.hpp"

using namespace rows;

namespace {

wide digamma(wide x) { return xgrad::detail::gamma_derivatives<wide>::digamma(x); }
wide polygamma(int n, wide x) { return xgrad::detail::gamma_derivatives<wide>::polygamma(n, x); }

namespace bm = boost::math;
wide normal_cdf(wide x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }
wide normal_quantile(wide p) { return -std::sqrt(2.0L) * bm::erfc_inv(2 * p); }
wide erfinv(wide x) { return bm::erf_inv(x); }
// With its parameters in front.
#define ROW_OF_PARAMETERS(NAME, FROM, TO, OPTIONS, ...)                                                                                           \
    ROW_BY(NAME, [](auto const& x) { return xgrad::NAME(__VA_ARGS__, x); }, [](auto x) { return bm::NAME(__VA_ARGS__, static_cast<wide>(x)); }, \
           box<1>{{{FROM, TO}}}, {}, OPTIONS)

}

BOOST_AUTO_TEST_CASE(normal_distribution) {
    how const cdf{.ulps = 40, .special = false};
    ROW_OF_OURS(normal_cdf, normal_cdf(static_cast<wide>(x)), -5, 5, {{{-infinity}, {0}}, {{infinity}, {0}}}, cdf);
    ROW_OF_OURS(normal_cdf, normal_cdf(static_cast<wide>(x)), -12, -4, {}, cdf);
    ROW_OF_OURS(normal_log_cdf, std::log(normal_cdf(static_cast<wide>(x))), -12, 0, {{{-1e8}, {1e8}}, {{infinity}, {0}}}, cdf);
    ROW_OF_OURS(normal_log_cdf, std::log(normal_cdf(static_cast<wide>(x))), -80, -25, {{{-1e8}, {1e8}}}, cdf);
    ROW_OF_OURS(normal_quantile, normal_quantile(static_cast<wide>(x)), 0.01, 0.99, {{{0}, {infinity}}, {{1}, {infinity}}, {{2}, {not_a_number}}},
                (how{.near_zero = 2, .special = false, .tolerance = 1e-7}));
    ROW_OF_OURS(erfinv, erfinv(static_cast<wide>(x)), -0.99, 0.99, {{{1}, {infinity}}, {{2}, {not_a_number}}}, (how{.special = false, .tolerance = 1e-7}));
    BOOST_TEST(xgrad::normal_quantile(0.0) == -infinity);
    BOOST_TEST(xgrad::erfinv(1.0) == infinity);
    BOOST_TEST(xgrad::op::inverse_mills{}(0.0) == 0.79788456080286541, boost::test_tools::tolerance(1e-15));
}
BOOST_AUTO_TEST_CASE(of_neural_networks) {
    ROW_OF_OURS(relu, x > 0 ? x : x == x ? 0 : x, 0.1, 3, {{{0}, {0}}, {{-2}, {0}}, {{infinity}, {1}}, {{not_a_number}, {not_a_number}}},
                (how{.special = false}));
    ROW_OF_OURS(silu, x / (1 + std::exp(-static_cast<wide>(x))), -9, 9, {{{0}, {0.5}}, {{-infinity}, {0}}, {{infinity}, {1}}}, (how{.special = false}));
    ROW_OF_OURS(gelu, x * normal_cdf(static_cast<wide>(x)), -4, 5, {{{0}, {0.5}}, {{-infinity}, {0}}, {{infinity}, {1}}}, (how{.ulps = 40, .special = false}));
    BOOST_TEST(xgrad::softplus(800.0) == 800.0);
    BOOST_TEST(xgrad::derivative([](auto const& x) { return softplus(x); }, 0.0) == 0.5);
    // second derivatives where a factor is 0
    auto const twice = [](auto f) { return xgrad::derivative([&](auto const& x) { return xgrad::derivative(f, x); }, 0.0); };
    BOOST_TEST(twice([](auto const& x) { return silu(x); }) == 0.5, boost::test_tools::tolerance(1e-15));
    BOOST_TEST(twice([](auto const& x) { return gelu(x); }) == 0.79788456080286541, boost::test_tools::tolerance(1e-15));
}
BOOST_AUTO_TEST_CASE(far_tails) {
    // what is rounded off squares counts there: one number, and many
    xt::xtensor<double, 1> const x = xt::arange(-37.4, -4.0, 0.37);
    auto const [y, pull_y] = xgrad::vjp([](auto const& a) { return normal_cdf(a); }, x);
    auto const [z, pull_z] = xgrad::vjp([](auto const& a) { return erfc(-0.7 * a); }, x);
    xt::xtensor<double, 1> const bar = std::get<0>(xgrad::gradient([](auto const& a) { return sum(normal_log_cdf(a)); }, x));
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto near = [](double found, wide right) { return std::abs(static_cast<double>(found / right - 1)) < 1.5e-15; };
        wide const w = x(i), density = std::exp(-0.5L * w * w) / std::sqrt(2 * std::numbers::pi_v<wide>);
        BOOST_TEST((near(y(i), normal_cdf(w)) && near(xgrad::normal_cdf(x(i)), normal_cdf(w))), "normal_cdf at " << x(i));
        BOOST_TEST(near(z(i), std::erfc(static_cast<wide>(-0.7 * x(i)))), "erfc at " << -0.7 * x(i));
        BOOST_TEST((near(bar(i), density / normal_cdf(w)) && near(xgrad::derivative([](auto const& a) { return normal_log_cdf(a); }, x(i)), bar(i))),
                   "the derivative of normal_log_cdf at " << x(i));
    }
}
BOOST_AUTO_TEST_CASE(bessel_functions) {
    how const near{.ulps = 16, .near_zero = 16, .special = false, .tolerance = 1e-7};
    ROW_OF_PARAMETERS(cyl_bessel_j, 0.1, 9, near, 0);
    ROW_OF_PARAMETERS(cyl_bessel_j, -9, 9, near, 1);
    ROW_OF_PARAMETERS(cyl_neumann, 0.5, 9, near, 1);
    ROW_OF_PARAMETERS(cyl_bessel_i, -4, 4, near, 0);
    ROW_OF_PARAMETERS(cyl_bessel_k, 0.5, 9, near, 1.5L);
    for (auto const& [slope, value] : {std::pair(xgrad::derivative([](auto const& x) { return cyl_bessel_j(1, x); }, 0.0), 0.5),
                                      std::pair(xgrad::derivative([](auto const& x) { return cyl_bessel_j(0, x); }, 0.0), 0.0),
                                      std::pair(xgrad::derivative([](auto const& x) { return cyl_bessel_i(1, x); }, 0.0), 0.5)})
        BOOST_TEST(slope == value);
    BOOST_TEST(std::isnan(xgrad::cyl_bessel_j(0, not_a_number)));
    BOOST_TEST(std::isnan(xgrad::cyl_neumann(0, -1.0)));
}
BOOST_AUTO_TEST_CASE(incomplete_functions) {
    how const near{.ulps = 32, .near_zero = 4, .special = false, .tolerance = 1e-7};
    ROW_OF_PARAMETERS(gamma_p, 0.2, 9, near, 2.5);
    ROW_OF_PARAMETERS(gamma_p, 0.5, 9, near, 0.5);
    ROW_OF_PARAMETERS(gamma_q, 0.2, 9, near, 3);
    ROW_OF_PARAMETERS(ibeta, 0.1, 0.9, near, 2, 3.5);
    ROW_OF_PARAMETERS(ibeta, 0.1, 0.9, near, 0.5, 1);
    // the densities at the ends of their domain
    auto const both = [](auto f, double x) {
        return std::pair(xgrad::derivative(f, x), xgrad::derivative([&](auto const& y) { return xgrad::derivative(f, y); }, x));
    };
    using pair = std::pair<double, double>;
    BOOST_TEST((both([](auto const& x) { return gamma_p(1.0, x); }, 0.0) == pair(1, -1)));
    BOOST_TEST((both([](auto const& x) { return gamma_p(2.0, x); }, 0.0) == pair(0, 1)));
    BOOST_TEST((both([](auto const& x) { return ibeta(1.0, 2.0, x); }, 0.0) == pair(2, -2)));
    BOOST_TEST((both([](auto const& x) { return ibeta(2.0, 1.0, x); }, 1.0) == pair(2, 2)));
    BOOST_TEST(xgrad::gamma_p(1.0, infinity) == 1.0);
    BOOST_TEST(std::isnan(xgrad::gamma_p(-1.0, 1.0)));
    // orders and parameters may be arrays, and stay constants
    xt::xtensor<double, 1> const a{1.0, 2.0}, x{0.5, 1.5};
    auto const [g] = xgrad::gradient([&](auto const& v) { return sum(xgrad::gamma_p(a, v)); }, x);
    BOOST_TEST(g(1) == 1.5 * std::exp(-1.5), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(xt::eval(xgrad::gamma_q(a, x))(0) == std::exp(-0.5), boost::test_tools::tolerance(1e-14));
    xgrad::op::gamma_density const density;
    xgrad::op::beta_density const other;
    BOOST_TEST(density(0.5, 0.0) == infinity);
    BOOST_TEST(other(1.0, 0.5, 1.0) == infinity);
}
BOOST_AUTO_TEST_CASE(error_functions) {
    ROW(erf, -3, 3, {{{infinity}, {0}}}, {});
    ROW(erfc, -3, 3, {{{-infinity}, {0}}}, {});
}
BOOST_AUTO_TEST_CASE(gamma_functions) {
    // where libm's own double and long double differ by more than the rounding, the type's own function is right
    ROW(tgamma, 0.1, 9, {{{1}, {-0.57721566490153286}}, {{-1}, {not_a_number}}}, {.in_own_type = true});
    ROW(tgamma, -2.9, -2.1, {}, {.in_own_type = true});
    ROW(lgamma, 0.1, 50, {{{1}, {-0.57721566490153286}}, {{0}, {-infinity}}, {{-1}, {not_a_number}}, {{1e300}, {690.77552789821368}}}, {.in_own_type = true});
    ROW(lgamma, -2.9, -2.1, {}, {.in_own_type = true});
    ROW_OF_OURS(digamma, digamma(static_cast<wide>(x)), 0.1, 50, {}, {});
    ROW_OF_OURS(digamma, digamma(static_cast<wide>(x)), -2.9, -2.1, {}, {.near_zero = 16});
    BOOST_TEST(digamma(1) == boost::math::digamma(1.0L));
}
BOOST_AUTO_TEST_CASE(derivatives_of_digamma) {
    ROW_BY(polygamma, [](auto const& x) { return xgrad::polygamma(1, x); }, [](auto x) { return polygamma(1, static_cast<wide>(x)); }, box<1>{{{0.1, 50}}});
    ROW_BY(polygamma, [](auto const& x) { return xgrad::polygamma(2, x); }, [](auto x) { return polygamma(2, static_cast<wide>(x)); }, box<1>{{{0.1, 50}}});
    BOOST_TEST(polygamma(3, 2.5L) == boost::math::polygamma(3, 2.5L));
    // n may be an array, and its elements are no operands
    xt::xtensor<int, 1> const n{0, 1, 2};
    auto const [g] = xgrad::gradient([&](auto const& x) { return sum(xgrad::polygamma(n, x)); }, 2.5);
    BOOST_TEST(g == static_cast<double>(polygamma(1, 2.5L) + polygamma(2, 2.5L) + polygamma(3, 2.5L)), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(xgrad::polygamma(1, 2.5) == static_cast<double>(polygamma(1, 2.5L)), boost::test_tools::tolerance(1e-15));
    BOOST_TEST(xt::eval(xgrad::digamma(xt::xtensor<double, 1>{1.0, 2.0}))(1) == static_cast<double>(digamma(2)), boost::test_tools::tolerance(1e-15));
}
