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

// Where squares overflow or underflow the norm does not, and neither does its gradient.
template <class T>
void norms_are_scaled(T a, T b) {
    xt::xtensor<T, 1> const x{a, b};
    auto const right = [&](char const* what, double found, double expected) {
        bool const good = std::abs(found - expected) <= 4e-7 * std::abs(expected);
        BOOST_CHECK_MESSAGE(good, what << " of " << a << ", " << b << " is " << found << ", not " << expected);
    };
    double const length = 5 * static_cast<double>(a) / 3;
    auto const whole = xgrad::value_and_gradient([](auto const& v) { return norm_l2(v); }, x);
    right("norm_l2", static_cast<double>(whole.value), length);
    right("its gradient", static_cast<double>(std::get<0>(whole.gradient)(1)), 0.8);
    auto const scoped = xgrad::value_and_gradient([](auto const& v) -> xgrad::real { return norm_l2(v); }, xt::xtensor_fixed<T, xt::xshape<2>>{a, b});
    right("norm_l2 of fixed ones", scoped.value, length);
    right("its gradient", static_cast<double>(std::get<0>(scoped.gradient)(0)), 0.6);
    right("jvp", static_cast<double>(xgrad::jvp([](auto const& v) { return norm_l2(v); }, std::tuple(x), std::tuple(x)).tangent), length);
    // rows of their own scales, one of zeros and one that needs none
    xt::xtensor<T, 2> const m{{a, b}, {0, 0}, {3, 4}, {1 / a, 0}};
    xt::xtensor<T, 1> const up{1 / a, 5, 1, a};
    auto const rows = xgrad::value_and_gradient([&](auto const& v) { return sum(norm_l2(v, {1}) * up); }, m);
    right("norm_l2 of lines", static_cast<double>(rows.value), 5.0 / 3 + 5 + 1);
    right("its gradient", static_cast<double>(std::get<0>(rows.gradient)(2, 1)), 0.8);
    BOOST_TEST(std::get<0>(rows.gradient)(1, 0) == 0);
    right("norm of a matrix", static_cast<double>(xgrad::value([](auto const& v) { return norm_l2(v); }, xt::xtensor<T, 2>{{a, 0}, {b, 0}})), length);
}
BOOST_AUTO_TEST_CASE(norms) {
    norms_are_scaled(3e20f, 4e20f);
    norms_are_scaled(3e-24f, 4e-24f);
    norms_are_scaled(3e200, 4e200);
    norms_are_scaled(3e-200, 4e-200);
}
// An error does not grow with the number of floats.
BOOST_AUTO_TEST_CASE(sums_of_many_floats) {
    std::size_t const n = 1 << 20;
    xt::xtensor<float, 1> x = xt::zeros<float>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = i % 2 == 0 ? 0.1f : 0.3f;
    double const all = (0.1 + 0.3) / 2 * static_cast<double>(n);
    auto const right = [&](char const* what, double found, double expected) {
        BOOST_CHECK_MESSAGE(std::abs(found / expected - 1) < 1e-6, what << " is " << found << ", not " << expected);
    };
    right("sum", static_cast<double>(xgrad::value([](auto const& v) { return sum(v); }, x)), all);
    right("norm_sq", static_cast<double>(xgrad::value([](auto const& v) { return norm_sq(v); }, x)), 0.05 * static_cast<double>(n));
    right("variance", static_cast<double>(xgrad::value([](auto const& v) { return variance(v); }, x)), 0.01);
    auto const [of_x, of_number] = xgrad::gradient([](auto const& v, auto const& s) { return sum(v * s); }, x, 1.0f);
    right("the cotangent of a number", static_cast<double>(of_number), all);
    right("cumsum", static_cast<double>(xgrad::value([](auto const& v) { auto s = cumsum(v, 0); return s(s.size() - 1) * 1.0f; }, x)), all);
}
BOOST_AUTO_TEST_CASE(gradients_of_nan) {
    vector const x{1, not_a_number, 2};
    auto const is_nan_at_1 = [&](char const* name, auto const& f) {
        auto const [y, g] = xgrad::value_and_gradient(f, x);
        BOOST_CHECK_MESSAGE(std::isnan(y) && std::isnan(std::get<0>(g)(1)), name);
    };
    is_nan_at_1("amax", [](auto const& v) { return amax(v); });
    is_nan_at_1("amin", [](auto const& v) { return amin(v); });
    is_nan_at_1("norm_linf", [](auto const& v) { return norm_linf(v); });
    is_nan_at_1("logsumexp", [](auto const& v) { return logsumexp(v); });
    is_nan_at_1("relu", [](auto const& v) { return sum(maximum(v, 0.0)); });
    // what is masked away contributes nothing
    auto const [g] = xgrad::gradient([](auto const& v) { return amax(v) * 0.0 + amin(v) * 0.0; }, vector{not_a_number});
    BOOST_TEST(g(0) == 0);
    BOOST_TEST(std::isnan(xgrad::value([](auto const& v) { return median(v); }, vector{1, not_a_number, 3, 4, 5})));
    BOOST_TEST(std::isnan(xgrad::value([](auto const& v) { return median(v); }, vector{1, not_a_number, 3, 4})));
    BOOST_TEST(xgrad::value([](auto const& v) { return median(v); }, vector{1, 3, 4, 5}) == 3.5);
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
