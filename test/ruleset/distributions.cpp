// categorical_logit_lpmf: values and gradients over logits of every form, and what does not fit.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

#include <xgrad/distributions.hpp>
#include <xgrad/xgrad.hpp>

#include "../programs/against_differences.hpp"

namespace {
// by the definition, row by row
double plain(xt::xtensor<int, 1> const& k, xt::xtensor<double, 2> const& theta) {
    double l = 0;
    for (std::size_t i = 0; i < k.size(); ++i) {
        double s = 0;
        for (std::size_t j = 0; j < theta.shape()[1]; ++j) s += std::exp(theta(i, j));
        l += theta(i, static_cast<std::size_t>(k(i))) - std::log(s);
    }
    return l;
}
}

BOOST_AUTO_TEST_CASE(a_row_for_each_observation) {
    xt::xtensor<int, 1> const k{2, 0, 1, 1};
    xt::xtensor<double, 2> const theta{{1, 2, 3}, {0, -1, 4}, {5, 5, 5}, {-2, 0, 2}};
    auto const reference = [&](auto const& t) { return plain(k, t); };
    auto const f = [&](auto const& t) { return categorical_logit_lpmf(k, t); };
    programs::agree(f, reference, theta);
    programs::agree([&](auto const& t) { return xgrad::categorical_logit_lpmf(k, transpose(t)) * 2.0; },
                    [&](auto const& t) { return 2 * plain(k, xt::transpose(t)); }, xt::xtensor<double, 2>(xt::transpose(theta)));
    programs::agree([&](auto const& t) { return categorical_logit_lpmf(k, 0.5 * t) + sum(t); }, [&](auto const& t) { return plain(k, 0.5 * t) + xt::sum(t)(); },
                    theta);
    xt::xarray<float, xt::layout_type::column_major> const columns = theta;
    BOOST_TEST(xgrad::value(f, columns) == static_cast<float>(plain(k, theta)), boost::test_tools::tolerance(1e-6f));
    BOOST_TEST(std::get<0>(xgrad::gradient(f, columns))(1, 2) == static_cast<float>(std::get<0>(xgrad::gradient(f, theta))(1, 2)),
               boost::test_tools::tolerance(1e-5f));
    BOOST_TEST(xgrad::categorical_logit_lpmf(k, theta) == plain(k, theta), boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(one_row_for_all) {
    xt::xtensor<double, 1> const theta{1, 2, 3};
    xt::xtensor<int, 1> const k{2, 2, 0};
    xt::xtensor<double, 2> const rows{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    BOOST_TEST(xgrad::value([&](auto const& t) { return categorical_logit_lpmf(k, t); }, theta) == plain(k, rows), boost::test_tools::tolerance(1e-14));
    auto const [g] = xgrad::gradient([](auto const& t) { return categorical_logit_lpmf(1, t); }, theta);
    double const s = std::exp(-2.0) + std::exp(-1.0) + 1;
    BOOST_TEST(g(1) == 1 - std::exp(-1.0) / s, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(g(2) == -1 / s, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(at_the_edges) {
    double const infinity = std::numeric_limits<double>::infinity();
    // huge logits, and a category that cannot be
    xt::xtensor<double, 1> const theta{1000, -infinity, 1000};
    auto const r = xgrad::value_and_gradient([](auto const& t) { return categorical_logit_lpmf(0, t); }, theta);
    BOOST_TEST(r.value == -std::log(2.0), boost::test_tools::tolerance(1e-14));
    BOOST_TEST((std::get<0>(r.gradient) == xt::xtensor<double, 1>{0.5, 0, -0.5}));
    BOOST_TEST(xgrad::categorical_logit_lpmf(1, theta) == -infinity);
    xt::xtensor<double, 2> const none = xt::zeros<double>({0, 3});
    BOOST_TEST(xgrad::value([](auto const& t) { return categorical_logit_lpmf(xt::xtensor<int, 1>::from_shape({0}), t); }, none) == 0.0);
    xt::xtensor<double, 2> const rows = xt::zeros<double>({2, 3});
    auto const of = [&](auto const& k) { return xgrad::value([&](auto const& t) { return categorical_logit_lpmf(k, t); }, rows); };
    BOOST_CHECK_THROW(of(3), std::invalid_argument);
    BOOST_CHECK_THROW(of(-1), std::invalid_argument);
    BOOST_CHECK_THROW(of(xt::xtensor<int, 1>{1, 2, 0}), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::value([](auto const& t) { return categorical_logit_lpmf(0, t); }, xt::xtensor<double, 2>(xt::zeros<double>({2, 0}))),
                      std::invalid_argument);
}

// In the tails, and where lgammas cancel; one number and one with others beside it. The references have 50 digits.
BOOST_AUTO_TEST_CASE(far_out) {
    auto const near = [](double found, double right, double tolerance = 1e-13) {
        BOOST_CHECK_MESSAGE(std::abs(found / right - 1) <= tolerance, found << " is not " << right);
    };
    auto const [value, by] = xgrad::value_and_gradient([](auto const& y, auto const& sigma) { return cauchy_lpdf(y, 0.0, sigma); }, 1e160, 1.0);
    near(value, -737.97195964394402);
    near(std::get<0>(by), -2e-160);
    near(std::get<1>(by), 1.0);
    auto const lines = xgrad::gradient([](auto const& y) { return cauchy_lpdf(y, 0.0, 1.0) + student_t_lpdf(y, 3.0, 0.0, 1.0); },
                                       xt::xtensor<double, 1>{1e160, 1e160, 1e160, 1e160, 1e160});
    near(std::get<0>(lines)(0), -6e-160);
    near(std::get<0>(lines)(4), -6e-160);
    auto const student = [](auto const& nu) { return student_t_lpdf(0.3, nu, 0.0, 1.0); };
    near(xgrad::value(student, 1e10), -0.96393853323397024, 1e-14);
    near(std::get<0>(xgrad::gradient(student, 1e10)), 2.929749999996193e-21, 1e-6);
    for (auto const& [nu, slope] : {std::pair(60.0, 8.1354705922241550e-05), {70.0, 5.9774527298547587e-05}})
        near(std::get<0>(xgrad::gradient(student, nu)), slope, 1e-11);
    // a parameter outside its domain
    BOOST_TEST(std::isnan(xgrad::normal_lpdf(1.0, 0.0, -1.0)));
}
