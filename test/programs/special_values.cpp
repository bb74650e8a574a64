// Empty arrays, arrays of one element, NaN and infinity.
#include <cmath>
#include <limits>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
double const infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();
}

BOOST_AUTO_TEST_CASE(empty_arrays) {
    matrix const x03 = xt::zeros<double>({0, 3}), x30 = xt::zeros<double>({3, 0}), b13 = {{1, 2, 3}}, b31 = {{1}, {2}, {3}};
    auto sum_of = [](auto const& x, auto const& b) { return sum(x + b); };
    auto plain = [](auto const&, auto const&) { return 0.0; };
    agree(sum_of, plain, x03, b13);
    agree(sum_of, plain, x30, b31);
    agree(sum_of, plain, x03, vector{1, 2, 3});
    agree(sum_of, plain, x03, 2.0);
    agree(sum_of, plain, vector{}, vector{1});
    agree(
        [](auto const& x, auto const& b) {
            auto h = x * b;
            auto s = sum(h, 0);
            auto t = sum(h * h, 1);
            auto u = exp(h);
            return sum(s * b) + sum(t) + sum(u) + sum(b);
        },
        [](auto const&, matrix const& b) { return xt::sum(b)(); }, x03, b13);
    agree(
        [](auto const& x) {
            variable<vector> s = x;
            for (int i = 0; i < 3; ++i) s = s * x + 1.0;
            return sum(s) * 2.0;
        },
        [](auto const&) { return 0.0; }, vector{});
    agree([](auto const& x) { return sum(mean(x, 1)); }, [](auto const&) { return 0.0; }, x03);
    xt::xarray<double> const dynamic = xt::zeros<double>({2, 0});
    agree([](auto const& x) { auto h = x * x; return sum(h * 2.0) + sum(sum(h, 1)); }, [](auto const&) { return 0.0; }, dynamic);
    BOOST_CHECK(std::get<1>(xgrad::gradient(sum_of, x03, b13)) == xt::zeros<double>({1, 3}));
}

BOOST_AUTO_TEST_CASE(one_element) {
    vector const one{0.7};
    matrix const m11 = {{0.7}};
    auto f = [](auto const& x) { auto h = sin(x) * x; auto s = sum(h); return s * s + mean(h) + sum(h * s); };
    auto plain = [](auto const& x) { double h = std::sin(x(0)) * x(0); return 2 * h * h + h; };
    agree(f, plain, one);
    agree(f, [](auto const& x) { double h = std::sin(x(0, 0)) * x(0, 0); return 2 * h * h + h; }, m11);
    agree(
        [](auto const& x, auto const& y) {
            auto h = x * y;
            return sum(h * y) + h(0);
        },
        [](vector const& x, vector const& y) { return xt::sum(x * y * y)() + x(0) * y(0); }, one, vector{1, 2, 3});
}

BOOST_AUTO_TEST_CASE(a_last_extent_of_one) {
    for (std::size_t n : {1u, 2u, 5u, 8u, 9u, 17u}) {
        matrix x({n, 1});
        double v = 0;
        for (auto& e : x) e = v += 0.125;
        agree([](auto const& a) { auto h = sin(a); auto r = sum(h * a, 1); auto c = sum(h, 0); return sum(h * h) + sum(r * r) + sum(a * c); },
              [](matrix const& a) { matrix h = xt::sin(a); return xt::sum(h * h)() + xt::sum(xt::square(h * a))() + xt::sum(a)() * xt::sum(h)(); }, x);
    }
}

BOOST_AUTO_TEST_CASE(infinities_flow_where_they_belong) {
    vector const x{1.0, 0.0, 4.0, not_a_number, 0.25, infinity, 9.0, 1.0, 0.0};
    auto [value, gradient] = xgrad::value_and_gradient([](auto const& a) { auto h = sqrt(a); return sum(h * 2.0); }, x);
    auto const& g = std::get<0>(gradient);
    BOOST_CHECK(std::isnan(value));
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i == 3) BOOST_CHECK(std::isnan(g(i)));
        else BOOST_CHECK_EQUAL(g(i), 1 / std::sqrt(x(i)));
    // an element that nobody asks for does not spoil another, whatever it is
    auto [d] = xgrad::gradient([](auto const& a) { auto h = a * 2.0; return h(0) * h(2); }, x);
    BOOST_CHECK_EQUAL(d(0), 16.0);
    BOOST_CHECK_EQUAL(d(3), 0.0);
    auto [s] = xgrad::gradient([](auto const& a) { return log(a) * 2.0; }, 0.0);
    BOOST_CHECK_EQUAL(s, infinity);
    auto [overflow, go] = xgrad::value_and_gradient([](auto const& a) { auto e = exp(a); return e + a; }, 1000.0);
    BOOST_CHECK_EQUAL(overflow, infinity);
    BOOST_CHECK_EQUAL(std::get<0>(go), infinity);
}

BOOST_AUTO_TEST_CASE(not_a_number_does_not_end_a_program) {
    for (double x : {not_a_number, infinity, -infinity}) {
        auto [value, gradient] = xgrad::value_and_gradient(
            [](auto const& a) {
                auto h = sin(a);
                auto k = h < 1.0 ? variable(h * a) : variable(h);
                return k + maximum(a, 0.0);
            },
            x);
        BOOST_CHECK(std::isnan(value) || std::isinf(value));
        BOOST_CHECK(std::isnan(std::get<0>(gradient)));
    }
}
