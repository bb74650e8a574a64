// Programs that ask for every warning meet none in xgrad's headers: names that they declare after the include are not those of its parameters.
// g++ 12 takes them for such where a generic lambda stands in a template that is instantiated later; the defect alone is
//     template <class F> auto call(F f) { return f(1.0); }
//     template <class T> auto twice(T x) { return call([&](auto const& t) { return t + x; }); }
//     double t = 2;
//     double four = twice(t);  // warning: declaration of 't' shadows a global declaration
#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

#pragma GCC diagnostic error "-Wshadow"

double a = 1, b = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, k = 9, n = 10, p = 11, q = 12, r = 13, s = 14, t = 15, u = 16, v = 17, w = 18, x = 19, y = 20;

BOOST_AUTO_TEST_CASE(names_after_the_include) {
    auto const product = [](auto const& m, auto const& c) { return sum(exp(m * c) / (m + c)) + c * c; };
    xt::xtensor<double, 1> const line{a, b};
    auto const by_differences = [&](double step) { return xgrad::value(product, line, d + step); };
    auto const [of_line, of_number] = xgrad::gradient(product, line, d);
    BOOST_TEST(of_number == (by_differences(1e-6) - by_differences(-1e-6)) / 2e-6, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(xgrad::derivative([&](auto const& c) { return xgrad::derivative([&](auto const& c2) { return c2 * c2 * c2; }, c); }, t) == 6 * t);
}
