// Loops inside of a map, of a Hessian, of a checkpoint, and of each other with policies of their own; scans that throw.
#include <cmath>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>

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
