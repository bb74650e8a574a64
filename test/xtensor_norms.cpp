// xtensor's own header of norms has functions of numbers with the names of xgrad's.
#include <xtensor/xnorm.hpp>

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

BOOST_AUTO_TEST_CASE(norms_of_both) {
    xt::xtensor<double, 1> const x{3.0, 4.0};
    BOOST_TEST(xt::norm_l2(-3.0) == 3.0);
    BOOST_TEST(xgrad::norm_l2(-3.0) == 3.0);
    BOOST_TEST(xgrad::norm_sq(-3.0f) == 9.0f);
    BOOST_TEST(xgrad::norm_l0(0.0) == 0.0);
    BOOST_TEST(xgrad::norm_lp(-2.0, 3.0) == 2.0);
    BOOST_TEST(xgrad::norm_lp_to_p(-2.0, 3.0) == 8.0);
    BOOST_TEST(xgrad::norm_sq(std::complex<double>(3.0, 4.0)) == 25.0);
    xt::xtensor<double, 2> m{{1.0, -2.0}, {3.0, 4.0}};
    xt::xtensor<double, 2> const n = m;
    BOOST_TEST(double(xt::norm_l2(x)) == 5.0);
    BOOST_TEST(double(xt::norm_l1(n)) == 10.0);
    BOOST_TEST(double(xt::norm_linf(n)) == 4.0);
    BOOST_TEST(double(xt::norm_lp(x, 2.0)) == 5.0);
    BOOST_TEST(xt::norm_l1(m)() == 10.0);
    BOOST_TEST(xt::norm_sq(m * 1.0)() == 30.0);
    BOOST_TEST(xt::norm_l1(m, {0})(1) == 6.0);
    BOOST_TEST(xt::norm_l1(n, {1})(1) == 7.0);
    BOOST_TEST(xt::norm_linf(n, {0})(0) == 3.0);
    BOOST_TEST(double(norm_l2(x)) == 5.0);
    auto const [g] = xgrad::gradient([](auto const& y) { return xt::norm_l2(y) + norm_l1(y) + xt::norm_linf(y(0)) + xt::norm_sq(y); }, x);
    BOOST_TEST(std::abs(g(0) - (0.6 + 1.0 + 1.0 + 6.0)) < 1e-14);
    BOOST_TEST(std::abs(g(1) - (0.8 + 1.0 + 8.0)) < 1e-14);
}
