// while_loop(cond, body, init, params...): values and derivatives by every verb, beside the same loop written with variables.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <test/count_allocations.hpp>
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
constexpr double tight = 1e-13;

// Newton's steps to the square root of a.
auto const far = [](auto const& s, auto const& a) { return abs(s * s - a) > 1e-3; };
auto const newton = [](auto const& s, auto const& a) { return 0.5 * (s + a / s); };
auto const newton_declared = [](auto const& s, auto const& a) -> xgrad::real { return 0.5 * (s + a / s); };

}

BOOST_AUTO_TEST_CASE(a_number) {
    auto by_hand = [](auto const& x, auto const& a) {
        xgrad::variable s = x;
        while (abs(s * s - a) > 1e-3) s = newton(s, a);
        return s * a;
    };
    auto agrees = [&](auto const& body, auto... policy) {
        auto f = [=](auto const& x, auto const& a) { return xgrad::while_loop(far, body, x, a, policy...) * a; };
        for (double x : {9.0, 1.5, std::sqrt(2.0)}) {
            auto const p = xgrad::value_and_gradient(f, x, 2.0), q = xgrad::value_and_gradient(by_hand, x, 2.0);
            BOOST_TEST(std::abs(p.value - q.value) < tight);
            BOOST_TEST(std::abs(std::get<0>(p.gradient) - std::get<0>(q.gradient)) < tight);
            BOOST_TEST(std::abs(std::get<1>(p.gradient) - std::get<1>(q.gradient)) < tight);
            BOOST_TEST(std::abs(xgrad::value(f, x, 2.0) - q.value) < tight);
            auto r = xgrad::vjp(f, x, 2.0);
            for (int i = 0; i < 2; ++i) BOOST_TEST(std::abs(std::get<1>(r.pullback(1.0)) - std::get<1>(q.gradient)) < tight);
        }
        auto of_one = [&](auto const& a) { return f(a * a, a); };
        auto of_one_by_hand = [&](auto const& a) { return by_hand(a * a, a); };
        BOOST_TEST(std::abs(xgrad::derivative(of_one, 2.0) - xgrad::derivative([&](auto const& a) {
            xgrad::number_like<decltype(a)> s = a * a;
            while (abs(s * s - a) > 1e-3) s = newton(s, a);
            return s * a;
        }, 2.0)) < tight);
        BOOST_TEST(std::abs(std::get<0>(xgrad::gradient(of_one, 2.0)) - std::get<0>(xgrad::gradient(of_one_by_hand, 2.0))) < tight);
        auto g = xgrad::prepare_gradient(f, 9.0, 2.0);
        g(9.0, 2.0);
        g(9.0, 2.0);
        std::size_t const before = allocations;
        g(9.0, 2.0);
        BOOST_TEST(allocations == before);
    };
    agrees(newton);
    agrees(newton, xgrad::checkpoints(2));
    agrees(newton_declared);
    BOOST_TEST(xgrad::while_loop([](double s) { return s < 100; }, [](double s) { return 3 * s; }, 1.0) == 243.0);
}

BOOST_AUTO_TEST_CASE(an_array_and_a_counter) {
    auto f = [](auto const& x, auto const& rate) {
        auto large = [](auto const& s, auto const&) { return sum(std::get<0>(s) * std::get<0>(s)) > 0.1 && std::get<1>(s) < 50; };
        auto shrink = [](auto const& s, auto const& r) { return std::tuple(std::get<0>(s) - r * sin(std::get<0>(s)), std::get<1>(s) + 1); };
        auto const [y, n] = xgrad::while_loop(large, shrink, std::tuple(x, 0), rate, xgrad::every(3));
        return sum(y * y * y) * static_cast<double>(n);
    };
    auto g = [](auto const& x, auto const& rate) {
        xgrad::variable y = x;
        int n = 0;
        for (; sum(y * y) > 0.1 && n < 50; ++n) y = y - rate * sin(y);
        return sum(y * y * y) * static_cast<double>(n);
    };
    vector const x{0.7, 1.3, -0.2};
    auto const p = xgrad::value_and_gradient(f, x, 0.2), q = xgrad::value_and_gradient(g, x, 0.2);
    BOOST_TEST(std::abs(p.value - q.value) < tight);
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(p.gradient) - std::get<0>(q.gradient)))() < tight);
    BOOST_TEST(std::abs(std::get<1>(p.gradient) - std::get<1>(q.gradient)) < tight);
    auto captured = [](auto const& y) { return xgrad::while_loop([](auto const& s) { return s < 9.0; }, [&](auto const& s) { return s * y; }, y); };
    auto says = [](std::logic_error const& e) { return std::string(e.what()).find("xgrad[E250]: while_loop(cond") == 0; };
    BOOST_CHECK_EXCEPTION(xgrad::gradient(captured, 2.0), std::logic_error, says);
}
