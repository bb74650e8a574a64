// Loops that keep all that their steps compute: values and derivatives by every verb, and no step that runs twice.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <test/loops/compare.hpp>
#include <xgrad/explain.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

struct body_in_space {
    vector place;
    double speed;
    int age;
};
XGRAD_REFLECT(body_in_space, place, speed, age)

namespace {

auto const step = [](auto const& s, auto const& w) {
    auto y = sin(s);
    return y * w + 0.1 * s;
};

}

// Beside a loop with variables.
BOOST_AUTO_TEST_CASE(every_verb) {
    vector const x{0.1, 0.4, -0.2}, d{0.3, -0.2, 0.5};
    std::size_t n = 0;
    auto f = [&n](auto const& u) {
        auto y = xgrad::iterate(n, step, u * u, u(1), xgrad::keep_all());
        return sum(y * y) * u(0);
    };
    auto g = [&n](auto const& u) {
        xgrad::variable y = u * u;
        for (std::size_t i = 0; i < n; ++i) y = step(y, u(1));
        return sum(y * y) * u(0);
    };
    for (n = 0; n < 9; n = 2 * n + 1) {
        auto const a = xgrad::hvp(f, x, d);
        auto const b = xgrad::value_and_gradient(g, x);
        BOOST_TEST(gap(a.value, b.value) < tight);
        BOOST_TEST(gap(a.gradient, b.gradient) < tight);
        bends(std::get<0>(a.product), g, x, d);
        auto p = xgrad::vjp(f, x);
        for (int i = 0; i < 2; ++i) BOOST_TEST(gap(p.pullback(1.0), b.gradient) < tight);
    }
    // in lanes, in a function with a declared result; a body with a declared result; plain values alone
    auto lanes = [](auto const& body) {
        auto one = [body](auto const& a, auto const& b) -> xgrad::real { return xgrad::iterate(4, body, a, b, xgrad::keep_all()) * b; };
        return [one](auto const& u, auto const& w) { return sum(xgrad::map(one, xgrad::each(u), w)); };
    };
    vector const u = xt::linspace<double>(-1.0, 1.0, 19);
    auto const a = xgrad::gradient(lanes(step), u, 0.8);
    auto const b = xgrad::gradient(lanes([](auto const& s, auto const& w) -> xgrad::real { return sin(s) * w + 0.1 * s; }), u, 0.8);
    BOOST_TEST(gap(a, b) < tight);
    auto by_hand = [](auto const& v, auto const& w) {
        xgrad::variable y = v;
        for (int i = 0; i < 4; ++i) y = step(y, w);
        return sum(y * w);
    };
    BOOST_TEST(gap(a, xgrad::gradient(by_hand, u, 0.8)) < tight);
    BOOST_TEST(xgrad::iterate(3, [](double s) { return 2 * s; }, 1.0, xgrad::keep_all()) == 8.0);
}

BOOST_AUTO_TEST_CASE(states_of_parts) {
    auto turn = [](auto const& s, auto const& c) {
        auto const& [a, b, i] = s;
        return std::tuple(b, sin(a) * c + 0.1 * static_cast<double>(i), i + 1);  // parts that change their places
    };
    auto of_tuple = [&](auto const& x, auto const& k) {
        auto const [a, b, i] = xgrad::iterate(7, turn, std::tuple(x, x * k, 2), k, xgrad::keep_all());
        return sum(a * a * b) + static_cast<double>(i);
    };
    auto by_hand = [](auto const& x, auto const& k) {
        xgrad::variable a = x;
        xgrad::variable b = x * k;
        for (int i = 2; i < 9; ++i) a = std::exchange(b, xgrad::variable(sin(a) * k + 0.1 * static_cast<double>(i)));
        return sum(a * a * b) + 9.0;
    };
    auto const p = xgrad::value_and_gradient(of_tuple, vector{0.2, 0.7}, 0.9), q = xgrad::value_and_gradient(by_hand, vector{0.2, 0.7}, 0.9);
    BOOST_TEST(gap(p.value, q.value) < tight);
    BOOST_TEST(gap(p.gradient, q.gradient) < tight);
    // a struct, arrays of dynamic rank
    auto of_struct = [](auto const& s, auto const& k) {
        auto move = [](auto const& now, auto const& c) {
            auto faster = 0.9 * now.speed + 0.1 * c * sum(sin(now.place));
            return std::tuple(now.place + 0.1 * faster, faster, now.age + 1);
        };
        auto const last = xgrad::iterate(2, move, s, k, xgrad::keep_all());
        return last.speed + static_cast<double>(last.age);
    };
    auto const [ds, dk] = xgrad::gradient(of_struct, body_in_space{{0.5}, 0.4, 2}, 1.3);
    double const first = 0.36 + 0.13 * std::sin(0.5), next = 0.5 + 0.1 * first, slope = 0.9 + 0.013 * std::cos(next);
    BOOST_TEST(gap(ds.speed, slope * 0.9) < tight);
    BOOST_TEST(gap(ds.place(0), slope * 0.13 * std::cos(0.5) + 0.13 * std::cos(next)) < tight);
    BOOST_TEST(gap(dk, slope * 0.1 * std::sin(0.5) + 0.1 * std::sin(next)) < tight);
    auto constants = [](auto const& x) { return sum(xgrad::iterate(3, [](auto const&) { return vector{1.0, 2.0}; }, x, xgrad::keep_all()) * x); };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(constants, xt::xarray<double>{3.0, 4.0})), xt::xarray<double>{1.0, 2.0}) == 0.0);
}

BOOST_AUTO_TEST_CASE(each_step_runs_once) {
    std::size_t runs = 0, said = 0;
    auto f = [&](auto const& x, auto const& w) {
        auto body = [&](auto const& s) {
            ++runs;
            return sin(s) * w;  // as in a `for` loop it may capture what is active
        };
        return sum(xgrad::iterate(20, body, x, xgrad::keep_all(), xgrad::on_progress(5, [&](xgrad::loop_progress p) { said += p.of == 20u && !p.backward; })));
    };
    vector const x{0.1, 0.4};
    auto const g = xgrad::gradient(f, x, 0.9);
    BOOST_TEST(runs == 20u);
    BOOST_TEST(said == 4u);
    auto by_hand = [](auto const& u, auto const& w) {
        xgrad::variable s = u;
        for (int i = 0; i < 20; ++i) s = sin(s) * w;
        return sum(s);
    };
    BOOST_TEST(gap(g, xgrad::gradient(by_hand, x, 0.9)) == 0.0);
    auto loop = [](auto const& u, auto const& a) {
        auto far = [](auto const& s, auto const& b) { return abs(s * s - b) > 1e-12; };
        return xgrad::while_loop(far, [](auto const& s, auto const& b) { return 0.5 * (s + b / s); }, u, a, xgrad::keep_all());
    };
    BOOST_TEST(gap(std::get<1>(xgrad::gradient(loop, 1.0, 2.0)), 0.5 / std::sqrt(2.0)) < 1e-9);
    auto h = xgrad::prepare_gradient([](auto const& u, auto const& w) {
        auto body = [](auto const& t, auto const& i, auto const& v) {
            auto y = step(t, v);
            return std::tuple(y, y * static_cast<double>(i));
        };
        auto const [s, ys] = xgrad::scan(body, u, 9, w, xgrad::keep_all());
        return sum(s) + sum(ys);
    }, x, 0.9);
    h(x, 0.9);
    h(x, 0.9);
    std::size_t const before = allocations;
    h(x, 0.9);
    BOOST_TEST(allocations == before);
    auto const text = xgrad::explain(f, x, 0.9).text();
    BOOST_TEST(text.find("[20 steps; keep_all: ") != std::string::npos);
    // shapes stay, and a body that throws leaves nothing behind
    auto wider = [](auto const& u) { return sum(xgrad::iterate(3, [](auto const& s) { return concatenate(xt::xtuple(s, s)); }, u, xgrad::keep_all())); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(wider, x), std::invalid_argument, says("E251"));
    int left = 0;
    auto throws = xgrad::prepare_gradient([&](auto const& u) {
        auto body = [&](auto const& s) {
            auto y = s * s;
            if (--left == 0) throw std::domain_error("step");
            return y + s;
        };
        return sum(xgrad::iterate(5, body, u, xgrad::keep_all()));
    }, x);
    vector const expected = std::get<0>(throws(x).gradient);
    for (int k = 1; k <= 5; ++k) {
        left = k;
        BOOST_CHECK_THROW(throws(x), std::domain_error);
        BOOST_TEST((std::get<0>(throws(x).gradient) == expected));
    }
}
