// Where C++ wants one type and formulas have several, variable<T> is that type: branches, accumulators, elements, recursion.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {

double const a0 = 0.7, b0 = 1.3;

template <class T>
T poly(T x, T y) {
    T a = x * y;
    T s = a + 1.0;
    for (int i = 0; i < 3; ++i) s = s * a + x;
    return s;
}
// its limits are plain constants, and those of its elements
static_assert(std::numeric_limits<variable<double>>::epsilon() == std::numeric_limits<double>::epsilon());
static_assert(std::numeric_limits<variable<float> const>::lowest() == std::numeric_limits<float>::lowest());
double plain_poly(double x, double y) { return poly(x, y); }

}

BOOST_AUTO_TEST_CASE(branches_that_return_different_formulas) {
    auto early = [](auto const& x, auto const& y) -> variable<double> {
        if (x < 0.0) return 0.0;
        auto t = sin(x);
        if (y > 1.0) return t * t * y;
        return y;
    };
    auto plain = [](double x, double y) { return x < 0 ? 0.0 : y > 1 ? std::sin(x) * std::sin(x) * y : y; };
    for (auto [x, y] : {std::pair{0.7, 1.3}, {0.7, 0.3}, {-0.7, 1.3}}) {
        agree(early, plain, x, y);
        // a declared result does as well
        agree(
            [](auto const& u, auto const& v) -> xgrad::real {
                if (u < 0.0) return 0.0;
                auto t = sin(u);
                if (v > 1.0) return t * t * v;
                return v;
            },
            plain, x, y);
    }
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto r = x > 0.0 ? variable(x * x) : variable(0.0 - x); return r * y;),
          [](double x, double y) { return (x > 0 ? x * x : -x) * y; }, -a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto c = x > 5.0 ? variable(x * y) : variable(0.0); return c + y;), [](double, double y) { return y; },
        a0, b0);
}

BOOST_AUTO_TEST_CASE(recursion) {
    auto power = [](auto const& self, auto const& u, int n) -> variable<double> {
        if (n == 0) return 1.0;
        auto h = self(self, u * u, n / 2);
        return n % 2 ? variable(h * u) : h;
    };
    agree([&](auto const& x, auto const& y) { return power(power, x * y, 5); }, [](double x, double y) { return std::pow(x * y, 5); }, a0, b0);
    agree([&](auto const& x, auto const& y) { return power(power, variable(x * y), 12) * x; }, [](double x, double y) { return std::pow(x * y, 12) * x; }, a0,
          b0);
}

BOOST_AUTO_TEST_CASE(accumulators) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x * y; s = s + x; s = s * s; return s * y;),
          [](double x, double y) { double s = x * y + x; return s * s * y; }, a0, b0);
    agree([](auto const& x, auto const& y) { variable s = 0.0; for (int i = 0; i < 5; ++i) { auto t = sin(x * i); s = s + t * y; } return s; },
          [](double x, double y) { double s = 0; for (int i = 0; i < 5; ++i) s += std::sin(x * i) * y; return s; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x; s += y; s -= 2.0; s *= x * y; s /= 3; s += 1; return s;),
          [](double x, double y) { return (x + y - 2) * x * y / 3 + 1; }, a0, b0);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x * y; s += s; s *= s; s -= s * 0.5; return s;),
          [](double x, double y) { return 2 * x * y * x * y; }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x * y; variable t = s; variable<double> u = std::move(s); s = t * x; t = t;
                         return s + t * u;),
        [](double x, double y) {
            double s = x * y;
            return s * x + s * s;
        },
        a0, b0);
}

BOOST_AUTO_TEST_CASE(rvalue_variables_are_operands) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x * y; return std::move(s) * 2.0 + variable(x) * y - sin(variable(y * y));),
          [](double x, double y) { return 3 * x * y - std::sin(y * y); }, a0, b0);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), variable one = 1.0; variable two = one + one; return two * x * y + two;),
        [](double x, double y) { return 2 * x * y + 2; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(standard_algorithms) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), std::vector<variable<double>> v; for (int i = 0; i < 5; ++i) v.push_back(x * y + i);
                           return std::accumulate(v.begin(), v.end(), variable(0.0)) * x;),
          [](double x, double y) { return (5 * x * y + 10) * x; }, a0, b0);
    agree([](auto const& x, auto const& y) {
              std::vector<variable<double>> v{x, y, x * y};
              std::vector<variable<double>> w(3);
              std::transform(v.begin(), v.end(), w.begin(), [](auto const& t) { return sin(t) * t; });
              return std::inner_product(v.begin(), v.end(), w.begin(), variable(0.0));
          },
          [](double x, double y) { auto f = [](double t) { return t * t * std::sin(t); }; return f(x) + f(y) + f(x * y); }, a0, b0);
    agree([](auto const& x, auto const& y) {
              std::vector<variable<double>> v{x * y, x, y * y, y};
              std::sort(v.begin(), v.end());
              std::partial_sum(v.begin(), v.end(), v.begin());
              std::rotate(v.begin(), v.begin() + 1, v.end());
              v.erase(v.begin() + 1);
              return v[0] * v[1] + v[2];
          },
          // sorted: x, x y, y, y y; the partial sums are s1 ... s4; rotated and one erased: s2, s4, s1
          [](double x, double y) { double s2 = x + x * y, s4 = s2 + y + y * y; return s2 * s4 + x; }, a0, b0);
}

BOOST_AUTO_TEST_CASE(signatures_with_one_type) {
    agree([](auto const& x, auto const& y) { return poly(variable(x), variable(y)); }, plain_poly, a0, b0);
    agree(xgrad::of_one_type([](auto x, auto y) { return poly(x, y); }), plain_poly, a0, b0);
    agree(xgrad::of_one_type(poly<variable<double>>), plain_poly, a0, b0);
}

BOOST_AUTO_TEST_CASE(array_variables) {
    using array = xt::xtensor<double, 1>;
    array const a{0.3, 0.5, 0.9}, b{1.1, 0.2, 0.4};
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x * y; for (int i = 0; i < 3; ++i) s = s * x + y; variable<array> t = s; t = t + s;
                         return sum(t * s);),
        [](array const& x, array const& y) {
            array s = x * y;
            for (int i = 0; i < 3; ++i) s = array(s * x + y);
            return xt::sum(2.0 * s * s)();
        },
        a, b);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), std::vector<variable<array>> v{x, y, sin(x)}; variable<array> s = v[0];
                         for (auto const& t : v) s = s + t * t; return sum(s);),
        [](array const& x, array const& y) { return xt::sum(x + x * x + y * y + xt::sin(x) * xt::sin(x))(); }, a, b);
    agree(
        [](auto const& x, auto const& y) -> variable<double> {
            if (x(0) > 5.0) return 1.0;
            variable<array> u = array{1.0, 2.0, 3.0};
            u = u * x;
            return sum(u * y);
        },
        [](array const& x, array const& y) { return x(0) * y(0) + 2 * x(1) * y(1) + 3 * x(2) * y(2); }, a, b);
}
