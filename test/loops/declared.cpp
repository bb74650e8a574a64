// Bodies that declare a result of several numbers, a struct, or fixed arrays, beside the same bodies with an automatic result.
#include <cmath>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <test/count_allocations.hpp>
#include <test/loops/compare.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector3 = xt::xtensor_fixed<double, xt::xshape<3>>;
using matrix3 = xt::xtensor_fixed<double, xt::xshape<3, 3>>;

struct oscillator {
    double place, speed;
    int steps;
};
XGRAD_REFLECT(oscillator, place, speed, steps)

namespace {

auto const swing = [](auto const& s, auto const& k) {
    auto const& [x, v, i] = s;
    auto faster = v - 0.1 * (k * x + 0.05 * cos(0.1 * i));
    return std::tuple(x + 0.1 * faster, faster, i + 1);
};
auto const swing_declared = [](auto const& s, auto const& k) -> xgrad::result<std::tuple<double, double, int>> {
    auto const& [x, v, i] = s;
    auto faster = v - 0.1 * (k * x + 0.05 * cos(0.1 * i));
    return std::tuple(x + 0.1 * faster, faster, i + 1);
};
auto const swing_of_struct = [](auto const& s, auto const& k) -> xgrad::result<oscillator> {
    auto faster = s.speed - 0.1 * (k * s.place + 0.05 * cos(0.1 * s.steps));
    return std::tuple(s.place + 0.1 * faster, faster, s.steps + 1);
};
auto const tumble = [](auto const& s, auto const& m, auto const& scale) {
    auto const& [u, v] = s;
    auto turned = scale * sum(m * v, {1});
    return std::tuple(u + 0.1 * turned, v - 0.1 * u * u);
};
auto const tumble_declared = [](auto const& s, auto const& m, auto const& scale) -> xgrad::result<std::tuple<vector3, vector3>> {
    auto const& [u, v] = s;
    auto turned = scale * sum(m * v, {1});
    return std::tuple(u + 0.1 * turned, v - 0.1 * u * u);
};

}

BOOST_AUTO_TEST_CASE(several_numbers) {
    auto with = [](auto const& body, auto... policy) {
        return [=](auto const& x, auto const& k) {
            auto const last = xgrad::iterate(17, body, std::tuple(x, 0.3 * k, 1), k, policy...);
            return std::get<0>(last) * std::get<1>(last) + static_cast<double>(std::get<2>(last));
        };
    };
    auto const expected = xgrad::value_and_gradient(with(swing), 1.0, 2.0);
    auto check = [&](auto const& f) {
        auto const found = xgrad::value_and_gradient(f, 1.0, 2.0);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(std::get<0>(found.gradient), std::get<0>(expected.gradient)) < tight);
        BOOST_TEST(gap(std::get<1>(found.gradient), std::get<1>(expected.gradient)) < tight);
    };
    check(with(swing_declared));
    check(with(swing_declared, xgrad::checkpoints(3)));
    auto of_struct = [](auto const& start, auto const& k) {
        auto const last = xgrad::iterate(17, swing_of_struct, start, k);
        return last.place * last.speed + static_cast<double>(last.steps);
    };
    auto const found = xgrad::value_and_gradient(of_struct, oscillator{1.0, 0.6, 1}, 2.0);
    BOOST_TEST(gap(found.value, expected.value) < tight);
    BOOST_TEST(gap(std::get<0>(found.gradient).place, std::get<0>(expected.gradient)) < tight);
    BOOST_TEST(gap(std::get<1>(found.gradient) + 0.3 * std::get<0>(found.gradient).speed, std::get<1>(expected.gradient)) < tight);
    auto p = xgrad::vjp(with(swing_declared), 1.0, 2.0);
    for (int i = 0; i < 2; ++i) BOOST_TEST(gap(std::get<1>(p.pullback(1.0)), std::get<1>(expected.gradient)) < tight);
    auto one = [&](auto const& body) { return [f = with(body)](auto const& k) { return f(k, k * k); }; };
    bends(std::get<0>(xgrad::hvp(one(swing_declared), 1.1, 1.0).product), one(swing), 1.1, 1.0);
    BOOST_TEST(gap(xgrad::derivative(one(swing_declared), 1.1), xgrad::derivative(one(swing), 1.1)) < 1e-12);
    auto g = xgrad::prepare_gradient(with(swing_declared), 1.0, 2.0);
    g(1.0, 2.0);
    g(1.0, 2.0);
    std::size_t const before = allocations;
    g(1.0, 2.0);
    BOOST_TEST(allocations == before);
    // plain values, and constants alone
    auto const plain = xgrad::iterate(17, swing_declared, std::tuple(1.0, 0.6, 1), 2.0);
    BOOST_TEST(gap(std::get<0>(plain) * std::get<1>(plain) + std::get<2>(plain), expected.value) < tight);
    auto constants = [](auto const& x) {
        auto body = [](auto const&) -> xgrad::result<std::tuple<double, double>> { return std::tuple(2.0, 3.0); };
        return x * std::get<1>(xgrad::iterate(3, body, std::tuple(x, x)));
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(constants, 5.0)) == 3.0);
    auto captured = [](auto const& x, auto const& w) {
        return std::get<0>(xgrad::iterate(3, [&](auto const& s) -> xgrad::result<std::tuple<double, double>> {
            auto const& [a, b] = s;
            return std::tuple(a * w, b);
        }, std::tuple(x, x)));
    };
    BOOST_CHECK_THROW(xgrad::gradient(captured, 0.5, 2.0), std::logic_error);
}

BOOST_AUTO_TEST_CASE(fixed_arrays) {
    auto with = [](auto const& body, auto... policy) {
        return [=](auto const& u, auto const& m, auto const& scale) {
            auto const [a, b] = xgrad::iterate(9, body, std::tuple(u, vector3{0.3, 0.2, 0.1}), m, scale, policy...);
            return sum(a * b);
        };
    };
    vector3 const u{0.5, -0.2, 0.7};
    matrix3 const m{{0.1, 0.5, 0.2}, {0.3, -0.2, 0.1}, {0.0, 0.4, 0.6}};
    auto const expected = xgrad::value_and_gradient(with(tumble), u, m, 0.9);
    auto check = [&](auto const& f) {
        auto const found = xgrad::value_and_gradient(f, u, m, 0.9);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(std::get<0>(found.gradient), std::get<0>(expected.gradient)) < tight);
        BOOST_TEST(gap(std::get<1>(found.gradient), std::get<1>(expected.gradient)) < tight);
        BOOST_TEST(gap(std::get<2>(found.gradient), std::get<2>(expected.gradient)) < tight);
    };
    check(with(tumble_declared));
    check(with(tumble_declared, xgrad::checkpoints(2)));
}

// Nothing is due to a step that runs forward, and its state has no memory for cotangents.
BOOST_AUTO_TEST_CASE(numbers_made_of_elements) {
    auto check = []<class V>(V const& u, auto const& step) {
        auto with = [](auto const& body) {
            return [=](auto const& x) {
                auto const [last, e] = xgrad::iterate(3, body, std::tuple(x, 0.0), 0.9);
                return sum(last * last) + e * e;
            };
        };
        auto const declared = with([step](auto const& s, auto const& k) -> xgrad::result<std::tuple<V, double>> { return step(s, k); });
        auto const expected = xgrad::value_and_gradient(with(step), u);
        auto const found = xgrad::hvp(declared, u, u);
        BOOST_TEST(gap(found.value, expected.value) < tight);
        BOOST_TEST(gap(found.gradient, expected.gradient) < tight);
        bends(std::get<0>(found.product), with(step), u, u);
        BOOST_TEST(gap(xgrad::gradient(declared, u), expected.gradient) < tight);
    };
    vector3 const u{0.3, 0.7, 0.2};
    auto product = [](auto const& s, auto const& k) {
        auto const& [v, e] = s;
        return std::tuple(v * k, e + v(0) * v(1));
    };
    check(u, product);
    check(xt::xtensor<double, 1>{0.3, 0.7}, product);
    check(u, [](auto const& s, auto const& k) { return std::tuple(std::get<0>(s) * k, std::get<1>(s) + sum(std::get<0>(s))); });
    // nor to a part that nobody asks of, whatever its slope
    auto root = [](auto const& s, auto const& k) -> xgrad::result<std::tuple<double, double>> {
        auto const& [a, b] = s;
        return std::tuple(a * k, sqrt(a));
    };
    auto f = [&](auto const& a) { return std::get<0>(xgrad::iterate(2, root, std::tuple(a, 0.0), 3.0)); };
    BOOST_TEST(std::get<0>(xgrad::gradient(f, 0.0)) == 9.0);
}

// A step, or a condition, may write into a copy of what the state has, whose cotangents nobody reads as long as steps run forward.
BOOST_AUTO_TEST_CASE(bodies_that_write_into_places) {
    auto check = []<class V>(V const& x) {
        auto writes = [](auto const& s, auto const& k) -> xgrad::result<std::tuple<V, double>> {
            auto const& [u, e] = s;
            xgrad::variable v = u;
            view(v, xt::range(0, 2)) *= 2.0;
            view(v, xt::range(1, 3)) *= 0.5;
            v(0) *= v(2);
            return std::tuple(u * k, e + v(0) * v(1));
        };
        auto reads = [](auto const& s, auto const& k) { return std::tuple(std::get<0>(s) * k, std::get<1>(s) + prod(std::get<0>(s))); };
        auto with = [](auto const& body) {
            return [=](auto const& u) {
                auto const [last, e] = xgrad::iterate(3, body, std::tuple(u, 0.0), 0.9);
                return e * e + sum(last);
            };
        };
        BOOST_TEST(gap(xgrad::gradient(with(writes), x), xgrad::gradient(with(reads), x)) < tight);
        BOOST_TEST(gap(xgrad::value(with(writes), x), xgrad::value(with(reads), x)) < tight);
    };
    check(vector3{0.3, 0.7, 0.2});
    check(xt::xtensor<double, 1>{0.3, 0.7, 0.2});
    auto doubled = [](auto const& x) {
        auto go_on = [](auto const& s) {
            xgrad::variable v = s;
            view(v, xt::range(0, 2)) *= 2.0;
            view(v, xt::range(1, 3)) *= 2.0;
            return v(1) < 40.0;
        };
        auto const r = xgrad::while_loop(go_on, [](auto const& s) { return eval(s * 2.0); }, x);
        return sum(r * r);
    };
    auto const [g] = xgrad::gradient(doubled, xt::xtensor<double, 1>{0.3, 0.7, 0.2});
    BOOST_TEST(gap(g, xt::xtensor<double, 1>{153.6, 358.4, 102.4}) < 1e-10);
}

// real is a double; what it is made of, and the state, are floats.
BOOST_AUTO_TEST_CASE(floats) {
    auto of = [](auto start) {
        return [start](auto const& x) { return xgrad::iterate(3, [](auto const& s, auto const& k) -> xgrad::real { return s * k + s * s; }, start, x); };
    };
    auto const [y, slope] = xgrad::jvp(of(0.3f), 0.5f, 1.0f);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(slope)>, float>);
    auto const r = xgrad::hvp(of(0.3f), 0.5f, 1.0f);
    BOOST_TEST((y == r.value && y == xgrad::value(of(0.3f), 0.5f)));
    BOOST_TEST((slope == std::get<0>(r.gradient) && slope == std::get<0>(xgrad::gradient(of(0.3f), 0.5f))));
    BOOST_TEST(gap(std::get<0>(r.product), std::get<0>(xgrad::hvp(of(0.3), 0.5, 1.0).product)) < 1e-6);
    auto inside = [](auto const& x) { return xgrad::checkpoint([](auto const& a) -> xgrad::real { return a * a * a; }, x); };
    BOOST_TEST(xgrad::derivative(inside, 2.0f) == 12.0f);
}
