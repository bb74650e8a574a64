// The log-densities: against the densities of Boost.Math, with derivatives in every operand; sums over arrays; what lies outside.
#include <cmath>

#include <boost/math/distributions.hpp>

#include <xgrad/check_rule.hpp>
#include <xgrad/distributions.hpp>

#include "rows.hpp"

using namespace rows;
namespace bm = boost::math;

namespace {
template <class D, class X>
wide log_pdf(D const& d, X x) { return std::log(bm::pdf(d, x)); }
// cancellation between the terms of a logarithm costs some units of 1
constexpr how loose{.ulps = 8, .near_zero = 40, .special = false, .tolerance = 1e-8};
}

#define ROW_OF_DENSITY(NAME, EXACT, A, B, C, ...) \
    ROW_BY( \
        NAME, [](auto const& a, auto const& b, auto const& c) { return element<xgrad::op::NAME>(a, b, c); }, [](wide a, wide b, wide c) { return EXACT; }, \
        box<3>{{A, B, C}}, __VA_ARGS__)

namespace {
// the element, not the sum
template <class Op, class... X>
auto element(X const&... x) {
    if constexpr ((xgrad::active<X> || ...)) return xgrad::elementwise<Op>(x...);
    else return Op{}(x...);
}
}

BOOST_AUTO_TEST_CASE(of_a_place_and_a_scale) {
    using interval = std::array<double, 2>;
    constexpr interval y{-4, 4}, mu{-1, 1}, sigma{0.3, 3}, above{5, 9}, low{-9, -5};
    ROW_OF_DENSITY(normal_lpdf, log_pdf(bm::normal_distribution<wide>(b, c), a), y, mu, sigma, {{{1, 1, 2}, {0, 0, -0.5}}}, loose);
    ROW_OF_DENSITY(cauchy_lpdf, log_pdf(bm::cauchy_distribution<wide>(b, c), a), y, mu, sigma, {}, loose);
    ROW_OF_DENSITY(logistic_lpdf, log_pdf(bm::logistic_distribution<wide>(b, c), a), y, mu, sigma, {{{800, 0, 1}, {-1, 1, 799}}}, loose);
    ROW_OF_DENSITY(laplace_lpdf, log_pdf(bm::laplace_distribution<wide>(b, c), a), above, mu, sigma, {{{1, 1, 2}, {0, 0, -0.5}}}, loose);
    constexpr interval inside{-4, 4};
    ROW_OF_DENSITY(uniform_lpdf, log_pdf(bm::uniform_distribution<wide>(b, c), a), inside, low, above, {{{9, 1, 3}, {0, 0, 0}}, {{1, 1, 3}, {0, 0.5, -0.5}}},
                   loose);
}
BOOST_AUTO_TEST_CASE(of_positive_numbers) {
    using interval = std::array<double, 2>;
    constexpr interval y{0.1, 5}, mu{-1, 1}, scale{0.3, 3};
    ROW_OF_DENSITY(lognormal_lpdf, log_pdf(bm::lognormal_distribution<wide>(b, c), a), y, mu, scale, {{{-1, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}}, loose);
    ROW_OF_DENSITY(gamma_lpdf, log_pdf(bm::gamma_distribution<wide>(b, 1 / c), a), y, scale, scale,
                   {{{-1, 1, 1}, {0, 0, 0}}, {{0, 1, 2}, {-2, -infinity, 0.5}}}, loose);
    auto const element2 = [](auto const& a, auto const& b) { return element<xgrad::op::exponential_lpdf>(a, b); };
    ROW_BY(
        exponential_lpdf, element2, [](wide a, wide b) { return log_pdf(bm::exponential_distribution<wide>(b), a); }, box<2>{{y, scale}},
        {{{-1, 2}, {0, 0}}, {{0, 2}, {-2, 0.5}}}, loose);
}
BOOST_AUTO_TEST_CASE(of_fractions) {
    using interval = std::array<double, 2>;
    constexpr interval y{0.05, 0.95}, shape{0.3, 4};
    ROW_OF_DENSITY(beta_lpdf, log_pdf(bm::beta_distribution<wide>(b, c), a), y, shape, shape,
                   {{{2, 2, 2}, {0, 0, 0}}, {{0.5, 1, 1}, {0, 1 - std::log(2.0), 1 - std::log(2.0)}}}, loose);
}
BOOST_AUTO_TEST_CASE(of_students_t) {
    ROW_BY(
        student_t_lpdf, [](auto const& a, auto const& b, auto const& c, auto const& d) { return element<xgrad::op::student_t_lpdf>(a, b, c, d); },
        [](wide a, wide b, wide c, wide d) { return log_pdf(bm::students_t_distribution<wide>(b), (a - c) / d) - std::log(d); },
        box<4>{{{-4, 4}, {0.5, 9}, {-1, 1}, {0.3, 3}}}, {}, loose);
}
BOOST_AUTO_TEST_CASE(of_counts) {
    for (int n : {0, 1, 4}) {
        ROW_BY(
            poisson_lpmf, [n](auto const& a) { return element<xgrad::op::poisson_lpmf>(n, a); },
            [n](wide a) { return log_pdf(bm::poisson_distribution<wide>(a), n); }, box<1>{{{0.2, 9}}}, {}, loose);
        // Stan's parameters: the number of successes, of trials, the logit
        ROW_BY(
            binomial_logit_lpmf, [n](auto const& a) { return element<xgrad::op::binomial_logit_lpmf>(n, 4, a); },
            [n](wide a) { return log_pdf(bm::binomial_distribution<wide>(4, 1 / (1 + std::exp(-a))), n); }, box<1>{{{-4, 4}}},
            {{{800}, {n - 4.0}}, {{-800}, {n + 0.0}}}, loose);
    }
    for (bool n : {false, true})
        ROW_BY(
            bernoulli_logit_lpmf, [n](auto const& a) { return element<xgrad::op::bernoulli_logit_lpmf>(n, a); },
            [n](wide a) { return log_pdf(bm::bernoulli_distribution<wide>(1 / (1 + std::exp(-a))), n); }, box<1>{{{-4, 4}}}, {{{800}, {n ? 0.0 : -1.0}}},
            loose);
}
// Where lgamma's are large numbers that cancel: values by mpmath of 40 digits.
BOOST_AUTO_TEST_CASE(of_large_parameters) {
    using vector = xt::xtensor<double, 1>;
    auto const gamma = [](auto const& y, auto const& a, auto const& b) { return xgrad::gamma_lpdf(y, a, b); };
    auto const beta = [](auto const& y, auto const& a, auto const& b) { return xgrad::beta_lpdf(y, a, b); };
    auto const check = [](auto f, double y, double a, double b, double expected) {
        auto const near = boost::test_tools::tolerance(1e-13);
        // alone, and with parameters that are computed once
        BOOST_TEST(xgrad::value(f, y, a, b) == expected, near);
        BOOST_TEST(xgrad::value(f, vector{y, y, y, y, y}, a, b) == 5 * expected, near);
        BOOST_TEST(xgrad::value(f, vector{y, y, y, y, y}, vector{a, a, a, a, a}, b) == 5 * expected, near);
    };
    check(gamma, 1e8, 1e8, 1, -10.12927890601418881);
    check(gamma, 1.0001e8, 1e8, 1, -10.6293455701809888);
    check(gamma, 40, 33, 1, -3.513816924469075487);
    check(gamma, 2e8, 1e8, 0.5, -10.82242608657413412);
    check(beta, 0.5, 1e8, 1e8, 9.331122608361427958);
    check(beta, 0.5, 40, 50, 1.458373853615529419);
    check(beta, 1 - 0x1p-30, 1e9, 2, 19.72079368397662622);
    check(beta, 0.25, 2, 40, -5.203443665921102682);
    auto const close = boost::test_tools::tolerance(1e-13);
    BOOST_TEST(xgrad::poisson_lpmf(100000000, 1.0001e8) == -10.62924557518065549, close);
    BOOST_TEST(xgrad::poisson_lpmf(40, 33.0) == -3.460337256098186011, close);
    BOOST_TEST(xgrad::binomial_logit_lpmf(33, 100, 0.0) == -8.366743631966785463, close);
    BOOST_TEST(xgrad::binomial_logit_lpmf(50000000, 100000000, 0.0) == -9.436131727120910168, boost::test_tools::tolerance(1e-8));
    BOOST_TEST(xgrad::gamma_lpdf(0.0, 50.0, 1.0) == -infinity);
    BOOST_TEST(xgrad::beta_lpdf(1.0, 50.0, 40.0) == -infinity);
    // one parameter much greater than the other: the derivative is log(y) + digamma(a + b) - digamma(a)
    BOOST_TEST(std::get<1>(xgrad::gradient(beta, 1 - 0x1p-30, 1e9, 2.0)) == 1.068677423950840616e-9, boost::test_tools::tolerance(1e-9));
    // along every parameter, below and above where the series begin
    for (double a : {20.0, 40.0, 1e4})
        for (double b : {0.5, 60.0}) {
            auto const is_right = [](xgrad::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); };
            is_right(xgrad::check_rule(beta, 0.9 * a / (a + b), a, b));
            is_right(xgrad::check_rule(gamma, 1.01 * a / b, a, b));
        }
}
BOOST_AUTO_TEST_CASE(sums_over_arrays) {
    xt::xtensor<double, 1> const y{1, 2, 4};
    xt::xtensor<double, 2> const mu{{0}, {1}};
    double expected = 0;
    for (double m : mu)
        for (double v : y) expected += static_cast<double>(log_pdf(bm::normal(m, 2.0), v));
    auto const f = [](auto const& a, auto const& b, auto const& c) { return normal_lpdf(a, b, c); };
    auto const r = xgrad::value_and_gradient(f, y, mu, 2.0);
    BOOST_TEST(r.value == expected, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(xgrad::normal_lpdf(y, mu, 2.0) == expected, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(std::get<0>(r.gradient)(2) == -(4 + 3) / 4.0);
    BOOST_TEST(std::get<1>(r.gradient)(1, 0) == (0 + 1 + 3) / 4.0);
    BOOST_TEST(xgrad::normal_lpdf(1, 0, 1) == log_pdf(bm::normal(), 1), boost::test_tools::tolerance(1e-14));
    // plain data, active parameters; a parameter in a scoped function
    xt::xtensor<int, 1> const n{0, 3, 1};
    BOOST_TEST((xgrad::gradient([&](auto const& l) -> xgrad::real { return poisson_lpmf(n, l * 1.0); }, 2.0) == std::tuple(4 / 2.0 - 3)));
    BOOST_CHECK_THROW(xgrad::value([&](auto const& m) { return normal_lpdf(y, m, 1.0); }, xt::xtensor<double, 1>{1, 2}), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(outside) {
    double const none = -infinity;
    for (double p : {0.0, -1.0}) {
        BOOST_TEST(std::isnan(xgrad::normal_lpdf(1.0, 0.0, -1.0)));
        BOOST_TEST(!(xgrad::gamma_lpdf(1.0, -0.5, 1.0) == 0));
        BOOST_TEST(std::isnan(xgrad::gamma_lpdf(1.0, p, 1.0)));
        BOOST_TEST(std::isnan(xgrad::beta_lpdf(0.5, p, 1.0)));
        BOOST_TEST(std::isnan(xgrad::student_t_lpdf(0.5, p, 0.0, 1.0)));
        BOOST_TEST(std::isnan(xgrad::exponential_lpdf(0.5, p)));
        BOOST_TEST(std::isnan(xgrad::uniform_lpdf(0.5, 0.0, p)) == true);
    }
    BOOST_TEST(std::isnan(xgrad::poisson_lpmf(1, -1.0)));
    BOOST_TEST(xgrad::exponential_lpdf(-0.5, 1.0) == none);
    BOOST_TEST(xgrad::lognormal_lpdf(0.0, 0.0, 1.0) == none);
    BOOST_TEST(xgrad::beta_lpdf(1.5, 2.0, 2.0) == none);
    BOOST_TEST(xgrad::beta_lpdf(0.0, 1.0, 1.0) == 0.0);
    BOOST_TEST(xgrad::beta_lpdf(1.0, 1.0, 1.0) == 0.0);
    BOOST_TEST(xgrad::uniform_lpdf(3.0, 0.0, 2.0) == none);
    BOOST_TEST(xgrad::poisson_lpmf(-1, 2.0) == none);
    BOOST_TEST(xgrad::poisson_lpmf(0, 0.0) == 0.0);
    BOOST_TEST(xgrad::bernoulli_logit_lpmf(2, 0.0) == none);
    BOOST_TEST(xgrad::binomial_logit_lpmf(0, 3, -infinity) == 0.0);
    BOOST_TEST(xgrad::binomial_logit_lpmf(4, 3, 0.0) == none);
}
