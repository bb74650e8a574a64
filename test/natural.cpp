// What is written in functions of plain numbers means the same of active ones: std::max(x, 0.0), clamp, ++s, a <=> b, x[{0, 1}], z.real(), to_string(x).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <complex>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

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

BOOST_AUTO_TEST_CASE(names_of_std) {
    BOOST_TEST(slope([](auto const& x) { return std::max(x, 0.0) + std::min(1.0, x) + std::clamp(2.0 * x, 0.0, 1.5) + std::max(x * x, x); }, 2.0) == 5.0);
    BOOST_TEST(slope([](auto const& x) {
        using std::max, std::min;
        auto const y = x * x;
        return max(y, 1.0) + min(x, y) + max(1, 2) + std::max<double>(1, 2);
    }, 2.0) == 5.0);
    auto const [g] = xgrad::gradient([](auto const& x) {
        variable most = x(0);
        for (auto v : x) most = std::max(most, v);
        return sum(std::max(x, 1.5)) + most;
    }, vector{1.0, 3.0, 2.0});
    BOOST_TEST((g == vector{0.0, 2.0, 1.0}));
}

BOOST_AUTO_TEST_CASE(three_ways) {
    auto const f = [](auto const& x) {
        auto const c = x <=> 1.0;
        BOOST_TEST((c == (xgrad::primal(x) <=> 1.0)));
        BOOST_TEST(((2.0 * x <=> x * x) == (2.0 * xgrad::primal(x) <=> xgrad::primal(x) * xgrad::primal(x))));
        return c < 0 ? variable(x * x) : variable(x * 3.0);
    };
    BOOST_TEST(slope(f, 0.5) == 1.0);
    BOOST_TEST(slope(f, 1.0) == 3.0);
    BOOST_TEST(slope(f, 2.0) == 3.0);
    (void)xgrad::value([](auto const& x) { BOOST_TEST(((x <=> x) == std::partial_ordering::unordered)); return x; }, std::nan(""));
}

BOOST_AUTO_TEST_CASE(indices_in_lists) {
    using matrix = xt::xtensor<double, 2>;
    auto const f = [](auto const& x) {
        variable u = x;
        u[{0, 1}] = 2.0 * u[{0, 0}];
        std::vector<std::size_t> const last{1, 1};
        u[last] += 1.0;
        return sum(u * u) + u[last] * x[{1, 0}] + x[std::array{0, 0}];
    };
    matrix const x{{1.0, 2.0}, {3.0, 4.0}}, expected{{11.0, 0.0}, {11.0, 13.0}};
    BOOST_TEST((std::get<0>(xgrad::gradient(f, x)) == expected));
    BOOST_TEST((std::get<0>(xgrad::gradient(f, xt::xarray<double>(x))) == expected));
    BOOST_TEST((std::get<0>(xgrad::gradient(f, xt::xtensor<double, 2, xt::layout_type::column_major>(x))) == expected));
    BOOST_CHECK_THROW(xgrad::value([](auto const& a) { return a[{0, 2}]; }, x), std::out_of_range);
    BOOST_CHECK_THROW(xgrad::value([](auto const& a) { return a[{0}]; }, x), std::out_of_range);
    // what is no array has no elements, and generic code may ask
    auto const twice_or_first = [](auto const& a) {
        if constexpr (requires { a(0); }) return a(0) * 1.0;
        else return a * 2.0;
    };
    BOOST_TEST(slope(twice_or_first, 3.0) == 2.0);
    BOOST_TEST(xgrad::value(twice_or_first, vector{5.0, 1.0}) == 5.0);
}

BOOST_AUTO_TEST_CASE(parts_of_a_complex_number) {
    auto const f = [](auto const& z) { return z.real() * z.imag() + (z * z).real(); };
    auto const [g] = xgrad::gradient(f, std::complex<double>(1.0, 2.0));
    BOOST_TEST(g.real() == 4.0);
    BOOST_TEST(g.imag() == -3.0);
    BOOST_TEST(xgrad::value(f, std::complex<double>(1.0, 2.0)) == -1.0);
}

BOOST_AUTO_TEST_CASE(arrays_of_truth) {
    auto const f = [](auto const& x) {
        auto m = x > 1.0;
        xt::xtensor<bool, 1> const plain = m;
        auto const both = m && plain;
        auto const none = !m;
        BOOST_TEST(xt::any(m) == true);
        BOOST_TEST(xt::all(m) == false);
        BOOST_TEST(xt::sum<int>(m)() == 1);
        m = x > 0.0;
        m(0) = false;
        return sum(where(both, x * x, x)) + sum(x * m) + sum(filter(x, plain)) + sum(where(none, 3.0 * x, 0.0));
    };
    auto const [g] = xgrad::gradient(f, vector{1.0, 2.0});
    BOOST_TEST((g == vector{4.0, 6.0}));
}
