// custom_gradient and value_gradient_and_aux.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/custom_gradient.hpp>
#include <xgrad/with_aux.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::value_with_pullback, xgrad::no_tangent;

namespace {
struct point {
    xt::xtensor<double, 1> place;
    double weight = 1;
    int label = 0;
};
XGRAD_REFLECT(point, place, weight, label)
}

BOOST_AUTO_TEST_CASE(of_a_number) {
    // the straight-through estimator
    auto const f = [](auto const& x) {
        auto y = xgrad::custom_gradient([](double a) { return value_with_pullback{std::round(a), [](double ybar) { return ybar; }}; }, x * 2.0);
        return y * y;
    };
    BOOST_TEST(xgrad::value(f, 1.3) == 9.0);
    BOOST_TEST((xgrad::gradient(f, 1.3) == std::tuple(2 * 3.0 * 2)));
    auto const scoped = [](auto const& x) -> xgrad::real {
        auto y = xgrad::custom_gradient([](double a) { return value_with_pullback{a * a, [a](double ybar) { return std::tuple(ybar * a); }}; }, x);
        return y * 3.0;
    };
    BOOST_TEST((xgrad::gradient(scoped, 2.0) == std::tuple(6.0)));
    BOOST_TEST(xgrad::custom_gradient([](double a) { return value_with_pullback{a + 1, [](double ybar) { return ybar; }}; }, 2.0) == 3.0);
}

BOOST_AUTO_TEST_CASE(of_arrays_and_what_has_no_derivative) {
    xt::xtensor<double, 2> const m{{1, 2}, {3, 4}};
    xt::xarray<double> const d{5, 6};
    int calls = 0;
    auto const f = [&](auto const& a, auto const& b) {
        return custom_gradient(
            [&](xt::xtensor<double, 2> const& x, xt::xarray<double> const& y, int n, std::string const&) {
                xt::xtensor<double, 2> const z = x * y * n;
                return value_with_pullback{z, [&calls, x, y](xt::xtensor<double, 2> const& zbar) {
                                               ++calls;
                                               return std::tuple(zbar * y * 10, xt::xarray<double>(xt::sum(zbar * x, {0})), no_tangent{}, no_tangent{});
                                           }};
            },
            a, 1.0 * b, 3, std::string("text"));
    };
    auto const r = xgrad::value_and_gradient([&](auto const& a, auto const& b) { return sum(f(a, b)); }, m, d);
    BOOST_TEST(r.value == 3 * (5 + 12 + 15 + 24.0));
    BOOST_TEST((std::get<0>(r.gradient) == xt::xtensor<double, 2>{{50, 60}, {50, 60}}));
    BOOST_TEST((std::get<1>(r.gradient) == xt::xarray<double>{4, 6}));
    BOOST_TEST(calls == 1);
    // a plain operand in the place of an active one
    auto const [g] = xgrad::gradient([&](auto const& a) { return sum(custom_gradient([](auto const& x, auto const& y) {
        xt::xtensor<double, 2> const z = x + y;
        return value_with_pullback{z, [](auto const& zbar) { return std::tuple(zbar, 2 * zbar); }};
    }, a, m)); }, m);
    BOOST_TEST((g == xt::ones<double>({2, 2})));
}

BOOST_AUTO_TEST_CASE(of_structs) {
    point const p{{1, 2}, 3, 4};
    auto const f = [](auto const& q) {
        return custom_gradient(
            [](point const& x) {
                point const y{x.place * 2, x.weight, x.label};
                return value_with_pullback{y, [](xgrad::tangent<point> const& ybar) { return xgrad::tangent<point>{ybar.place * 20, ybar.weight * 10, {}}; }};
            },
            q);
    };
    auto const r = xgrad::value_and_gradient(
        [&](auto const& q) {
            auto y = f(q);
            BOOST_TEST(y.label == 4);
            return sum(y.place) * y.weight;
        },
        p);
    BOOST_TEST(r.value == 18.0);
    BOOST_TEST((std::get<0>(r.gradient).place == xt::xtensor<double, 1>{60, 60}));
    BOOST_TEST(std::get<0>(r.gradient).weight == 60.0);
}

BOOST_AUTO_TEST_CASE(beside_the_value) {
    xt::xtensor<double, 1> const x{1, 2, 3};
    auto const f = [](auto const& a, auto const& b) {
        auto y = a * b;
        return std::pair{sum(y * y), y};
    };
    auto const [value, gradient, prediction] = xgrad::value_gradient_and_aux(f, x, 2.0);
    static_assert(std::is_same_v<decltype(prediction), xt::xtensor<double, 1> const>);
    BOOST_TEST(value == 56.0);
    BOOST_TEST((std::get<0>(gradient) == 8.0 * x));
    BOOST_TEST(std::get<1>(gradient) == 56.0);
    BOOST_TEST((prediction == 2.0 * x));
    // several things, some without a derivative; a constant argument
    auto const g = [](auto const& a, auto const& k) {
        auto y = xgrad::variable(sum(a) * k(0));
        return std::tuple{y, std::tuple{y * 2.0, std::string("done"), std::vector<int>{1}, k}};
    };
    auto const r = xgrad::value_gradient_and_aux(g, x, xgrad::constant(x));
    BOOST_TEST(r.value == 6.0);
    BOOST_TEST(std::get<0>(r.aux) == 12.0);
    BOOST_TEST(std::get<1>(r.aux) == "done");
    BOOST_TEST((std::get<3>(r.aux) == x));
}
