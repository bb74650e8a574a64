// scan(body, init, xs, params...): values and derivatives by every verb beside the same loop written with variables; what it goes over, and what it gives.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <test/loops/compare.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct measured {
    vector time;
    matrix place;
};
XGRAD_REFLECT(measured, time, place)
struct labelled {
    measured all;
    xt::xtensor<int, 1> kind;
};
XGRAD_REFLECT(labelled, all, kind)

namespace {

vector const x{0.1, 0.5, -0.3, 0.2, 0.7};
matrix const rows{{0.1, 0.2}, {0.5, -0.4}, {0.3, 0.9}, {-0.6, 0.2}, {0.7, 0.1}};

auto const cell = [](auto const& s, auto const& y, auto const& w) {
    auto h = tanh(w * s + y);
    return std::tuple(h, h * h * y);
};
auto const by_hand = [](auto const& y, auto const& w) {
    xgrad::number_like<decltype(w)> s = 0.1 * w;
    xgrad::number_like<decltype(w)> total = 0.0 * w;
    for (std::size_t i = 0; i < 5; ++i) {
        s = tanh(w * s + y(i));
        total += s * s * y(i) * (1.0 + 0.1 * static_cast<double>(i));
    }
    return s + total;
};

}

BOOST_AUTO_TEST_CASE(rows_of_an_array_and_stacked_outputs) {
    vector const weights{1.0, 1.1, 1.2, 1.3, 1.4};
    auto with = [&](auto... policy) {
        return [&weights, policy...](auto const& y, auto const& w) {
            auto const [s, ys] = xgrad::scan(cell, 0.1 * w, y, w, policy...);
            return s + sum(ys * weights);
        };
    };
    auto const expected = xgrad::value_and_gradient(by_hand, x, 0.6);
    auto check = [&](auto const& f) {
        auto const found = xgrad::value_and_gradient(f, x, 0.6);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(std::get<0>(found.gradient), std::get<0>(expected.gradient)) < tight);
        BOOST_TEST(gap(std::get<1>(found.gradient), std::get<1>(expected.gradient)) < tight);
    };
    check(with());
    check(with(xgrad::checkpoints(2)));
    // forward, second order, and a pullback that is called twice
    auto f = with(xgrad::every(2));
    auto p = xgrad::vjp(f, x, 0.6);
    for (int i = 0; i < 2; ++i) {
        auto const back = p.pullback(1.0);
        BOOST_TEST(gap(std::get<0>(back), std::get<0>(expected.gradient)) < tight);
        BOOST_TEST(gap(std::get<1>(back), std::get<1>(expected.gradient)) < tight);
    }
    auto of_one = [&](auto const& y) { return f(y, y(1)); };
    auto of_one_by_hand = [&](auto const& y) { return by_hand(y, y(1)); };
    vector const d{0.3, -0.2, 0.5, 1.0, 0.1};
    BOOST_TEST(gap(xgrad::jvp(of_one, std::tuple(x), std::tuple(d)).tangent, xgrad::jvp(of_one_by_hand, std::tuple(x), std::tuple(d)).tangent) < tight);
    bends(std::get<0>(xgrad::hvp(of_one, x, d).product), of_one_by_hand, x, d);
    auto g = xgrad::prepare_gradient(f, x, 0.6);
    g(x, 0.6);
    g(x, 0.6);
    std::size_t const before = allocations;
    g(x, 0.6);
    BOOST_TEST(allocations == before);
    // plain values alone
    auto const [s, ys] = xgrad::scan(cell, 0.06, x, 0.6);
    BOOST_TEST(gap(s + xt::sum(ys * weights)(), expected.value) < tight);
}

// Several arrays, constants among them, a count, and containers of constants; outputs of several kinds.
BOOST_AUTO_TEST_CASE(what_it_goes_over) {
    std::vector<double> const noise{0.3, 0.1, 0.2, 0.7, 0.5};
    auto step = [](auto const& s, auto const& item, auto const& w) {
        auto const& [row, number, constant_row, z, i] = item;
        auto next = sin(s * w + row) + number * constant_row;
        auto loss = sum(next * next) * (z + static_cast<double>(i));
        return std::tuple(next, std::tuple(xgrad::summed(loss), next * number, loss));
    };
    auto f = [&](auto const& a, auto const& y, auto const& w) {
        auto const [last, out] = xgrad::scan(step, vector{0.1, 0.2}, std::tuple(a, y, std::cref(rows), std::cref(noise), 5u), w, xgrad::checkpoints(2));
        auto const& [loss, path, losses] = out;
        return loss + sum(path * path) + sum(last) + sum(losses * losses);
    };
    auto g = [&](auto const& a, auto const& y, auto const& w) {
        xgrad::variable s = vector{0.1, 0.2} + 0.0 * w;
        xgrad::variable total = 0.0 * w;
        for (std::size_t i = 0; i < 5; ++i) {
            s = sin(s * w + view(a, i)) + y(i) * xt::eval(xt::view(rows, i));
            xgrad::variable loss = sum(s * s) * (noise[i] + static_cast<double>(i));
            total += loss + sum(s * s * y(i) * y(i)) + loss * loss;
        }
        return total + sum(s);
    };
    auto const a = xgrad::value_and_gradient(f, rows, x, 0.8), b = xgrad::value_and_gradient(g, rows, x, 0.8);
    BOOST_TEST(gap(a.value, b.value) < 1e-11);
    BOOST_TEST(gap(std::get<0>(a.gradient), std::get<0>(b.gradient)) < 1e-10);
    BOOST_TEST(gap(std::get<1>(a.gradient), std::get<1>(b.gradient)) < 1e-10);
    BOOST_TEST(gap(std::get<2>(a.gradient), std::get<2>(b.gradient)) < 1e-10);
    // the rows of a struct's arrays, and a body that gives the next state alone
    auto of_struct = [](measured const& m) {
        auto h = [](auto const& seen, auto const& w) {
            return xgrad::scan([](auto const& s, auto const& now, auto const& v) { return s * v + now.time * sum(now.place); }, 0.5 * w, seen, w);
        };
        return xgrad::gradient(h, m, 0.9);
    };
    auto const [dm, dw] = of_struct({x, rows});
    BOOST_TEST(gap(dm.time(1), std::pow(0.9, 3) * 0.1) < tight);
    BOOST_TEST(gap(dm.place(4, 0), 0.7) < tight);
    BOOST_TEST(std::isfinite(dw));
}

BOOST_AUTO_TEST_CASE(arrays_given_by_every_verb) {
    auto body = [](auto const& u, auto const& i) {
        auto y = u * u;
        return std::tuple(0.5 * u, std::tuple(y, xgrad::summed(y * u), vector{1.0 + static_cast<double>(i), 2.0}));
    };
    auto with = [&](auto... policy) {
        return [=](auto const& u) {
            auto const [last, ys] = xgrad::scan(body, u, 3, policy...);
            auto const& [rows, total, constants] = ys;
            return sum(last * last) + sum(rows * rows * constants) + sum(total);
        };
    };
    auto by_hand = [](auto const& u) {  // the steps go by halves
        auto square = u * u;
        auto fourth = square * square;
        return sum(square / 64.0 + 1.140625 * square * u) + fourth(0) * (1.0 + 2.0 / 16.0 + 3.0 / 256.0) + 2.0 * fourth(1) * (1.0 + 1.0 / 16.0 + 1.0 / 256.0);
    };
    vector const u{1.0, 2.0}, d{1.0, -0.5};
    auto const expected = xgrad::hvp(by_hand, u, d);
    auto check = [&](auto const& f) {
        auto const found = xgrad::hvp(f, u, d);
        BOOST_TEST(gap(found.value, expected.value) < 1e-12);
        BOOST_TEST(gap(found.gradient, expected.gradient) < 1e-12);
        BOOST_TEST(gap(found.product, expected.product) < 1e-12);
        BOOST_TEST(gap(xgrad::jvp(f, u, d).tangent, xt::sum(std::get<0>(expected.gradient) * d)()) < 1e-12);
    };
    check(with());
    check(with(xgrad::keep_all()));
}

// What is constant in a struct is given as its rows are, by the same names.
BOOST_AUTO_TEST_CASE(structs_of_constants) {
    measured const m{x, rows};
    auto step = [](auto const& s, auto const& item, auto const& w) { return s + w * item.time * sum(item.place * tanh(w * item.place)); };
    auto with = [=](auto... policy) {
        return [=](auto const& w, auto const& all) { return xgrad::scan(step, 0.1, all, w, policy...); };
    };
    auto const expected = xgrad::value_and_gradient(with(), 0.7, m);
    auto check = [&](auto const& f, auto const& all) {
        auto const found = xgrad::value_and_gradient(f, 0.7, all);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(std::get<0>(found.gradient), std::get<0>(expected.gradient)) < tight);
    };
    check(with(), xgrad::constant(m));
    check(with(xgrad::checkpoints(2)), xgrad::constant(m));
    check(with(xgrad::keep_all()), xgrad::constant(m));
    // the struct that it was made of need not stay
    check([&](auto const& w, auto const&) { return with()(w, measured(m)); }, xgrad::constant(0.0));
    check([&](auto const& w, auto const&) { return with()(w, std::cref(m)); }, xgrad::constant(0.0));
    auto of_one = [&](auto const& w) { return with()(w, m); };
    auto of_active = [&](auto const& w) {
        xgrad::variable total = 0.1 * w / w;
        for (std::size_t i = 0; i < 5; ++i) total += w * x(i) * sum(vector(xt::view(rows, i)) * tanh(w * vector(xt::view(rows, i))));
        return total;
    };
    bends(std::get<0>(xgrad::hvp(of_one, 0.7, 1.0).product), of_active, 0.7, 1.0);
    // plain values alone, a declared result, a struct in a struct and in a tuple, and integers
    BOOST_TEST(gap(xgrad::scan([](auto const& s, auto const& item) { return s + item.time * item.place(1); }, 0.0, m), -0.34) < tight);
    labelled const l{m, {1, 2, 3, 4, 5}};
    auto counts = [](auto const& s, auto const& item, auto const& w) -> xgrad::real {
        auto const& [data, i] = item;
        return s + w * (data.all.time * data.kind) * static_cast<double>(i);
    };
    auto of_labelled = [&](auto const& w) { return xgrad::scan(counts, 0.0, std::tuple(l, 5), w); };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(of_labelled, 0.7)), 1.0 - 1.8 + 2.4 + 14.0) < tight);
    BOOST_TEST(gap(xgrad::scan(counts, 0.0, std::tuple(l, 5), 2.0), 2.0 * 15.6) < tight);
    measured const uneven{vector{1.0}, rows};
    BOOST_CHECK_EXCEPTION(xgrad::gradient([&](auto const& w) { return with()(w, uneven); }, 0.7), std::invalid_argument, says("E253"));
    BOOST_CHECK_EXCEPTION(with()(0.7, uneven), std::invalid_argument, says("E253"));
}

// An expression of plain arrays that has no axes is a number: where all is plain, and as a constant among active values.
BOOST_AUTO_TEST_CASE(sums_of_constants) {
    vector const u{1.0, 2.0}, c{1.0, 3.0};
    auto sums = [](auto const& s, auto const& i, auto const& v) {
        return std::tuple(s + sum(v), std::tuple(sum(v * v) * static_cast<double>(i), xgrad::summed(sum(v) * s), xgrad::summed(xgrad::eval(v * s))));
    };
    auto of = [](auto const& all) {
        auto const& [s, ys] = all;
        auto const& [a, b, d] = ys;
        return s + sum(a)() + b + sum(d)();
    };
    auto f = [&](auto const& v) {
        auto const [s, ys] = xgrad::scan(sums, 0.1, 3, v);
        auto const& [a, b, d] = ys;
        return s + sum(a) + b + sum(d);
    };
    BOOST_TEST(gap(of(xgrad::scan(sums, 0.1, 3, u)), xgrad::value(f, u)) < tight);
    auto grows = [](auto const& s) {
        auto const& [v, e] = s;
        return std::tuple(xgrad::eval(0.5 * v), e + sum(v * v));
    };
    BOOST_TEST(std::get<1>(xgrad::iterate(3, grows, std::tuple(u, 0.0))) == 5.0 * (1.0 + 1.0 / 4 + 1.0 / 16));
    auto constants = [c](auto const& s, auto const&, auto const& v) {
        auto const& [a, b] = s;
        return std::tuple(std::tuple(a * sum(v) + b, sum(c * c)), std::tuple(sum(c), xgrad::summed(sum(c * c))));
    };
    auto with = [&](auto... policy) {
        return [=](auto const& v) {
            auto const [s, ys] = xgrad::scan(constants, std::tuple(0.5, 0.1), 3, v, policy...);
            return std::get<0>(s) * std::get<1>(s) + sum(std::get<0>(ys)) + std::get<1>(ys);
        };
    };
    auto by_hand = [](auto const& v) {
        auto t = sum(v);
        return 10.0 * (((0.5 * t + 0.1) * t + 10.0) * t + 10.0) + 12.0 + 30.0;
    };
    auto const expected = xgrad::hvp(by_hand, u, c);
    auto check = [&](auto const& g) {
        auto const found = xgrad::hvp(g, u, c);
        BOOST_TEST(gap(found.value, expected.value) < 1e-12);
        BOOST_TEST(gap(found.gradient, expected.gradient) < 1e-12);
        BOOST_TEST(gap(found.product, expected.product) < 1e-12);
    };
    check(with());
    check(with(xgrad::keep_all()));
    auto declared = [c](auto const& s, auto const& v) -> xgrad::result<std::tuple<double, double>> {
        auto const& [a, b] = s;
        return std::tuple(a * v + b, sum(c * c));
    };
    auto of_declared = [&](auto const& v) { return std::get<0>(xgrad::iterate(2, declared, std::tuple(0.5, 0.1), v)); };
    BOOST_TEST(gap(std::get<0>(xgrad::gradient(of_declared, 2.0)), 2.1) < tight);
}

BOOST_AUTO_TEST_CASE(no_item_and_one) {
    auto f = [](auto const& y, auto const& w) {
        auto const [s, ys] = xgrad::scan(cell, 2.0 * w, y, w);
        return s + sum(ys);
    };
    auto const none = xgrad::value_and_gradient(f, vector(), 0.6);
    BOOST_TEST(none.value == 1.2);
    BOOST_TEST(std::get<0>(none.gradient).size() == 0u);
    BOOST_TEST(std::get<1>(none.gradient) == 2.0);
    auto const one = xgrad::value_and_gradient(f, vector{0.3}, 0.6);
    double const h = std::tanh(0.6 * 1.2 + 0.3);
    BOOST_TEST(gap(one.value, h + h * h * 0.3) < tight);
    BOOST_TEST(gap(std::get<0>(one.gradient)(0), (1 - h * h) * (1 + 2 * h * 0.3) + h * h) < tight);
    auto differ = [](auto const& y) { return xgrad::scan([](auto const& s, auto const& xs) { return s + std::get<0>(xs); }, 0.0, std::tuple(y, 3)); };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(differ, x), std::invalid_argument, says("E253"));
    // integers are stacked as doubles
    auto counts = [](auto const& y) {
        auto body = [](auto const& s, auto const& i, auto const& p) { return std::tuple(s * p(0), 100'000'001 + static_cast<int>(i)); };
        auto const [s, ys] = xgrad::scan(body, 1.0, 3, y);
        return s + sum(ys);
    };
    BOOST_TEST(xgrad::value(counts, vector{2.0}) == 8.0 + 300'000'006.0);
    auto grows = [](auto const& y) {
        auto part = [](auto const& s, auto const& i, auto const& all) { return std::tuple(s + 1.0, view(all, xt::range(0, i + 1)) * 2.0); };
        return sum(std::get<1>(xgrad::scan(part, 0.0, 3, y)));
    };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(grows, x), std::invalid_argument, says("E254"));
}
