// Scans that keep all that their steps compute, beside those that keep states.
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <test/loops/compare.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct seen {
    vector time;
    matrix place;
};
XGRAD_REFLECT(seen, time, place)

namespace {

// f(policy)(x...) is the same by both policies.
template <class F, class... X>
void agree(F const& f, X const&... x) {
    auto const a = xgrad::value_and_gradient(f(xgrad::keep_all()), x...), b = xgrad::value_and_gradient(f(xgrad::keep_states()), x...);
    BOOST_TEST(gap(a.value, b.value) < tight);
    BOOST_TEST(gap(a.gradient, b.gradient) < tight);
}

}

BOOST_AUTO_TEST_CASE(scans) {
    vector const x{0.1, 0.5, -0.3, 0.2, 0.7};
    matrix const rows{{0.1, 0.2}, {0.5, -0.4}, {0.3, 0.9}, {-0.6, 0.2}, {0.7, 0.1}};
    std::vector<double> const noise{0.3, 0.1, 0.2, 0.7, 0.5};
    auto f = [&](auto policy) {
        return [&, policy](auto const& a, auto const& y, auto const& w) {
            auto cell = [](auto const& s, auto const& item, auto const& v) {
                auto const& [row, number, constant_row, z, i] = item;
                auto next = sin(s * v + row) + number * constant_row;
                auto loss = sum(next * next) * (z + static_cast<double>(i));
                return std::tuple(next, std::tuple(xgrad::summed(loss), next * number, loss, xgrad::summed(next)));
            };
            auto const [last, out] = xgrad::scan(cell, vector{0.1, 0.2}, std::tuple(a, y, std::cref(rows), std::cref(noise), 5u), w, policy);
            auto const& [loss, path, losses, total] = out;
            return loss + sum(path * path) + sum(last) + sum(losses * losses) + sum(total * total);
        };
    };
    agree(f, rows, x, 0.8);
    auto of_struct = [](auto const& m, auto const& w) {
        return xgrad::scan([](auto const& s, auto const& now, auto const& v) { return s * v + now.time * sum(now.place); }, 0.5 * w, m, w, xgrad::keep_all());
    };
    auto const [dm, dw] = xgrad::gradient(of_struct, seen{x, rows}, 0.9);
    BOOST_TEST(gap(dm.time(1), std::pow(0.9, 3) * 0.1) < tight);
    BOOST_TEST(gap(dm.place(4, 0), 0.7) < tight);
    BOOST_TEST(std::isfinite(dw));
    // no item
    auto path = [](auto const& y) {
        auto const [s, ys] = xgrad::scan([](auto const& t, auto const& item) { return std::tuple(t * item, t + item); }, 0.2, y, xgrad::keep_all());
        return s + sum(ys * ys);
    };
    BOOST_TEST(xgrad::value(path, vector()) == 0.2);
    BOOST_TEST(std::get<0>(xgrad::gradient(path, vector{0.3}))(0) == 0.2 + 2.0 * 0.5, boost::test_tools::tolerance(1e-14));
    auto differ = [](auto const& y) {
        return xgrad::scan([](auto const& s, auto const& xs) { return s + std::get<0>(xs); }, 0.0, std::tuple(y, 3), xgrad::keep_all());
    };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(differ, x), std::invalid_argument, says("E253"));
    auto grows = [](auto const& y) {
        auto part = [](auto const& s, auto const& i, auto const& all) { return std::tuple(s + 1.0, view(all, xt::range(0, i + 1)) * 2.0); };
        return sum(std::get<1>(xgrad::scan(part, 0.0, 3, y, xgrad::keep_all())));
    };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(grows, x), std::invalid_argument, says("E254"));
}
