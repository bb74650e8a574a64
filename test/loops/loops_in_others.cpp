// Loops inside of a map, of a Hessian, of a checkpoint, and of each other with policies of their own; scans that throw.
#include <cmath>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/bend.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const x{0.1, 0.5, -0.3, 0.2, 0.7};

}

BOOST_AUTO_TEST_CASE(a_loop_inside_of_a_map) {
    auto by_loop = [](auto const& a, auto const& w) {
        return xgrad::iterate(4, [](auto const& s, auto const& v) { return sin(s) * v + 0.1 * s; }, a, w);
    };
    auto by_hand = [](auto const& a, auto const& w) {
        xgrad::variable s = a;
        for (int i = 0; i < 4; ++i) s = sin(s) * w + 0.1 * s;
        return s;
    };
    auto of = [](auto const& f) { return [f](auto const& a, auto const& w) { return sum(xgrad::map(f, xgrad::each(a), w)); }; };
    auto const a = xgrad::value_and_gradient(of(by_loop), x, 0.9), b = xgrad::value_and_gradient(of(by_hand), x, 0.9);
    BOOST_TEST(std::abs(a.value - b.value) < 1e-13);
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(a.gradient) - std::get<0>(b.gradient)))() < 1e-13);
    BOOST_TEST(std::abs(std::get<1>(a.gradient) - std::get<1>(b.gradient)) < 1e-13);
}

BOOST_AUTO_TEST_CASE(loops_in_lanes) {
    // paths of a price, a register of them at a time: by a scan over a row, by iterate with a count, with checkpoints, and by variables
    constexpr std::size_t steps = 9;
    auto step = [](auto const& s, auto const& z, auto const& drift) -> xgrad::result<std::tuple<double, double>> {
        auto const& [price, total] = s;
        auto next = price * exp(drift + 0.2 * z);
        return std::tuple(next, total + next);
    };
    auto by_scan = [=](auto const& s, auto const& drift, auto const& z) -> xgrad::real {
        return std::get<1>(xgrad::scan(step, std::tuple(s, 0.0), z, drift)) * drift;
    };
    auto counted = [](auto const& s, auto const& z, auto const& drift) {
        auto const& [price, total, i] = s;
        auto next = price * exp(drift + 0.2 * z(i));
        return std::tuple(next, total + next, i + 1);
    };
    auto by_count = [=](auto const& s, auto const& drift, auto const& z) -> xgrad::real {
        return std::get<1>(xgrad::iterate(steps, counted, std::tuple(s, 0.0, 0), z, drift, xgrad::checkpoints(2))) * drift;
    };
    auto by_variables = [=](auto const& s, auto const& drift, auto const& z) -> xgrad::real {
        xgrad::variable price = s;
        xgrad::variable total = 0.0 * s;
        for (std::size_t i = 0; i < steps; ++i) {
            price = price * exp(drift + 0.2 * z(i));
            total += price;
        }
        return total * drift;
    };
    constexpr std::size_t n = 2 * xgrad::lanes<double> + 3;
    vector s = xt::linspace<double>(0.5, 1.5, n);
    xt::xtensor<double, 2> z = xt::xtensor<double, 2>::from_shape({n, steps});
    for (std::size_t i = 0; i < z.size(); ++i) z.flat(i) = std::sin(1.0 + 3.0 * static_cast<double>(i));
    auto of = [&](auto const& f) {
        return [f](auto const& a, auto const& d, auto const& b) { return sum(xgrad::map(f, xgrad::each(a), d, xgrad::each<steps>(b))); };
    };
    auto const expected = xgrad::value_and_gradient(of(by_variables), s, 0.1, z);
    auto check = [&](auto const& f) {
        auto const before = xgrad::packs_of_maps();
        auto const r = xgrad::value_and_gradient(of(f), s, 0.1, z);
        auto const after = xgrad::packs_of_maps();
        BOOST_TEST((after.run - before.run == n / xgrad::lanes<double> && after.split == before.split));
        BOOST_TEST(std::abs(r.value - expected.value) < 1e-12);
        BOOST_TEST(xt::amax(xt::abs(std::get<0>(r.gradient) - std::get<0>(expected.gradient)))() < 1e-12);
        BOOST_TEST(std::abs(std::get<1>(r.gradient) - std::get<1>(expected.gradient)) < 1e-11);
        BOOST_TEST(xt::amax(xt::abs(std::get<2>(r.gradient) - std::get<2>(expected.gradient)))() < 1e-12);
        auto const along = xgrad::hvp([&](auto const& a) { return of(f)(a, 0.1, z); }, s, s);
        bends(std::get<0>(along.product), [&](auto const& a) { return of(by_variables)(a, 0.1, z); }, s, s);
    };
    check(by_scan);
    check(by_count);
    // as long as a condition holds of every item of a register; otherwise item by item
    auto root = [](auto const& a) -> xgrad::real {
        auto far = [](auto const& y, auto const& b) { return abs(y * y - b) > 1e-13; };
        auto newton = [](auto const& y, auto const& b) { return 0.5 * (y + b / y); };
        return xgrad::while_loop(far, newton, 1.0, a);
    };
    vector const a = s + 1.0;
    auto const g = xgrad::gradient([&](auto const& b) { return sum(xgrad::map(root, xgrad::each(b))); }, a);
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(g) - 0.5 / xt::sqrt(a)))() < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_hessian_of_a_scan_whose_steps_are_loops) {
    auto inner = [](auto const& s, auto const& y) { return sin(s) + 0.1 * y; };
    auto by_scan = [=](auto const& y) {
        auto body = [=](auto const& s, auto const& item) {
            auto next = xgrad::iterate(3, inner, s, item, xgrad::checkpoints(1));
            return std::tuple(next, xgrad::summed(next * next * item));
        };
        auto const [last, total] = xgrad::scan(body, y(0) * y(1), y, xgrad::checkpoints(2));
        return last * total;
    };
    auto by_hand = [=](auto const& y) {
        xgrad::number_like<decltype(y)> s = y(0) * y(1);
        xgrad::number_like<decltype(y)> total = 0.0;
        for (std::size_t i = 0; i < 5; ++i) {
            for (int k = 0; k < 3; ++k) s = inner(s, y(i));
            total += s * s * y(i);
        }
        return s * total;
    };
    matrix const a = xgrad::hessian(by_scan, x), b = xgrad::hessian(by_hand, x);
    BOOST_TEST(xt::amax(xt::abs(a - b))() < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_scan_that_throws_leaves_nothing_behind) {
    int left = 0;
    auto f = [&](auto const& y) {
        auto body = [&](auto const& s, auto const& item) {
            auto next = sin(s * item);
            if (--left == 0) throw std::domain_error("step");
            return std::tuple(next, next * next);
        };
        return sum(std::get<1>(xgrad::scan(body, 0.4, y, xgrad::checkpoints(2))));
    };
    auto g = xgrad::prepare_gradient(f, x);
    vector const expected = std::get<0>(g(x).gradient);
    for (int k = 1; k <= 5; ++k) {
        left = k;
        BOOST_CHECK_THROW(g(x), std::domain_error);
        BOOST_TEST((std::get<0>(g(x).gradient) == expected));
    }
}
// What a step writes into a copy of its state, in several statements; in the forward pass no cotangents come to it.
BOOST_AUTO_TEST_CASE(a_body_that_writes_into_places) {
    auto const body = [](auto const& u, auto const& w) {
        xgrad::array_like<decltype(u), 1> v = u;
        v(0) *= 0.5;
        xgrad::view(v, xt::range(0, 2)) *= w;
        xgrad::view(v, xt::range(1, 3)) += w * xgrad::view(v, xt::range(0, 2));
        return v;
    };
    auto const by_hand = [&](auto const& u, auto const& w) {
        xgrad::array_like<decltype(u), 1> v = u;
        for (int k = 0; k < 4; ++k) v = body(v, w);
        return sum(v * v);
    };
    auto const check = [&](auto const& by_loop) {
        auto const g = xgrad::gradient(by_loop, x, 0.6), expected = xgrad::gradient(by_hand, x, 0.6);
        BOOST_TEST(xt::allclose(std::get<0>(g), std::get<0>(expected), 1e-13, 1e-13));
        BOOST_TEST(std::get<1>(g) == std::get<1>(expected), boost::test_tools::tolerance(1e-13));
    };
    check([&](auto const& u, auto const& w) { auto v = xgrad::iterate(4, body, u, w); return sum(v * v); });
    check([&](auto const& u, auto const& w) { auto v = xgrad::iterate(4, body, u, w, xgrad::checkpoints(2)); return sum(v * v); });
    check([&](auto const& u, auto const& w) { auto v = xgrad::iterate(4, body, u, w, xgrad::keep_all()); return sum(v * v); });
}
