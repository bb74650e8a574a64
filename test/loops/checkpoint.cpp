// checkpoint(f, x...): value and derivatives by every verb beside those of f(x...); how often f runs, and what is kept.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <test/loops/compare.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

BOOST_AUTO_TEST_CASE(a_checkpoint_has_the_derivatives_of_its_function) {
    int runs = 0;
    auto inside = [&](auto const& x, auto const& s, int k) {
        ++runs;
        auto y = sin(x) * s;
        auto z = exp(y * y - 0.1 * k);
        return std::tuple(sum(z), y * z, k + 1);
    };
    auto finish = [](auto const& parts) {
        auto const& [total, field, k] = parts;
        return total * sum(field * field) * static_cast<double>(k);
    };
    auto f = [&](auto const& x, auto const& s) { return finish(xgrad::checkpoint(inside, x * x, s, 2)); };
    auto g = [&](auto const& x, auto const& s) { return finish(inside(x * x, s, 2)); };
    vector const x{0.3, 0.7, -0.4}, d{1.0, -0.5, 0.25};
    auto const b = xgrad::value_and_gradient(g, x, 1.2);
    runs = 0;
    auto const a = xgrad::value_and_gradient(f, x, 1.2);
    BOOST_TEST(runs == 2);
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(gap(std::get<0>(a.gradient), std::get<0>(b.gradient)) < tight);
    BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < tight);
    BOOST_TEST(gap(xgrad::value(f, x, 1.2), b.value) < tight);
    auto p = xgrad::vjp(f, x, 1.2);
    for (int i = 0; i < 2; ++i) BOOST_TEST(gap(std::get<0>(p.pullback(1.0)), std::get<0>(b.gradient)) < tight);
    auto f1 = [&](auto const& y) { return f(y, sum(y)); };
    auto g1 = [&](auto const& y) { return g(y, sum(y)); };
    bends(std::get<0>(xgrad::hvp(f1, x, d).product), f1, x, d);
    BOOST_TEST(gap(xgrad::jvp(f1, std::tuple(x), std::tuple(d)).tangent, xgrad::jvp(g1, std::tuple(x), std::tuple(d)).tangent) < tight);
    // plain values
    BOOST_TEST(xgrad::checkpoint([](double y) { return 2 * y; }, 1.5) == 3.0);
}

BOOST_AUTO_TEST_CASE(checkpoints_in_checkpoints_and_loops) {
    auto inner = [](auto const& x) { return sin(x) * x; };
    auto outer = [=](auto const& x) { return exp(0.1 * xgrad::checkpoint(inner, x * 2.0)); };
    auto f = [=](auto const& x) { return xgrad::iterate(3, [=](auto const& s) { return xgrad::checkpoint(outer, s) + s; }, x, xgrad::checkpoints(1)); };
    auto g = [=](auto const& x) {
        xgrad::variable s = x;
        for (int i = 0; i < 3; ++i) s = exp(0.1 * inner(s * 2.0)) + s;
        return s;
    };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(f, 0.4)), std::get<0>(xgrad::gradient(g, 0.4))) < tight);
    auto square = [](auto const& a, auto const& b) -> xgrad::real { return a * a * b; };
    auto declared = [=](auto const& x, auto const& y) { return xgrad::checkpoint(square, x, y) * y; };
    auto const d = xgrad::gradient(declared, 3.0, 2.0);
    BOOST_TEST(std::get<0>(d) == 24.0);
    BOOST_TEST(std::get<1>(d) == 36.0);
}

BOOST_AUTO_TEST_CASE(what_a_checkpoint_keeps) {
    auto long_way = [](auto const& x) {
        xgrad::variable y = x;
        for (int i = 0; i < 30; ++i) y = sin(y) + y;
        return y;
    };
    auto f = [=](auto const& x) {
        xgrad::variable y = x;
        for (int i = 0; i < 10; ++i) y = xgrad::checkpoint(long_way, y);
        return sum(y);
    };
    auto h = [=](auto const& x) {
        xgrad::variable y = x;
        for (int i = 0; i < 10; ++i) y = long_way(y);
        return sum(y);
    };
    vector const x = xt::linspace(0.01, 0.02, 100);
    auto a = xgrad::prepare_gradient(f, x);
    auto b = xgrad::prepare_gradient(h, x);
    BOOST_TEST(gap(std::get<0>(a(x).gradient), std::get<0>(b(x).gradient)) < 1e-9);
    BOOST_TEST(a.workspace_bytes() < b.workspace_bytes() / 4);
    a(x);
    std::size_t const before = allocations;
    a(x);
    BOOST_TEST(allocations == before);
    // nothing is left behind
    int left = 3;
    auto throws = xgrad::prepare_gradient([&](auto const& y) {
        return sum(xgrad::checkpoint([&](auto const& z) { if (--left == 0) throw std::runtime_error("inside"); return z * z; }, sin(y)));
    }, x);
    throws(x);
    BOOST_CHECK_THROW(throws(x), std::runtime_error);
    BOOST_TEST(std::isfinite(throws(x).value));
    auto captured = [](auto const& y) { return xgrad::checkpoint([&](auto const& z) { return z * y; }, y); };
    auto says = [](std::logic_error const& e) { return std::string(e.what()).find("xgrad[E250]: checkpoint(f, x...)") == 0; };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captured, 1.0), std::logic_error, says);
    auto gives_captured = [](auto const& y) { return xgrad::checkpoint([&](auto const&) { return y; }, y); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(gives_captured, 1.0), std::logic_error, says);
}
