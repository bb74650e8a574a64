// A while_loop in a map whose items leave it after different numbers of steps: those that have left keep their state, and their cotangents.
#include <cmath>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
constexpr std::size_t n = 19;

vector items() {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = 0.3 + static_cast<double>(i * i % 23);
    return x;
}
double difference(vector const& a, vector const& b) { return xt::amax(xt::abs(a - b) / (1.0 + xt::abs(b)))(); }

// The map of f beside f of each item by itself: values, and gradients with respect to items and to what they share.
template <class F>
void compare(F const& f, bool stays_in_lanes) {
    vector const x = items();
    double const p = 0.7;
    auto all = [f](auto const& a, auto const& q) { return sum(xgrad::map(f, xgrad::each(a), q)); };
    auto const before = xgrad::packs_of_maps();
    auto const found = xgrad::value_and_gradient(all, x, p);
    auto const after = xgrad::packs_of_maps();
    if (stays_in_lanes && xgrad::lanes<double> != 1) {
        BOOST_TEST(after.run > before.run);
        BOOST_TEST(after.split == before.split);
    }
    double value = 0.0, pbar = 0.0;
    vector xbar = x;
    for (std::size_t i = 0; i < n; ++i) {
        auto const r = xgrad::value_and_gradient(f, x(i), p);
        value += r.value;
        xbar(i) = std::get<0>(r.gradient);
        pbar += std::get<1>(r.gradient);
    }
    BOOST_TEST(std::abs(found.value / value - 1.0) < 1e-13);
    BOOST_TEST(difference(std::get<0>(found.gradient), xbar) < 1e-12);
    BOOST_TEST(std::abs(std::get<1>(found.gradient) - pbar) < 1e-11 * (1.0 + std::abs(pbar)));
}

}

BOOST_AUTO_TEST_CASE(each_item_leaves_by_itself) {
    auto far = [](auto const& y, auto const& b, auto const&) { return abs(y * y - b) > 1e-10; };
    auto newton = [](auto const& y, auto const& b, auto const& q) -> xgrad::real { return y - q * (y - b / y); };
    // some items take no step
    compare([=](auto const& a, auto const& q) -> xgrad::real { return xgrad::while_loop(far, newton, 1.0 + 0.0 * a, a, q); }, true);
    // forward, and second derivatives
    auto root = [=](auto const& a) -> xgrad::real { return xgrad::while_loop(far, newton, 1.0, a, 0.7); };
    auto all = [=](auto const& a) { return sum(xgrad::map(root, xgrad::each(a))); };
    vector const x = items(), along = xt::ones_like(x);
    BOOST_TEST(std::abs(xgrad::jvp(all, x, along).tangent - xt::sum(0.5 / xt::sqrt(x))()) < 1e-9);
    BOOST_TEST(difference(std::get<0>(xgrad::hvp(all, x, along).product), -0.25 / (x * xt::sqrt(x))) < 1e-8);
}
BOOST_AUTO_TEST_CASE(states_that_are_not_all_kept) {
    auto far = [](auto const& y, auto const& b, auto const&) { return abs(y * y - b) > 1e-10; };
    auto undeclared = [](auto const& y, auto const& b, auto const& q) { return y - q * (y - b / y); };
    compare([=](auto const& a, auto const& q) -> xgrad::real { return a * xgrad::while_loop(far, undeclared, 1.0, a, q, xgrad::checkpoints(2)); }, true);
}
BOOST_AUTO_TEST_CASE(states_of_several_parts) {
    // a path that ends where it is below 1
    auto above = [](auto const& s, auto const&) { return std::get<0>(s) > 1.0; };
    auto fall = [](auto const& s, auto const& q) -> xgrad::result<std::tuple<double, double>> {
        auto const& [x, v] = s;
        return {x * q, v + sin(x)};
    };
    auto path = [=](auto const& a, auto const& q) -> xgrad::real {
        auto const [x, v] = xgrad::while_loop(above, fall, std::tuple(a, 0.5 * a), q);
        return x * v;
    };
    compare(path, true);
    using pair = xt::xtensor_fixed<double, xt::xshape<2>>;
    auto above_in_array = [](auto const& s, auto const&) { return s(0) > 1.0; };
    auto shrink = [](auto const& s, auto const& q) -> xgrad::result<pair> { return q * s + 0.001 * s * s; };
    compare([=](auto const& a, auto const& q) -> xgrad::real {
        auto const s = xgrad::while_loop(above_in_array, shrink, a * pair{1.0, 0.4}, q);
        return s(0) * s(1);
    }, true);
}
// A counter is one for all items of a register: where they part, they go one by one.
BOOST_AUTO_TEST_CASE(a_counter_in_the_state) {
    auto above = [](auto const& s, auto const&) { return std::get<0>(s) > 1.0; };
    auto fall = [](auto const& s, auto const& q) {
        auto const& [x, k] = s;
        return std::tuple(q * x + 0.01 * k * x, k + 1);
    };
    compare([=](auto const& a, auto const& q) -> xgrad::real {
        auto const [x, k] = xgrad::while_loop(above, fall, std::tuple(1.0 * a, 0), q);
        return x * (1.0 + k);
    }, false);
}
// What a step would compute of an item that has left the loop is no number, and neither is its derivative.
BOOST_AUTO_TEST_CASE(no_number_behind_the_end) {
    auto above = [](auto const& x, auto const&) { return x > 1.0; };
    auto fall = [](auto const& x, auto const& q) -> xgrad::real { return x - q * sqrt(x - 1.0) - 0.1; };
    compare([=](auto const& a, auto const& q) -> xgrad::real { return exp(0.1 * xgrad::while_loop(above, fall, a, q)); }, false);
}
