// The error functions and the gamma functions.
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>

#include <xgrad/special.hpp>

#include "rows.hpp"

using namespace rows;

namespace {

wide digamma(wide x) { return xgrad::detail::gamma_derivatives<wide>::digamma(x); }
wide polygamma(int n, wide x) { return xgrad::detail::gamma_derivatives<wide>::polygamma(n, x); }

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
