// What leaves elements out, NaNs or zeros at the ends; running logarithms of sums; induced norms: values, both modes and second derivatives.
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
double const none = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

void good(xgrad::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }
// f of an active x has this value and this gradient.
template <class F, class X>
void expect(F const& f, X const& x, double value, X const& gradient) {
    auto const [y, g] = xgrad::value_and_gradient(f, x);
    BOOST_TEST(y == value, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(xt::allclose(std::get<0>(g), gradient, 1e-12, 1e-12));
    auto const along = xgrad::jvp(f, std::tuple(x), std::tuple(X(xt::ones_like(x))));
    BOOST_TEST(along.tangent == xt::sum(gradient)(), boost::test_tools::tolerance(1e-13));
}

}

BOOST_AUTO_TEST_CASE(elements_that_are_no_numbers) {
    vector const x{1, none, 3, -2, 0.5}, weights{1, 2, 3, 4, 5};
    expect([](auto const& a) { return nanprod(a); }, x, -3.0, vector{-3, 0, -1, 1.5, -6});
    expect([](auto const& a) { return nanmax(a); }, x, 3.0, vector{0, 0, 1, 0, 0});
    expect([](auto const& a) { return xt::nanmin(a); }, x, -2.0, vector{0, 0, 0, 1, 0});
    expect([&](auto const& a) { return sum(nancumsum(a) * weights); }, x, 35.5, vector{15, 0, 12, 9, 5});
    expect([](auto const& a) { return sum(nancumprod(a, 0)); }, x, -4.0, vector{-4, 0, -2, 4.5, -6});
    matrix const m{{1, -5, 2}, {none, 0.5, none}};
    expect([](auto const& a) { return sum(nanmax(a, {1})); }, m, 2.5, matrix{{0, 0, 1}, {0, 1, 0}});
    expect([](auto const& a) { return sum(nanmin(a, 0, xt::keep_dims)) + sum(nanprod(a, {0})); }, m, -1.5, matrix{{2, 1.5, 2}, {0, -5, 0}});
    BOOST_TEST(std::isnan(xgrad::value([](auto const& a) { return nanmax(a); }, vector{none, none})));
    BOOST_TEST(xgrad::value([](auto const& a) { return nanmax(a); }, vector{-inf, none}) == -inf);
    good(xgrad::check_rule<xgrad::rule_checks{.plain = false}>(
        [](auto const& a) { return sum(square(nancumprod(a, 1))) + nanprod(a) + nanmax(a) * sum(nanmin(a, {0})) + sum(nancumsum(a * a)); },
        matrix{{0.3, -1, 2}, {0.5, 0.7, 1.5}}));
}
// Missing data: what they are computed from has no derivative that is a number, either.
BOOST_AUTO_TEST_CASE(nothing_comes_from_what_is_left_out) {
    vector const t{1, 2, 3, 4}, data{2, none, 5, 1}, there{2, 5, 1}, at{1, 3, 4};
    auto const check = [&](auto const& f) {
        auto const all = [&](auto const& a) { return f(square(data - a * t)); };
        auto const some = [&](auto const& a) { return f(square(there - a * at)); };
        auto const h = xgrad::hvp(all, 1.5, 1.0), expected = xgrad::hvp(some, 1.5, 1.0);
        BOOST_TEST(h.value == expected.value, boost::test_tools::tolerance(1e-14));
        BOOST_TEST(std::get<0>(h.gradient) == std::get<0>(expected.gradient), boost::test_tools::tolerance(1e-13));
        BOOST_TEST(std::get<0>(h.product) == std::get<0>(expected.product), boost::test_tools::tolerance(1e-13));
        BOOST_TEST(std::get<0>(xgrad::gradient(all, 1.5)) == std::get<0>(expected.gradient), boost::test_tools::tolerance(1e-13));
        BOOST_TEST(xgrad::derivative(all, 1.5) == std::get<0>(expected.gradient), boost::test_tools::tolerance(1e-13));
    };
    check([](auto const& r) { return nansum(r); });
    check([](auto const& r) { return sum(nan_to_num(r)); });
    check([](auto const& r) { return nanmean(r); });
    check([](auto const& r) { return nanprod(r); });
    check([](auto const& r) { return nanmax(r) + nanmin(r); });
    auto const of_a_number = [](auto const& a) { return nan_to_num(a * none) + a * a; };
    BOOST_TEST(std::get<0>(xgrad::gradient(of_a_number, 1.5)) == 3.0);
    BOOST_TEST(xgrad::derivative(of_a_number, 1.5) == 3.0);
}
// In the forward mode arguments are looked up among duals, too.
BOOST_AUTO_TEST_CASE(axes_that_stay_in_second_derivatives) {
    auto const f = [](auto const& a) { return sum(norm_sq(a, 0, xt::keep_dims) * nansum(a, 1, xt::keep_dims)); };
    auto const h = xgrad::hessian(f, matrix{{1, 2}, {3, 4}});
    BOOST_TEST(h(0, 0, 0, 0) == 2 * 10 + 4 * 1);
}
BOOST_AUTO_TEST_CASE(running_logarithms_of_sums) {
    vector const x{-1000, 2, 700, 701, -3};
    vector const y = xgrad::logcumsumexp(x);
    BOOST_TEST((y(0) == -1000 && y(1) == 2 && y(2) == 700));
    BOOST_TEST(y(4) == 701 + std::log1p(std::exp(-1)), boost::test_tools::tolerance(1e-15));
    double const p = 1 / (1 + std::exp(1));
    expect([](auto const& a) { return sum(logcumsumexp(a) * vector{1, 2, 3, 4, 5}); }, x, xt::sum(y * vector{1, 2, 3, 4, 5})(),
           vector{1, 2, 3 + 9 * p, 9 * (1 - p), 0});
    expect([](auto const& a) { return logcumsumexp(a)(2); }, vector{-inf, -inf, 1}, 1.0, vector{0, 0, 1});
    good(xgrad::check_rule<xgrad::rule_checks{.plain = false}>([](auto const& a) { return sum(square(logcumsumexp(a, 0))) + sum(logcumsumexp(a) * a); },
                                                               matrix{{0.3, -1, 2}, {0.5, 0.7, 1.5}}));
}
BOOST_AUTO_TEST_CASE(zeros_at_the_ends) {
    vector const x{0, 0, 1, 0, 2, 0};
    expect([](auto const& a) { return sum(trim_zeros(a) * vector{1, 2, 3}); }, x, 7.0, vector{0, 0, 1, 2, 3, 0});
    expect([](auto const& a) { return sum(xt::trim_zeros(a * 2.0, "f")); }, x, 6.0, vector{0, 0, 2, 2, 2, 2});
    BOOST_TEST((vector(xgrad::trim_zeros(x, "b")) == vector{0, 0, 1, 0, 2}));
    expect([](auto const& a) { return sum(trim_zeros(a)); }, vector{0, 0}, 0.0, vector{0, 0});
    BOOST_CHECK_THROW(xgrad::value([](auto const& a) { return sum(trim_zeros(a)); }, xt::xarray<double>(xt::ones<double>({2, 2}))), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(induced_norms) {
    matrix const a{{1, -5, 2}, {3, 0.5, -1}};
    expect([](auto const& m) { return norm_induced_l1(m); }, a, 5.5, matrix{{0, -1, 0}, {0, 1, 0}});
    expect([](auto const& m) { return norm_induced_linf(m); }, a, 8.0, matrix{{1, -1, 1}, {0, 0, 0}});
    BOOST_TEST((xgrad::norm_induced_l1(a) == 5.5 && xgrad::norm_induced_linf(a) == 8.0));
    BOOST_CHECK_THROW(xgrad::value([](auto const& m) { return norm_induced_l1(m); }, xt::xarray<double>({1.0})), std::invalid_argument);
}
