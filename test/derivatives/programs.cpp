// Forward mode, forward over reverse, and repeated pullbacks of programs on numbers and arrays of every layout and element type.
#include <boost/test/unit_test.hpp>

#include "orders.hpp"

#include <xgrad/linalg.hpp>

using derivatives::orders_agree;

namespace {

template <class T>
xt::xtensor<T, 2> matrix() { return {{T(.5), T(-1.2), T(.3)}, {T(1.4), T(.25), T(-.6)}}; }
template <class T>
xt::xtensor<T, 1> vector() { return {T(.7), T(-.4), T(1.1)}; }

}

BOOST_AUTO_TEST_CASE(numbers) {
    auto f = [](auto const& x, auto const& y) {
        auto a = x * y;
        auto b = exp(a) + sin(x) / (2.0 + y * y);
        auto c = a * b;
        return c * std::move(b) + pow(y, 3.0) - a;
    };
    orders_agree(f, 0.7, 1.3);
    orders_agree(f, 0.7f, 1.3f);
    orders_agree(f, 0.7, xgrad::constant(1.3));
    orders_agree([](auto const& x, auto const& y) -> xgrad::real {
        auto a = x * y;
        auto b = exp(a) + x;
        return b * b + a;
    }, 0.7, 1.3);
    // the declared result of floats is a double
    orders_agree([](auto const& x) -> xgrad::real { return sum(x * x * x); }, vector<float>());
    // an active number beside a plain array of fixed shape
    xt::xtensor_fixed<double, xt::xshape<3>> const p{1.0, 2.0, 3.0};
    orders_agree([&](auto const& x) {
        auto q = exp(x * p);
        return sum(q * q * p);
    }, 0.5);
    orders_agree([](auto const& x, auto const& y) -> xgrad::sum_result {
        xgrad::sum_result total;
        for (int i = 1; i < 4; ++i) {
            auto r = x * static_cast<double>(i) - y;
            total += r * r * x;
        }
        return total;
    }, 0.7, 1.3);
    orders_agree([](auto const& x, auto const& y) {
        xgrad::variable s = x;
        for (int i = 0; i < 5; ++i) s = s * y + sin(s);
        if (s > 100.0) s = s * 2.0;
        return s;
    }, 0.7, 0.9);
    // one argument is not used at all, and one value gets no contribution
    orders_agree([](auto const& x, auto const&) {
        [[maybe_unused]] auto unused = sqrt(x);
        return x;
    }, 0.7, 0.9);
}

BOOST_AUTO_TEST_CASE(arrays) {
    auto f = [](auto const& a, auto const& b, auto const& s) {
        auto h = tanh(a * b) + s;
        auto k = exp(view(h, xt::all(), xt::range(0, 2))) * view(h, xt::all(), xt::range(1, 3));
        return sum(h * h * a) + mean(k) * h(1, 2) + sum(sum(h, {0}) * b) / (1.5 + s * s) + sum(transpose(h) * 0.5) * b(0);
    };
    orders_agree(f, matrix<double>(), vector<double>(), 0.4);
    orders_agree(f, xt::xtensor<double, 2, xt::layout_type::column_major>(matrix<double>()), xt::xarray<double>(vector<double>()), 0.4);
    auto g = [](auto const& a, auto const& b) { return sum(tanh(a * b) * view(a, 1)); };
    orders_agree(g, matrix<float>(), vector<float>());
    orders_agree(g, matrix<long double>(), vector<long double>());
    orders_agree(g, matrix<double>(), xgrad::constant(vector<double>()));
    // more than one batch, and a rest
    xt::xtensor<double, 1> const x = xt::linspace(-1.0, 1.0, 37);
    orders_agree([](auto const& v) { return sum(exp(v) * sin(v) * maximum(v, 0.1) + log(v * v + 1.0)); }, x);
    orders_agree([](auto const& v) -> xgrad::real {
        auto s = sum(v * v);
        auto m = mean(exp(v));
        return s * m * v(3);
    }, x);
}

BOOST_AUTO_TEST_CASE(products) {
    xt::xtensor<double, 2> const w = {{.3, -.2}, {.5, .7}, {-.1, .9}};
    auto f = [](auto const& a, auto const& b, auto const& v) {
        auto h = xgrad::dot(a, b);
        auto r = xgrad::dot(transpose(h), tanh(h)) + 1.0;
        return sum(r * r) + xgrad::dot(v, xgrad::dot(b, xgrad::dot(h, transpose(b)))(1, 2) * v);
    };
    orders_agree(f, matrix<double>(), w, vector<double>());
    orders_agree([](auto const& a, auto const& b) { return sum(square(xgrad::dot(a, b))); }, xt::xarray<double>(matrix<double>()), xgrad::constant(w));
}

BOOST_AUTO_TEST_CASE(assignments) {
    orders_agree([](auto const& w, auto const& v) {
        auto s = sin(w);
        auto g = assign(w, w * v);
        return sum(s * w) + sum(g * g * g);
    }, vector<double>(), vector<double>());
}

// The empty array, one element, nothing but constants.
BOOST_AUTO_TEST_CASE(edges) {
    orders_agree([](auto const& a, auto const& b) { return sum(exp(a) * b) + b * b * b; }, xt::xtensor<double, 1>::from_shape({0}), 0.5);
    orders_agree([](auto const& a) { return sum(exp(a) * a(0)); }, xt::xtensor<double, 1>{0.3});
    auto const r = xgrad::hvp([](auto const&) { return 2.0; }, std::tuple(0.3), std::tuple(1.0));
    BOOST_CHECK_EQUAL(r.value, 2.0);
    BOOST_CHECK_EQUAL(std::get<0>(r.product), 0.0);
    BOOST_CHECK_EQUAL(xgrad::derivative([](auto const&) { return 2.0; }, 0.3), 0.0);
    BOOST_CHECK_EQUAL(xgrad::hessian([](auto const& x) { return x; }, 0.3), 0.0);
}
