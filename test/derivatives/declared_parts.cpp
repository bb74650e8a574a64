// vjp, jvp and jacobian of functions that declare several results, and of functions that give a tuple: against differences, each other, and one more order.
#include <array>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/xgrad.hpp>

using vector3 = xt::xtensor_fixed<double, xt::xshape<3>>;
using matrix2 = xt::xtensor_fixed<double, xt::xshape<2, 2>>;

struct body_state {
    double place;
    int steps;
    vector3 speed;
};
XGRAD_REFLECT(body_state, place, steps, speed)

namespace {

using enum xgrad::direction;

void near(double found, double expected, double tolerance = 1e-12) {
    BOOST_CHECK_MESSAGE(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)), found << " is not " << expected);
}
// The same results declared and not.
auto const swing = [](auto const& x, auto const& v) {
    auto faster = v - 0.1 * sin(x);
    return std::tuple(x + 0.1 * faster, faster * x, exp(x * v));
};
auto const swing_declared = [](auto const& x, auto const& v) -> xgrad::result<std::tuple<double, double, double>> {
    auto faster = v - 0.1 * sin(x);
    return std::tuple(x + 0.1 * faster, faster * x, exp(x * v));
};
auto const turn = [](auto const& v, auto const& t) -> xgrad::result<body_state> { return std::tuple(sum(v * v) * t, 3, v * sin(t)); };
// Column j of a Jacobian by differences, of f that gives all numbers of its result at a shift of argument j.
template <class J, class F>
void agrees(J const& j, F const& numbers) {
    double const h = 1e-5;
    for (std::size_t k = 0; k < j.shape(1); ++k) {
        auto const a = numbers(k, h), b = numbers(k, -h);
        BOOST_TEST_REQUIRE(a.size() == j.shape(0));
        for (std::size_t i = 0; i < a.size(); ++i) near(j(i, k), (a[i] - b[i]) / (2 * h), 1e-8);
    }
}

}

BOOST_AUTO_TEST_CASE(numbers_in_a_tuple) {
    auto [y, back] = xgrad::vjp(swing_declared, 0.3, 0.7);
    auto [z, back_plain] = xgrad::vjp(swing, 0.3, 0.7);
    static_assert(std::is_same_v<decltype(y), std::tuple<double, double, double>>);
    BOOST_TEST((y == z));
    for (auto const& ybar : {std::tuple(1.0, 0.0, 0.0), std::tuple(0.5, -2.0, 3.0), std::tuple(1.0, 0.0, 0.0)}) {
        auto const [x, v] = back(ybar);
        auto const [xp, vp] = back_plain(ybar);
        near(x, xp);
        near(v, vp);
    }
    auto const a = xgrad::jacobian<forward>(swing_declared, 0.3, 0.7), b = xgrad::jacobian<reverse>(swing_declared, 0.3, 0.7);
    auto const c = xgrad::jacobian<forward>(swing, 0.3, 0.7), d = xgrad::jacobian<reverse>(swing, 0.3, 0.7), e = xgrad::jacobian(swing_declared, 0.3, 0.7);
    BOOST_TEST((a.shape(0) == 3 && a.shape(1) == 2));
    for (std::size_t i = 0; i < 6; ++i)
        for (auto const* j : {&b, &c, &d, &e}) near(a.data()[i], j->data()[i]);
    agrees(a, [](std::size_t k, double h) {
        auto const r = xgrad::vjp(swing, 0.3 + (k == 0 ? h : 0), 0.7 + (k == 1 ? h : 0)).value;
        return std::vector{std::get<0>(r), std::get<1>(r), std::get<2>(r)};
    });
    auto const along = xgrad::jvp(swing_declared, std::tuple(0.3, 0.7), std::tuple(2.0, -1.0));
    BOOST_TEST((along.primal == y));
    near(std::get<1>(along.tangent), 2 * a(1, 0) - a(1, 1));
    near(std::get<2>(along.tangent), 2 * a(2, 0) - a(2, 1));
}

BOOST_AUTO_TEST_CASE(a_struct_with_an_array) {
    vector3 const v{1.0, 2.0, 3.0};
    auto r = xgrad::vjp(turn, v, 0.4);
    BOOST_TEST((r.value.place == 14 * 0.4 && r.value.steps == 3 && r.value.speed(2) == 3 * std::sin(0.4)));
    auto ybar = xgrad::zero_tangent(r.value);
    ybar.place = 0.5;
    ybar.speed(1) = 2;
    auto const [dv, dt] = r.pullback(ybar);
    near(dv(0), 0.5 * 2 * 0.4);
    near(dv(1), 0.5 * 4 * 0.4 + 2 * std::sin(0.4));
    near(dt, 0.5 * 14 + 4 * std::cos(0.4));
    auto const along = xgrad::jvp(turn, std::tuple(v, 0.4), std::tuple(vector3{0.0, 1.0, 0.0}, 0.0));
    near(along.tangent.place, 4 * 0.4);
    near(along.tangent.speed(1), std::sin(0.4));
    auto const a = xgrad::jacobian<forward>(turn, v, 0.4), b = xgrad::jacobian<reverse>(turn, v, 0.4);
    BOOST_TEST((a.shape(0) == 4 && a.shape(1) == 4));
    for (std::size_t i = 0; i < 16; ++i) near(a.data()[i], b.data()[i]);
    agrees(a, [&](std::size_t k, double h) {
        vector3 w = v;
        if (k < 3) w(k) += h;
        auto const s = xgrad::vjp(turn, w, k == 3 ? 0.4 + h : 0.4).value;
        return std::vector{s.place, s.speed(0), s.speed(1), s.speed(2)};
    });
    // one array, of two axes
    auto const outer = [](auto const& x) -> xgrad::result<matrix2> { return reshape(x, {2, 2}) * sum(x); };
    xt::xtensor<double, 1> const x{1.0, 2.0, 3.0, 4.0};
    auto const j = xgrad::jacobian<forward>(outer, x), k = xgrad::jacobian<reverse>(outer, x);
    BOOST_TEST((j.dimension() == 3 && j.shape(2) == 4));
    BOOST_TEST((j == k));
    BOOST_TEST(j(1, 0, 2) == 13.0);
    auto [m, back] = xgrad::vjp(outer, x);
    BOOST_TEST(m(1, 1) == 40.0);
    BOOST_CHECK_EXCEPTION(back(xt::xtensor<double, 2>{{1.0, 2.0}}), std::invalid_argument,
                          [](auto const& e) { return std::string(e.what()).find("xgrad[E208]") == 0; });
    BOOST_TEST(std::get<0>(back(xt::xtensor<double, 2>{{0.0, 0.0}, {1.0, 0.0}}))(2) == 13.0);
}

BOOST_AUTO_TEST_CASE(other_forms) {
    // complex numbers, and floats beside doubles
    using complex = std::complex<double>;
    auto const f = [](auto const& z, auto const& t) -> xgrad::result<std::tuple<complex, double>> { return std::tuple(z * z * t, t * t); };
    auto const g = [](auto const& z, auto const& t) { return std::tuple(z * z * t, t * t); };
    complex const z(0.3, -0.8);
    auto const a = xgrad::jacobian<forward>(f, z, 0.6), b = xgrad::jacobian<reverse>(f, z, 0.6), c = xgrad::jacobian<reverse>(g, z, 0.6);
    BOOST_TEST((a.shape(0) == 3 && a.shape(1) == 3));
    for (std::size_t i = 0; i < 9; ++i) near(a.data()[i], b.data()[i]), near(a.data()[i], c.data()[i]);
    near(a(0, 1), 2 * 0.8 * 0.6);
    auto const mixed = [](auto const& x, auto const& y) -> xgrad::result<std::tuple<float, double>> { return std::tuple(x * x, y * x); };
    auto const m = xgrad::jacobian<forward>(mixed, 3.0f, 2.0), n = xgrad::jacobian<reverse>(mixed, 3.0f, 2.0);
    BOOST_TEST((m == n));
    BOOST_TEST((m(0, 0) == 6.0 && m(1, 0) == 2.0 && m(1, 1) == 3.0));
    BOOST_TEST(std::get<1>(xgrad::jvp(mixed, std::tuple(3.0f, 2.0), std::tuple(1.0f, 1.0)).tangent) == 5.0);
    // containers, constants, and results that are constants
    auto const sums = [](auto const& v, auto const& k) -> xgrad::result<std::array<double, 2>> {
        xgrad::variable s = 0.0 * v[0];
        for (auto const& x : v) s += x * x * k;
        return std::array{s, xgrad::variable(v[1] * 1.0)};
    };
    auto [y, back] = xgrad::vjp(sums, std::vector{1.0, 2.0, 3.0}, xgrad::constant(2.0));
    BOOST_TEST((y == std::array{28.0, 2.0}));
    BOOST_TEST((std::get<0>(back(std::array{1.0, 5.0})) == std::vector{4.0, 13.0, 12.0}));
    auto const constants = [](auto const&) -> xgrad::result<std::tuple<double, int>> { return std::tuple(2.0, 7); };
    auto p = xgrad::vjp(constants, 1.0);
    BOOST_TEST((p.value == std::tuple(2.0, 7)));
    BOOST_TEST(std::get<0>(p.pullback(std::tuple(1.0, xgrad::no_tangent{}))) == 0.0);
    BOOST_TEST((xgrad::jacobian<forward>(constants, 1.0)(0) == 0.0 && xgrad::jacobian<reverse>(constants, 1.0)(0) == 0.0));
    // what is thrown inside leaves all as it was
    auto const thrower = [](auto const& x) -> xgrad::result<std::tuple<double, double>> {
        auto s = x * x;
        if (s > 1.0) throw std::runtime_error("too big");
        return std::tuple(s, x);
    };
    BOOST_CHECK_THROW(xgrad::vjp(thrower, 3.0), std::runtime_error);
    BOOST_CHECK_THROW(xgrad::jvp(thrower, 3.0, 1.0), std::runtime_error);
    BOOST_TEST(std::get<0>(xgrad::jvp(thrower, 0.5, 1.0).tangent) == 1.0);
}

// Of functions that give a tuple of numbers and arrays without declaring it, the rows of all parts, one after the other.
BOOST_AUTO_TEST_CASE(jacobians_of_tuples) {
    auto const f = [](auto const& a, auto const& b) {
        return std::tuple(a * b, std::pair(sum(b) * 2.0, 4), std::array{xgrad::variable(a), xgrad::variable(a * a)}, 5.0);
    };
    xt::xtensor<double, 1> const b{1.0, 2.0, 3.0};
    auto const j = xgrad::jacobian<forward>(f, 2.0, b), k = xgrad::jacobian<reverse>(f, 2.0, b);
    BOOST_TEST((j.shape(0) == 7 && j.shape(1) == 4));
    BOOST_TEST((j == k));
    xt::xtensor<double, 2> const expected{{1, 2, 0, 0}, {2, 0, 2, 0}, {3, 0, 0, 2}, {0, 2, 2, 2}, {1, 0, 0, 0}, {4, 0, 0, 0}, {0, 0, 0, 0}};
    BOOST_TEST((j == expected));
    auto const empty = xgrad::jacobian<forward>([](auto const& x) { return std::tuple(x * 2.0, sum(x)); }, xt::xtensor<double, 1>::from_shape({0}));
    BOOST_TEST((empty.shape(0) == 1 && empty.shape(1) == 0));
}

BOOST_AUTO_TEST_CASE(one_more_order) {
    using xgrad::derivative;
    double const x = 0.3;
    auto const real = [](auto const& a) -> xgrad::real { auto s = sin(a); return s * a; };
    vector3 const k{1.0, 2.0, 3.0};
    auto const both = [k](auto const& a) -> xgrad::result<std::tuple<double, vector3>> {
        auto s = sin(a);
        return std::tuple(s * a, k * s);
    };
    auto const plain = [k](auto const& a) {
        auto s = sin(a);
        return std::tuple(s * a, k * s);
    };
    auto twice = [&](auto const& f) { return derivative([&](auto const& y) { return derivative(f, y); }, x); };
    double const second = 2 * std::cos(x) - x * std::sin(x);
    near(twice(real), second);
    near(std::get<0>(twice(both)), second);
    near(std::get<0>(twice(plain)), second);
    for (std::size_t i = 0; i < 3; ++i) {
        near(std::get<1>(twice(both))(i), -std::sin(x) * static_cast<double>(i + 1));
        near(std::get<1>(twice(plain))(i), -std::sin(x) * static_cast<double>(i + 1));
    }
    near(derivative([&](auto const& y) { return derivative([&](auto const& z) { return derivative(real, z); }, y); }, x), -3 * std::sin(x) - x * std::cos(x));
    // a pullback at duals: the derivative of a gradient
    using number = xgrad::dual<double, 1, struct outer>;
    number at(x);
    at.direction(0) = 1.0;
    auto const of_real = std::get<0>(xgrad::vjp(real, at).pullback(number(1.0)));
    auto const pair = [](auto const& a) -> xgrad::result<std::tuple<double, double>> { auto s = sin(a); return std::tuple(s * a, s); };
    auto const of_parts = std::get<0>(xgrad::vjp(pair, at).pullback(std::tuple(number(1.0), number(2.0))));
    near(of_real.direction(0), second);
    near(of_parts.primal, x * std::cos(x) + std::sin(x) + 2 * std::cos(x));
    near(of_parts.direction(0), second - 2 * std::sin(x));
}
