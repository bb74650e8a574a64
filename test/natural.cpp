// What is written in functions of plain numbers means the same of active ones: max(x, 0.0), clamp, ++s, stream << x, to_string(x).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>

#include <xgrad/xgrad.hpp>

namespace {
using vector = xt::xtensor<double, 1>;
using xgrad::variable;

template <class F>
double slope(F const& f, double x) {
    auto const [y, g] = xgrad::value_and_gradient(f, x);
    BOOST_TEST(y == xgrad::value(f, x));
    BOOST_TEST(std::get<0>(g) == xgrad::derivative(f, x));
    return std::get<0>(g);
}
}

BOOST_AUTO_TEST_CASE(max_min_and_clamp) {
    auto const up = [](auto const& x) { return max(x, 0.0) * 3.0; };
    auto const down = [](auto const& x) { return min(1.0, x * x); };
    auto const between = [](auto const& x) { return clamp(2.0 * x, -1.0, 1); };
    BOOST_TEST(slope(up, 2.0) == 3.0);
    BOOST_TEST(slope(up, -2.0) == 0.0);
    BOOST_TEST(slope(down, 0.5) == 1.0);
    BOOST_TEST(slope(down, 2.0) == 0.0);
    BOOST_TEST(slope(between, 0.25) == 2.0);
    BOOST_TEST(slope(between, 0.75) == 0.0);
    BOOST_TEST(xgrad::value(between, -3.0) == -1.0);
    // two of one type, of arrays, and an active bound
    BOOST_TEST(slope([](auto const& x) { return max(x, x) + min(x * x, x * x); }, 3.0) == 7.0);
    auto const [dx, dy] = xgrad::gradient([](auto const& x, auto const& y) { return sum(max(x, y) + clamp(x, y, 9.0)); }, vector{1.0, 5.0}, 3.0);
    BOOST_TEST(dx(0) == 0.0);
    BOOST_TEST(dx(1) == 2.0);
    BOOST_TEST(dy == 2.0);
    auto const h = xgrad::hessian([](auto const& x) { return max(x * x * x, 1.0); }, 2.0);
    BOOST_TEST(h == 12.0);
}

BOOST_AUTO_TEST_CASE(the_same_of_plain_values) {
    static_assert(std::is_same_v<decltype(xgrad::max(1, 2)), int> && std::is_same_v<decltype(xgrad::min(1, 2.0)), double>);
    static_assert(std::is_same_v<decltype(xgrad::clamp(2.0f, 0.0f, 1.0f)), float>);
    BOOST_TEST(xgrad::max(1, 2) == 2);
    BOOST_TEST(xgrad::min(1, -0.5) == -0.5);
    BOOST_TEST(xgrad::clamp(3.0, 0, 1) == 1.0);
    vector const m = xgrad::max(vector{-1.0, 2.0}, 0.0), c = xgrad::clamp(vector{-1.0, 2.0, 0.5}, 0.0, 1.0);
    BOOST_TEST((m == vector{0.0, 2.0}));
    BOOST_TEST((c == vector{0.0, 1.0, 0.5}));
    using namespace std;
    using namespace xgrad;
    BOOST_TEST(max(1.0, 2.0) == 2.0);
    double const a = 1.0, b = 3.0;
    BOOST_TEST(min(a, b) == 1.0);
    BOOST_TEST(max(a, 2.0) == 2.0);
}

BOOST_AUTO_TEST_CASE(signs) {
    BOOST_TEST(slope([](auto const& x) { return copysign(x * x, -1.0); }, 3.0) == -6.0);
    BOOST_TEST(slope([](auto const& x) { return copysign(x, -0.0) * 2.0; }, -3.0) == 2.0);
    BOOST_TEST(slope([](auto const& x) { return copysign(x, x * x); }, -3.0) == -1.0);
    auto const [g] = xgrad::gradient([](auto const& x) { return sum(copysign(x, vector{-1.0, 1.0}) + copysign(x, x)); }, vector{2.0, -3.0});
    BOOST_TEST(g(0) == 0.0);
    BOOST_TEST(g(1) == 0.0);
    BOOST_TEST(xgrad::copysign(2.0, -1) == -2.0);
    BOOST_TEST((vector(xgrad::copysign(vector{1.0, -2.0}, vector{-0.0, 3.0})) == vector{-1.0, 2.0}));
    BOOST_TEST(xgrad::hessian([](auto const& x) { return copysign(x * x, -2.0); }, 3.0) == -2.0);
}

BOOST_AUTO_TEST_CASE(differences_of_results) {
    auto const [y, g] = xgrad::value_and_gradient([](auto const& x) {
        xgrad::sum_result total;
        total += x * x;
        total -= 3.0 * x;
        total -= 1.0;
        return total;
    }, 2.0);
    BOOST_TEST(y == -3.0);
    BOOST_TEST(std::get<0>(g) == 1.0);
}

BOOST_AUTO_TEST_CASE(steps_of_a_variable) {
    BOOST_TEST(slope([](auto const& x) {
        variable s = x * x;
        variable const before = s++;
        BOOST_TEST(primal(++s) == 6.0);
        BOOST_TEST(primal(s--) == 6.0);
        --s;
        return s * before;
    }, 2.0) == 32.0);
    auto const [g] = xgrad::gradient([](auto const& x) {
        variable v = x * 2.0;
        ++v;
        return sum(v * v);
    }, vector{1.0, 2.0});
    BOOST_TEST(g(0) == 12.0);
    BOOST_TEST(g(1) == 20.0);
}

BOOST_AUTO_TEST_CASE(values_as_text) {
    std::ostringstream out;
    BOOST_TEST(slope([&](auto const& x) {
        auto y = x * x;
        out << x << ' ' << y << ' ' << x + 1.0 << ' ' << variable(y) << ';';
        BOOST_TEST(to_string(y) == std::to_string(6.25));
        return y * x;
    }, 2.5) == 18.75);
    BOOST_TEST(out.str().substr(0, 19) == "2.5 6.25 3.5 6.25;2");
}
