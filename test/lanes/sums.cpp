// Sums and means of elementwise expressions of one map: one pass over its items, with the values and derivatives of the same in two.
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/map.hpp>
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using xgrad::each, xgrad::map;

namespace {

std::size_t runs = 0;
auto const wave = [](auto const& a, auto const& b) -> xgrad::real {
    ++runs;
    return sin(a) * exp(b * a);
};
constexpr std::size_t size = 13;

void near(double found, double expected, double tolerance = 1e-12) {
    BOOST_CHECK_MESSAGE(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)), found << " is not " << expected);
}
// f(m, x, w, k) is a scalar expression of the map m: as it stands where it is, and of a map that has a name. How often the function runs in the first.
enum class order { first, second };
template <order Order = order::first, class F>
std::size_t agrees(F const& f) {
    auto const once = [&](auto const& x, auto const& w, auto const& k) { return f([&] { return map(wave, each(x), k); }, x, w, k); };
    auto const twice = [&](auto const& x, auto const& w, auto const& k) {
        auto m = map(wave, each(x), k);
        return f([&]() -> auto const& { return m; }, x, w, k);
    };
    vector const x = xt::linspace(0.1, 0.9, size), w = xt::linspace(1.0, 2.0, size), xdot = xt::cos(3.0 * x), wdot = xt::sin(x);
    double const k = 0.7, kdot = -0.3;
    runs = 0;
    auto const a = xgrad::value_and_gradient(once, x, w, k);
    std::size_t const count = runs;
    auto const b = xgrad::value_and_gradient(twice, x, w, k);
    auto const same = [](auto const& g, auto const& h) {
        for (std::size_t i = 0; i < size; ++i) near(std::get<0>(g)(i), std::get<0>(h)(i)), near(std::get<1>(g)(i), std::get<1>(h)(i));
        near(std::get<2>(g), std::get<2>(h));
    };
    near(a.value, b.value);
    same(a.gradient, b.gradient);
    if constexpr (Order == order::second) {
        auto const primals = std::tuple(x, w, k);
        auto const tangents = std::tuple(xdot, wdot, kdot);
        auto const c = xgrad::hvp(once, primals, tangents), d = xgrad::hvp(twice, primals, tangents);
        near(c.value, a.value);
        same(c.gradient, a.gradient);
        same(c.product, d.product);
        double const along = xt::sum(std::get<0>(a.gradient) * xdot)() + xt::sum(std::get<1>(a.gradient) * wdot)() + std::get<2>(a.gradient) * kdot;
        near(xgrad::jvp(once, primals, tangents).tangent, along);
        auto at = [&](double h) { return xgrad::value(once, vector(x + h * xdot), vector(w + h * wdot), k + h * kdot); };
        near((at(1e-5) - at(-1e-5)) / 2e-5, along, 1e-8);
    }
    return count;
}

}

BOOST_AUTO_TEST_CASE(one_pass) {
    vector const y = xt::linspace(-1.0, 2.0, size);
    std::size_t const one = agrees([](auto const& m, auto const&, auto const&, auto const&) { return sum(m()); });
    auto check = [&](auto const& f) { BOOST_TEST(agrees(f) == one); };
    auto check_second_order = [&](auto const& f) { BOOST_TEST(agrees<order::second>(f) == one); };
    check([](auto const& m, auto const&, auto const&, auto const&) { return mean(m()); });
    check([&](auto const& m, auto const&, auto const&, auto const&) { return sum(y * m()); });
    check([&](auto const& m, auto const&, auto const&, auto const&) { return sum(m() * std::cref(y)); });
    check([](auto const& m, auto const&, auto const& w, auto const&) { return mean(w * m()); });
    check_second_order([](auto const& m, auto const& x, auto const& w, auto const&) { return sum(w * m() * x); });
    check([](auto const& m, auto const&, auto const&, auto const& k) { return sum(0.5 * m()) * k; });
    check([](auto const& m, auto const&, auto const&, auto const& k) { return sum(k * m()); });
    check_second_order([](auto const& m, auto const&, auto const&, auto const& k) { return sum(exp(k) * m() - k); });
    check_second_order([&](auto const& m, auto const&, auto const& w, auto const& k) { return sum(w * w * square(m() - y)) * k; });
    check([](auto const& m, auto const&, auto const&, auto const&) { return -mean(log(m())); });
    check([](auto const& m, auto const&, auto const& w, auto const&) { return sum(where(w > 1.52, m(), 2.0 * w)); });
    check([](auto const& m, auto const&, auto const& w, auto const&) { return sum(maximum(m(), w - 1.0)); });
    // what is computed before, and what comes after
    check([](auto const& m, auto const&, auto const& w, auto const& k) {
        auto scaled = w * k;
        auto s = sum(scaled * m());
        return s * s + sum(scaled);
    });
    check([](auto const& m, auto const&, auto const& w, auto const&) { return sum(cumsum(w) * m()); });
}

BOOST_AUTO_TEST_CASE(what_takes_two_passes) {
    std::size_t const one = agrees([](auto const& m, auto const&, auto const&, auto const&) { return sum(m()); });
    auto check = [&](auto const& f) { BOOST_TEST(agrees(f) == 2 * one); };
    xt::xtensor<double, 2> const rows = xt::linspace(0.5, 2.0, 2 * size).reshape({2, static_cast<int>(size)});
    // it broadcasts
    check([&](auto const& m, auto const&, auto const&, auto const&) { return sum(rows * m()); });
    check([](auto const& m, auto const&, auto const& w, auto const&) { return sum(view(w, xt::range(2, 3)) * m()); });
    // weights that lie apart
    check([](auto const& m, auto const&, auto const& w, auto const&) { return sum(view(w, xt::range(xt::placeholders::_, xt::placeholders::_, -1)) * m()); });
    // the largest has to be known first
    check([](auto const& m, auto const&, auto const&, auto const&) { return logsumexp(m()); });
    // two maps, each of them twice
    BOOST_TEST(agrees([](auto const& m, auto const& x, auto const&, auto const& k) { return sum(m() * map(wave, each(x), k)); }) == 4 * one);
    // a map of one item beside several weights
    auto const first = [](auto const& x, auto const& w) { return sum(w * map(wave, each(view(x, xt::range(0, 1))), 0.5)); };
    vector const x{0.3, 0.4}, w{1.0, 2.0};
    auto const [dx, dw] = xgrad::gradient(first, x, w);
    near(dx(0), 3 * std::exp(0.15) * (std::cos(0.3) + 0.5 * std::sin(0.3)));
    near(dw(1), std::sin(0.3) * std::exp(0.15));
}

BOOST_AUTO_TEST_CASE(other_maps) {
    // items that take different ways, and others that throw
    auto const bent = [](auto const& a) -> xgrad::real {
        if (a > 0.5) return a * a;
        return 2.0 * a;
    };
    vector const x = xt::linspace(0.0, 1.0, 11), w = xt::linspace(1.0, 3.0, 11);
    auto const [dx, dw] = xgrad::gradient([&](auto const& u, auto const& v) { return sum(v * map(bent, each(u))); }, x, w);
    for (std::size_t i = 0; i < 11; ++i) {
        near(dx(i), w(i) * (x(i) > 0.5 ? 2 * x(i) : 2));
        near(dw(i), x(i) > 0.5 ? x(i) * x(i) : 2 * x(i));
    }
    auto const thrower = [](auto const& a) -> xgrad::real {
        if (a > 0.95) throw std::runtime_error("too big");
        return a * a;
    };
    auto g = xgrad::prepare_gradient([&](auto const& u) { return sum(std::cref(w) * map(thrower, each(u))); }, x);
    BOOST_CHECK_THROW(g(x), std::runtime_error);
    near(g(vector(0.5 * x)).value, xt::sum(w * 0.25 * x * x)());
    // none
    vector const nothing = vector::from_shape({0});
    BOOST_TEST(xgrad::value_and_gradient([&](auto const& u) { return sum(u * map(bent, each(u))); }, nothing).value == 0.0);
    BOOST_CHECK_THROW(xgrad::gradient([&](auto const& u) { return mean(2.0 * map(bent, each(u))); }, nothing), std::invalid_argument);
    // floats, and weights of another type
    xt::xtensor<float, 1> const y = xt::cast<float>(x);
    auto const [dy] = xgrad::gradient([&](auto const& u) { return sum(2.0f * map([](auto const& a) -> xgrad::result<float> { return a * a; }, each(u))); }, y);
    auto const [dz] = xgrad::gradient([&](auto const& u) { return sum(w * map([](auto const& a) -> xgrad::result<float> { return a * a; }, each(u))); }, y);
    for (std::size_t i = 0; i < 11; ++i) near(dy(i), 4 * y(i), 1e-6), near(dz(i), w(i) * 2 * y(i), 1e-6);
    // a function that declares nothing, and a grid
    auto const [da] = xgrad::gradient([&](auto const& u) { return sum(w * map([](auto const& a) { return a * a * a; }, each(u))); }, x);
    for (std::size_t i = 0; i < 11; ++i) near(da(i), w(i) * 3 * x(i) * x(i));
    xt::xtensor<double, 2> const m = xt::linspace(0.0, 1.0, 30).reshape({5, 6}), at = xt::linspace(1.0, 2.0, 20).reshape({4, 5});
    auto const jump = [](auto i, auto j, auto const& u) -> xgrad::real { return u(i + 1, j + 1) - u(i, j); };
    auto const once = [&](auto const& u, auto const& v) { return sum(v * square(xgrad::tabulate({4, 5}, jump, u))); };
    auto const twice = [&](auto const& u, auto const& v) {
        auto t = xgrad::tabulate({4, 5}, jump, u);
        return sum(v * t * t);
    };
    auto const a = xgrad::value_and_gradient(once, m, at), b = xgrad::value_and_gradient(twice, m, at);
    near(a.value, b.value);
    for (std::size_t i = 0; i < 30; ++i) near(std::get<0>(a.gradient).data()[i], std::get<0>(b.gradient).data()[i]);
    for (std::size_t i = 0; i < 20; ++i) near(std::get<1>(a.gradient).data()[i], std::get<1>(b.gradient).data()[i]);
}
