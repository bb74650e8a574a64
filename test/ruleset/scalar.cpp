// options: -O2 -UXGRAD_DETAIL_PLAIN_INLINE
// Every elementwise function: its values within 4 units in the last place of the scalar library's, in arrays of every length, its special
// points, and its derivatives against central differences in long double.
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

namespace {

using wide = long double;

template <class T>
double ulps(T found, wide exact) {
    T const expected = static_cast<T>(exact);
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) == std::isnan(found) ? 0.0 : 1e9;
    if (std::isinf(expected) || std::isinf(found) || expected == 0) return found == expected ? 0.0 : 1e9;
    T const step = std::nextafter(std::abs(expected), std::numeric_limits<T>::infinity()) - std::abs(expected);
    return static_cast<double>(std::abs(static_cast<wide>(found) - exact) / static_cast<wide>(step));
}

// 19 elements: whole batches and a rest, whatever their width.
template <class T>
xt::xtensor<T, 1> points(double from, double to, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> at(from, to);
    xt::xtensor<T, 1> x = xt::zeros<T>({19});
    for (T& v : x) v = static_cast<T>(at(engine));
    return x;
}

template <class T>
std::vector<T> special_points() {
    using limits = std::numeric_limits<T>;
    return {T(0), -T(0), T(1), T(-1), T(0.5), T(2), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::min() / 4, -limits::min() / 4, T(1e-10), T(1e30), T(-1e30), limits::max()};
}

template <class T, class F, class G>
void check_values(std::string const& name, F const& f, G const& exact, double from, double to) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        auto const x = points<T>(from, to, seed);
        xt::xtensor<T, 1> y = xt::zeros<T>({19});
        (void)xgrad::value([&](auto const& a) {
            auto r = f(a);
            y = xgrad::primal(r);
            return sum(r);
        }, x);
        for (std::size_t i = 0; i < x.size(); ++i) BOOST_CHECK_MESSAGE(ulps(y(i), exact(static_cast<wide>(x(i)))) <= 4.0, name << "(" << x(i) << ") is " << y(i));
    }
    for (T p : special_points<T>()) {
        xt::xtensor<T, 1> const x(std::array<std::size_t, 1>{19}, p);
        xt::xtensor<T, 1> y = xt::zeros<T>({19});
        (void)xgrad::value([&](auto const& a) {
            auto r = f(a);
            y = xgrad::primal(r);
            return sum(r);
        }, x);
        T const expected = static_cast<T>(exact(static_cast<wide>(p)));
        for (std::size_t i : {std::size_t{0}, std::size_t{18}}) {
            BOOST_CHECK_MESSAGE(ulps(y(i), exact(static_cast<wide>(p))) <= 4.0, name << "(" << p << ") is " << y(i) << ", not " << expected);
            if (expected == 0) BOOST_CHECK_MESSAGE(std::signbit(y(i)) == std::signbit(expected), name << "(" << p << ") has the wrong sign");
        }
    }
}

template <class T, class F, class G>
void check_derivatives(std::string const& name, F const& f, G const& exact, double from, double to) {
    auto const x = points<T>(from, to, 99);
    auto const [g] = xgrad::gradient([&](auto const& a) { return sum(f(a)); }, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        wide const v = static_cast<wide>(x(i)), h = 1e-6L * (1 + std::abs(v));
        double const d = static_cast<double>((exact(v + h) - exact(v - h)) / (2 * h));
        double const close = (sizeof(T) == 4 ? 3e-5 : 1e-8) * (1 + std::abs(d));
        BOOST_CHECK_MESSAGE(std::abs(static_cast<double>(g(i)) - d) <= close, name << "'(" << x(i) << ") is " << g(i) << ", not " << d);
        // a number alone takes the same rule
        auto const [s] = xgrad::gradient(f, x(i));
        BOOST_CHECK_MESSAGE(std::abs(static_cast<double>(s) - d) <= close, name << "' of the number " << x(i) << " is " << s << ", not " << d);
    }
}

template <class F, class G>
void check(std::string const& name, F const& f, G const& exact, double from, double to) {
    check_values<double>(name, f, exact, from, to);
    check_values<float>(name, f, exact, from, to);
    check_derivatives<double>(name, f, exact, from, to);
    check_derivatives<float>(name, f, exact, from, to);
}

wide sigmoid(wide x) { return 1 / (1 + std::exp(-x)); }

}

// Its values are those of std::NAME, its spelling xt::NAME.
#define CHECK(NAME, FROM, TO) check(#NAME, [](auto const& x) { return xt::NAME(x); }, [](wide x) { return std::NAME(x); }, FROM, TO)

BOOST_AUTO_TEST_CASE(exponentials_and_logarithms) {
    CHECK(exp, -20, 20);
    CHECK(exp2, -20, 20);
    CHECK(expm1, -5, 10);
    CHECK(log, 0.01, 50);
    CHECK(log2, 0.01, 50);
    CHECK(log10, 0.01, 50);
    CHECK(log1p, -0.9, 50);
}
BOOST_AUTO_TEST_CASE(roots) {
    CHECK(sqrt, 0.01, 50);
    CHECK(cbrt, 0.1, 50);
    CHECK(cbrt, -50, -0.1);
}
BOOST_AUTO_TEST_CASE(trigonometric) {
    CHECK(sin, -20, 20);
    CHECK(cos, -20, 20);
    CHECK(tan, -1.4, 1.4);
    CHECK(asin, -0.95, 0.95);
    CHECK(acos, -0.95, 0.95);
    CHECK(atan, -20, 20);
}
BOOST_AUTO_TEST_CASE(hyperbolic) {
    CHECK(sinh, -5, 5);
    CHECK(cosh, -5, 5);
    CHECK(tanh, -5, 5);
    CHECK(asinh, -20, 20);
    CHECK(acosh, 1.1, 20);
    CHECK(atanh, -0.95, 0.95);
}
BOOST_AUTO_TEST_CASE(error_functions) {
    CHECK(erf, -3, 3);
    CHECK(erfc, -3, 3);
}
BOOST_AUTO_TEST_CASE(absolute_values) {
    CHECK(abs, -20, 20);
    CHECK(fabs, -20, 20);
}
#undef CHECK

BOOST_AUTO_TEST_CASE(what_xtensor_does_not_have) {
    auto const f = [](auto const& x) { return xgrad::sigmoid(x); };
    auto const g = [](auto const& x) { return xgrad::log1p_exp(x); };
    for (double x : {-800.0, -30.0, -1.0, 0.0, 1.0, 30.0, 800.0}) {
        double const s = static_cast<double>(sigmoid(x)), l = static_cast<double>(x > 100 ? wide(x) : std::log1p(std::exp(wide(x))));
        BOOST_TEST(xgrad::value(f, x) == s, boost::test_tools::tolerance(1e-15));
        BOOST_TEST(xgrad::sigmoid(x) == s, boost::test_tools::tolerance(1e-15));
        BOOST_TEST(xgrad::value(g, x) == l, boost::test_tools::tolerance(1e-15));
        BOOST_TEST(std::get<0>(xgrad::gradient(g, x)) == s, boost::test_tools::tolerance(1e-15));
        BOOST_TEST(std::get<0>(xgrad::gradient(f, x)) == static_cast<double>(sigmoid(x) * sigmoid(-x)), boost::test_tools::tolerance(1e-15));
    }
    xt::xtensor<double, 1> const x{-1.0, 2.0};
    BOOST_TEST(xt::eval(xgrad::log1p_exp(x))(1) == xgrad::log1p_exp(2.0));
}

// Two operands: values, and both derivatives with the other held.
BOOST_AUTO_TEST_CASE(of_two_operands) {
    auto const check_both = [](std::string const& name, auto const& f, auto const& exact, double from, double to) {
        for (double b : {0.7, 2.5}) {
            check_derivatives<double>(name, [&](auto const& x) { return f(x, b); }, [&](wide x) { return exact(x, static_cast<wide>(b)); }, from, to);
            check_derivatives<double>(name, [&](auto const& x) { return f(b, x); }, [&](wide x) { return exact(static_cast<wide>(b), x); }, from, to);
            check_values<double>(name, [&](auto const& x) { return f(x, b); }, [&](wide x) { return exact(x, static_cast<wide>(b)); }, from, to);
        }
    };
    check_both("hypot", [](auto const& a, auto const& b) { return xt::hypot(a, b); }, [](wide a, wide b) { return std::hypot(a, b); }, 0.1, 20);
    check_both("atan2", [](auto const& a, auto const& b) { return xt::atan2(a, b); }, [](wide a, wide b) { return std::atan2(a, b); }, 0.1, 20);
    check_both("fmax", [](auto const& a, auto const& b) { return xt::fmax(a, b); }, [](wide a, wide b) { return std::fmax(a, b); }, 0.1, 20);
    check_both("fmin", [](auto const& a, auto const& b) { return xt::fmin(a, b); }, [](wide a, wide b) { return std::fmin(a, b); }, 0.1, 20);
    auto const pow_gradient = xgrad::gradient([](auto const& a, auto const& b) { return xt::pow(a, b); }, 1.3, 0.7);
    BOOST_TEST(std::get<1>(pow_gradient) == std::pow(1.3, 0.7) * std::log(1.3), boost::test_tools::tolerance(1e-14));
}

// y', y'' ... at points where there is a choice.
BOOST_AUTO_TEST_CASE(special_derivatives) {
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    auto const at = [](auto const& f, auto... x) { return xgrad::gradient(f, x...); };
    auto const hypot = [](auto const& a, auto const& b) { return xt::hypot(a, b); };
    BOOST_TEST((at(hypot, 0.0, 0.0) == std::tuple(0.0, 0.0)));
    auto const fmax = [](auto const& a, auto const& b) { return xt::fmax(a, b); };
    auto const fmin = [](auto const& a, auto const& b) { return xt::fmin(a, b); };
    BOOST_TEST((at(fmax, 2.0, 2.0) == std::tuple(0.5, 0.5)));
    BOOST_TEST((at(fmax, nan, 2.0) == std::tuple(0.0, 1.0)));
    BOOST_TEST((at(fmax, 2.0, nan) == std::tuple(1.0, 0.0)));
    BOOST_TEST((at(fmin, nan, 2.0) == std::tuple(0.0, 1.0)));
    BOOST_TEST((at(fmin, 2.0, nan) == std::tuple(1.0, 0.0)));
    auto const xlogy = [](auto const& a, auto const& b) { return xgrad::xlogy(a, b); };
    BOOST_TEST(xgrad::value(xlogy, 0.0, 0.0) == 0.0);
    BOOST_TEST((at(xlogy, 3.0, 2.0) == std::tuple(std::log(2.0), 1.5)));
    BOOST_TEST(std::get<1>(at(xlogy, 0.0, 0.0)) == 0.0);
    auto const sign = [](auto const& x) { return xt::sign(x) * 1.0; };
    BOOST_TEST((xgrad::value(sign, -3.0) == -1.0 && xgrad::value(sign, 0.0) == 0.0 && std::get<0>(at(sign, 2.0)) == 0.0));
    auto const abs = [](auto const& x) { return xt::abs(x); };
    BOOST_TEST(std::get<0>(at(abs, 0.0)) == 0.0);
    auto const asin = [](auto const& x) { return xt::asin(x); };
    BOOST_TEST(std::get<0>(at(asin, 1.0)) == infinity);
    auto const cbrt = [](auto const& x) { return xt::cbrt(x); };
    BOOST_TEST(std::get<0>(at(cbrt, 0.0)) == infinity);
    auto const asinh = [](auto const& x) { return xt::asinh(x); };
    BOOST_TEST(std::get<0>(at(asinh, 1e300)) == 1e-300);
}
