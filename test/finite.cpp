// options: -DXGRAD_CHECK_FINITE
// Where XGRAD_CHECK_FINITE is defined check_finite says in which operation the first value, or the first cotangent, arose that is not finite.
#include <stdexcept>
#include <string>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {
template <class F, class X>
void says(std::string const& part, F const& f, X const& x) {
    BOOST_CHECK_EXCEPTION(xgrad::check_finite(f, x), std::domain_error, [&](std::exception const& e) {
        BOOST_TEST_MESSAGE(e.what());
        return std::string(e.what()).find(part) != std::string::npos;
    });
}
}

BOOST_AUTO_TEST_CASE(of_arrays) {
    xt::xtensor<double, 2> const x{{1, 2}, {0, 3}};
    says("the first that is not is -inf at (0, 0) of an array of shape (2, 2), the value of log(x) of a - b", [](auto const& a) {
        auto y = log(a - 1.0);
        auto z = exp(y);
        return sum(z);
    }, x);
    says("the first that is not is inf at (1, 0) of an array of shape (2, 2), that of the value of a * b", [](auto const& a) {
        auto y = 2.0 * a;
        auto z = sqrt(y);
        return sum(z);
    }, x);
    says("-inf, the value of sum of log(x)", [](auto const& a) { return sum(log(a)); }, x);
}
BOOST_AUTO_TEST_CASE(of_numbers) {
    says("nan, the value of log(x)", [](auto const& a) {
        auto y = a * 2.0;
        auto z = log(y);
        return z * z;
    }, -1.0);
    says("nan, the value of log(x) of a - b", [](auto const& a) -> xgrad::real {
        auto y = a * 2.0;
        auto z = log(y - 2.0);
        return z * z;
    }, -1.0);
    BOOST_TEST(xgrad::check_finite([](auto const& a) { return log(a); }, 1.0).value == 0.0);
    // nothing is asked outside check_finite
    BOOST_TEST(!(xgrad::value([](auto const& a) { return log(a); }, -1.0) == 0.0));
}
