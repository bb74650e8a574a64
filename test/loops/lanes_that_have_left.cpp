// What is computed of a lane that has left a while_loop decides nothing: not in its body, nor in a loop in there; and lanes that disagree end it.
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include <boost/test/unit_test.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <xgrad/loop.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;

// The map of f beside f of each item by itself.
template <class F>
void compare(F const& f, vector const& x) {
    auto const found = xgrad::value_and_gradient([f](auto const& a) { return sum(xgrad::map(f, xgrad::each(a))); }, x);
    double value = 0.0;
    vector xbar = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto const r = xgrad::value_and_gradient(f, x(i));
        value += r.value;
        xbar(i) = std::get<0>(r.gradient);
    }
    BOOST_TEST(std::abs(found.value - value) < 1e-12 * (1.0 + std::abs(value)));
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(found.gradient) - xbar))() < 1e-12);
}

}

BOOST_AUTO_TEST_CASE(items_that_never_get_there) {
    // Newton's steps to the root of a number below 0 have no end, and are not begun
    auto root = [](auto const& a) -> xgrad::real {
        if (a < 0.0) return 0.5 * a;
        auto far = [](auto const& y, auto const& b) { return abs(y * y - b) > 1e-10; };
        auto newton = [](auto const& y, auto const& b) -> xgrad::real { return 0.5 * (y + b / y); };
        return xgrad::while_loop(far, newton, 1.0, a);
    };
    compare(root, vector{4.0, -1.0, 9.0, 2.0, 3.0, 5.0, -2.0, 7.0, 1.5, 60.0, -3.0});
}
BOOST_AUTO_TEST_CASE(a_loop_in_the_body) {
    // the step is halved as long as it goes below 0.9, which a number that is below has no end of; and such a number is refused
    auto path = [](auto const& a) -> xgrad::real {
        auto above = [](auto const& x) { return x > 1.0; };
        auto fall = [](auto const& x) -> xgrad::real {
            if (!(x > 1.0)) throw std::logic_error("the step has no number to begin with");
            auto below = [](auto const& t, auto const& y) { return y - t * y < 0.9; };
            auto halve = [](auto const& t, auto const&) -> xgrad::real { return 0.5 * t; };
            return x - x * xgrad::while_loop(below, halve, 0.6 + 0.0 * x, x);
        };
        return exp(0.1 * xgrad::while_loop(above, fall, a));
    };
    compare(path, vector{0.3, 4.0, 0.5, 9.0, 2.0, 0.7, 3.0, 5.0, 7.0, 1.5, 60.0, 0.2, 1.1});
}
// What a tuple refers to is somebody else's, and stays.
BOOST_AUTO_TEST_CASE(an_init_that_refers) {
    auto step = [](auto const& s, auto const& k) {
        auto const& [x, v] = s;
        return std::tuple(x + k * v, v - k * x);
    };
    auto by_reference = [&](auto const& a) {
        xgrad::variable x = sin(a), v = a * a;
        auto const named = exp(a);
        auto const [y, w] = xgrad::iterate(3, step, std::tie(x, v), 0.1);
        auto const [z, u] = xgrad::iterate(2, step, std::forward_as_tuple(x, named), 0.1);
        return y * x + w * v + z * u * named;
    };
    auto by_value = [&](auto const& a) {
        xgrad::variable x = sin(a), v = a * a;
        auto const named = exp(a);
        auto const first = std::tuple(x, v);
        auto const second = std::tuple(x, named);
        auto const [y, w] = xgrad::iterate(3, step, first, 0.1);
        auto const [z, u] = xgrad::iterate(2, step, second, 0.1);
        return y * x + w * v + z * u * named;
    };
    auto const a = xgrad::value_and_gradient(by_reference, 0.7), b = xgrad::value_and_gradient(by_value, 0.7);
    BOOST_TEST(a.value == b.value);
    BOOST_TEST(std::abs(std::get<0>(a.gradient) - std::get<0>(b.gradient)) < 1e-14);
}
