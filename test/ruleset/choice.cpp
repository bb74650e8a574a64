// where and clip: values of xtensor's own, derivatives against central differences, and what is not taken gives nothing back.
#include <cmath>
#include <limits>
#include <vector>

#include "by_lines.hpp"

using namespace programs;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const m{{0.3, -1.2, 2.0, 0.9, -0.1}, {1.5, 0.7, -0.4, -2.0, 0.2}};
xt::xtensor<bool, 1> const columns{true, false, true, true, false};
double const inf = std::numeric_limits<double>::infinity();

template <class F>
vector slope(F f, vector const& x) { return std::get<0>(xgrad::gradient(f, x)); }

}

BOOST_AUTO_TEST_CASE(conditions_of_every_kind) {
    agree(XGRAD_BOTH_MODES((auto const& x), auto r = where(x > 0.0, x * x, exp(x)); return weighed(r) + weighed(where(transpose(x) > 0.5, 2.0, transpose(x)));),
          [](matrix const& x) {
              matrix const r = xt::where(x > 0.0, x * x, xt::exp(x)), t = xt::transpose(x), s = xt::where(t > 0.5, 2.0, t);
              return weighed(r) + weighed(s);
          }, m);
    // plain ones that broadcast, expressions of them, numbers; operands that broadcast
    agree(
        [](auto const& x, auto const& b) {
            return weighed(xt::where(columns, x, b)) + weighed(xgrad::where(m > 0.5 && columns, b, 1)) + weighed(where(true, x, b)) +
                   weighed(where(x(0, 0) < 0.0, x, b));
        },
        [](matrix const& x, vector const& b) {
            matrix const r = xt::where(columns, x, b), s = xt::where(m > 0.5 && columns, b, 1), u = b + 0.0 * x;
            return weighed(r) + weighed(s) + weighed(x) + weighed(u);
        },
        m, vector{0.5, 0.1, -0.3, 1.0, 2.0});
    agree(
        XGRAD_BOTH_MODES((auto a, auto b), return where(a < b, a * b, sin(b)) + where(b < a, a * b, sin(b)) * 2.0;),
        [](double a, double b) { return a * b + 2 * std::sin(b); }, 0.3, 0.8);
    agree([](auto const& x) { return weighed(where(x > 0.0f, x, x * 3)); },
          [](auto const& x) {
              matrix const r = xt::where(x > 0.0, x, 3 * x);
              return weighed(r);
          },
          xt::xtensor<float, 2>(m));
    agree([](auto const& x) { return weighed(where(x > 0.0, x * x, x)); },
          [](auto const& x) {
              xt::xarray<double> const r = xt::where(x > 0.0, x * x, x);
              return weighed(r);
          },
          xt::xarray<double>(m));
    agree([](auto const& x) { return sum(where(x, x * x, 1.0)) + sum(where(x > 7.0, x, 0.0)); }, [](vector const& x) { return xt::sum(x * x)(); },
          vector{0.5, 2.0});
}
BOOST_AUTO_TEST_CASE(nothing_goes_into_what_is_not_taken) {
    vector const x{0.0, 4.0, -1.0};
    // what comes back is infinite, or no number
    vector g = slope([](auto const& v) { auto a = v * 1.0; return sum(sqrt(where(v > 0.0, a, v * 0.0))); }, x);
    BOOST_CHECK_EQUAL(g(1), 0.25);
    g = slope(
        [](auto const& v) {
            auto a = v * 2.0;
            auto b = v * 3.0;
            auto r = where(v > 0.0, a, b);
            return sum(r / where(v > 0.0, 1.0, 0.0 * a));
        },
        vector{4.0, 1.0});
    BOOST_CHECK_EQUAL(g(0), 2.0);
    agree([](auto const& v, auto const& w) { return sum(where(v > 0.0, v, w)); }, [](vector const& v, vector const& w) { return v(1) + w(0) + w(2); },
          vector{-1.0, 4.0, -1.0}, vector{1.0, 2.0, 3.0});
    vector const h =
        std::get<1>(xgrad::gradient([](auto const& v, auto const& w) { return sum(log(where(v > 0.0, v, w))); }, vector{1.0, -1.0}, vector{0.0, inf}));
    BOOST_CHECK_EQUAL(h(0), 0.0);
}
BOOST_AUTO_TEST_CASE(the_first_condition_that_holds) {
    agree([](auto const& x, auto const& b) { return weighed(select(xt::xtuple(x > 1.0, x > 0.0, columns), xt::xtuple(x * x, b, 3.0), sin(x))); },
          [](matrix const& x, vector const& b) {
              matrix const r = xt::where(x > 1.0, x * x, xt::where(x > 0.0, b + 0.0 * x, xt::where(columns, 3.0 + 0.0 * x, xt::sin(x))));
              return weighed(r);
          }, m, vector{0.5, 0.1, -0.3, 1.0, 2.0});
    // the last ones plain: numbers, arrays, a condition that is one bool
    agree(
        [](auto const& x) {
            return weighed(select(xt::xtuple(x > 1.0, columns), xt::xtuple(x * x, 2.0), 0.5)) +
                   weighed(select(xt::xtuple(x > 1.0, false), xt::xtuple(x, m), m * 2.0)) + weighed(select(xt::xtuple(x > 1.0, true), xt::xtuple(x, 1), 0.5));
        },
        [](matrix const& x) {
            matrix const r = xt::where(x > 1.0, x * x, xt::where(columns, 2.0 + 0.0 * x, 0.5 + 0.0 * x)), s = xt::where(x > 1.0, x, m * 2.0),
                         t = xt::where(x > 1.0, x, 1.0);
            return weighed(r) + weighed(s) + weighed(t);
        },
        m);
    agree([](auto const& a, auto const& b) { return select(xt::xtuple(a > b, b > 1.0), xt::xtuple(a * b, b), a); },
          [](double a, double b) { return a > b   ? a * b
                                          : b > 1 ? b
                                                  : a; }, 0.5, 0.25);
    // with plain values throughout
    matrix const r = xgrad::select(xt::xtuple(m > 1.0, m > 0.0), xt::xtuple(m, 2.0), -1.0);
    BOOST_CHECK((r == matrix(xt::where(m > 1.0, m, xt::where(m > 0.0, 2.0, -1.0)))));
}
BOOST_AUTO_TEST_CASE(clipped) {
    agree(
        [](auto const& x, auto const& b) {
            return weighed(clip(x, -1.0, 1.0)) + weighed(xt::clip(x, b, 1.2)) + weighed(xgrad::clip(x * 2.0, -2, b)) + clip(x(0, 0), 0.5, 1.0) * x(0, 1);
        },
        [](matrix const& x, vector const& b) {
            matrix const r = xt::clip(x, -1.0, 1.0), s = xt::minimum(xt::maximum(x, b), 1.2), t = xt::minimum(xt::maximum(2 * x, -2.0), b);
            return weighed(r) + weighed(s) + weighed(t) + 0.5 * x(0, 1);
        },
        m, vector{0.5, 0.1, -0.3, 1.0, 0.25});
    vector const g = slope([](auto const& x) { return sum(clip(x, 0.0, 1.0) * 3.0); }, {0.0, 1.0, 2.0, -inf, 0.5});
    BOOST_CHECK(xt::allclose(g, vector{3.0, 3.0, 0.0, 0.0, 3.0}));
}

// Where a branch is not taken its derivative may be infinite: nothing of it comes through, in either mode or order, named or not.
BOOST_AUTO_TEST_CASE(nothing_comes_from_the_branch_not_taken) {
    xt::xtensor<double, 1> const x = {0.0, 4.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 0.0, 16.0}, xdot = xt::ones<double>({10});
    auto const fused = [](auto const& v) { return sum(where(v > 0.0, sqrt(v) * log(v), v * 2.0)); };
    auto const named = [](auto const& v) {
        auto root = sqrt(v);
        auto logarithm = log(v);
        return sum(where(v > 0.0, root * logarithm, v * 2.0));
    };
    auto check = [&](auto const& f) {
        auto const second = xgrad::hvp(f, x, xdot);
        auto const tangent = xgrad::jvp(f, std::tuple(x), std::tuple(xdot)).tangent;
        double sum_of_slopes = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            double const v = x(i), r = std::sqrt(v);
            double const slope = v > 0 ? std::log(v) / (2 * r) + 1 / r : 2.0, curvature = v > 0 ? -std::log(v) / (4 * v * r) : 0.0;
            BOOST_CHECK_SMALL(std::get<0>(xgrad::gradient(f, x))(i) - slope, 1e-12);
            BOOST_CHECK_SMALL(std::get<0>(second.product)(i) - curvature, 1e-12);
            sum_of_slopes += slope;
        }
        BOOST_CHECK_SMALL(tangent - sum_of_slopes, 1e-12);
    };
    check(fused);
    check(named);
}
