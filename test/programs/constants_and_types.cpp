// Plain numbers beside active values take the type that plain C++ gives the expression; looking at a value costs nothing.
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace {
template <class E>
using element = typename std::remove_cvref_t<E>::value_type;
}

BOOST_AUTO_TEST_CASE(integers_and_booleans_count_nothing) {
    int const n = 3;
    bool const yes = true;
    std::int64_t const big = 5;
    agree(
        XGRAD_BOTH_MODES((auto const& x), return n * x + 2 * x + x / 2 + 1 / x + x * yes - big + x * 3u;),
        [](double x) { return 8 * x + x / 2 + 1 / x + x - 5; }, 0.7);
    agree(
        XGRAD_BOTH_MODES((auto const& x), return pow(x, 3) + pow(2, x) + maximum(x, 0) + minimum(1, x);),
        [](double x) { return x * x * x + std::pow(2, x) + 2 * x; }, 0.7);
    agree(XGRAD_BOTH_MODES((auto const& x), return 7 / 2 * x;), [](double x) { return 3 * x; }, 0.7);
}

BOOST_AUTO_TEST_CASE(float_values) {
    auto types = [](auto const& x, auto const& y) {
        static_assert(std::is_same_v<element<decltype(x * x)>, float>);
        static_assert(std::is_same_v<element<decltype(x * 2)>, float>);
        static_assert(std::is_same_v<element<decltype(x * 2.0f)>, float>);
        static_assert(std::is_same_v<element<decltype(x * 2.0)>, double>);
        static_assert(std::is_same_v<element<decltype(x * y)>, double>);
        return x * y;
    };
    agree(types, [](double x, double y) { return x * y; }, 0.5f, 1.5);
    agree(XGRAD_BOTH_MODES((auto const& x), auto a = x * x; auto b = a * 2.0 + x; return b * a;), [](double x) { return (2 * x * x + x) * x * x; }, 0.5f);
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x) * y; auto b = a * x; return a + b * 0.5f;),
          [](double x, double y) { double a = std::sin(x) * y; return a + a * x * 0.5; }, 0.5f, 1.5);
    BOOST_CHECK((std::is_same_v<decltype(xgrad::gradient(types, 0.5f, 1.5)), std::tuple<float, double>>));
    auto [value, gradient] = xgrad::value_and_gradient([](auto const& x) { return x * x; }, 0.5f);
    BOOST_CHECK((std::is_same_v<decltype(value), float>));
    BOOST_CHECK_EQUAL(value, 0.25f);
    BOOST_CHECK_EQUAL(std::get<0>(gradient), 1.0f);
}

// As in float s = x; s += 0.5 * x; and double s = x.
BOOST_AUTO_TEST_CASE(variables_take_other_element_types) {
    using floats = xt::xtensor<float, 1>;
    agree(XGRAD_BOTH_MODES((auto const& x), variable s = x; for (int i = 0; i < 3; ++i) s += x * x * 0.5; return s;),
          [](double x) { return x + 1.5 * x * x; }, 1.5f);
    agree(XGRAD_BOTH_MODES((auto const& x), variable<double> s = 0.0; s = s + x; s *= x; return s * 2.0;), [](double x) { return 2 * x * x; }, 1.5f);
    agree(XGRAD_BOTH_MODES((auto const& x), std::vector<variable<float>> v{x * x, x}; v.push_back(x * 2.0); return v[0] * v[1] * v[2];),
          [](double x) { return 2 * x * x * x * x; }, 1.5f);
    xt::xtensor<double, 1> const a{0.5, 1.5, 2.0};
    floats const b = a;
    // whole, an element, a region, and all of it
    agree(
        XGRAD_BOTH_MODES((auto const& x), variable<xt::xtensor<double, 1>> v = x * x; v(0) = x(1) * 2.0f; view(v, xt::range(1, 3)) += view(x, xt::range(0, 2));
                         v *= x; return sum(v * v);),
        [](auto const& x) {
            double const v0 = 2.0 * x(1) * x(0), v1 = (x(1) * x(1) + x(0)) * x(1), v2 = (x(2) * x(2) + x(1)) * x(2);
            return v0 * v0 + v1 * v1 + v2 * v2;
        },
        b);
    auto narrow = [](auto const& x) { variable<floats> v = x; v.fill(x(0) * x(1)); return sum(v * x) + sum(cast<double>(v)); };
    auto [value, gradient] = xgrad::value_and_gradient(narrow, a);
    BOOST_CHECK_CLOSE(value, 0.75 * 4.0 + 3 * 0.75, 1e-5);
    BOOST_CHECK_CLOSE(std::get<0>(gradient)(0), 1.5 * 7.0 + 0.75, 1e-5);
    // real into complex
    agree([](auto const& x) { variable<std::complex<double>> z = x * x; z = z * std::complex<double>(1.0, 2.0) + x; return norm_sq(z); },
          [](double x) { return std::norm(std::complex<double>(1.0, 2.0) * (x * x) + x); }, 1.5);
    // in every verb
    auto like = [](auto const& x) { xgrad::number_like<decltype(x)> s = 0.0; for (auto v : x) s += v * v * 0.5; return s * s; };
    BOOST_CHECK_CLOSE(xgrad::hessian(like, floats{1.0f, 2.0f})(1, 0), 4.0, 1e-5);
    BOOST_CHECK_CLOSE(xgrad::derivative([](auto const& x) { xgrad::number_like<decltype(x)> s = variable(3.0); return s * x * 0.5; }, 2.0f), 1.5, 1e-5);
}

BOOST_AUTO_TEST_CASE(casts) {
    xt::xtensor<float, 1> const a{0.5f, 1.5f};
    xt::xtensor<double, 1> const b{2.0, 3.0};
    auto f = [](auto const& x, auto const& y) { auto u = cast<double>(x * x); return sum(u * y) + xt::sum(xt::cast<double>(x)); };
    agree(f, [](auto const& x, auto const& y) { return xt::sum(x * x * y + x)(); }, a, b);
    BOOST_CHECK((std::is_same_v<decltype(xgrad::value(f, a, b)), double>));
    BOOST_CHECK((std::is_same_v<decltype(xgrad::hessian(f, a, xgrad::constant(b))), xt::xtensor<float, 2>>));
    BOOST_CHECK_EQUAL(xgrad::hessian(f, a, xgrad::constant(b))(1, 1), 6.0f);
    xt::xtensor<float, 1> const narrow = xgrad::cast<float>(b);
    BOOST_CHECK_EQUAL(narrow(1) + xgrad::cast<float>(2.0), 5.0f);
    BOOST_CHECK((std::is_same_v<decltype(xgrad::cast<float>(2.0)), float>));
    agree([](auto const& x) { return norm_sq(cast<std::complex<double>>(x * x) + std::complex<double>(1.0, 2.0)); },
          [](double x) { return std::norm(x * x + std::complex<double>(1.0, 2.0)); }, 1.5);
    auto [dz] = xgrad::gradient([](auto const& z) { return norm_sq(cast<std::complex<double>>(z)); }, std::complex<float>(1, 2));
    BOOST_CHECK_CLOSE(dz.imag(), 4.0f, 1e-4f);
}

// A double beside floats is a double in every mode, as in plain C++; the derivatives are of the argument's type.
BOOST_AUTO_TEST_CASE(the_type_of_a_value) {
    auto f = [](auto const& x) { return x * x * 0.5; };
    auto g = [](auto const& x) { return x * x / 2 + x * 0.5f; };
    xt::xtensor<float, 1> const a{1.0f, 2.0f};
    BOOST_CHECK((std::is_same_v<decltype(f(2.0f)), double> && std::is_same_v<decltype(g(2.0f)), float>));
    BOOST_CHECK((std::is_same_v<decltype(xgrad::value(f, 2.0f)), double> && std::is_same_v<decltype(xgrad::value(g, 2.0f)), float>));
    BOOST_CHECK((std::is_same_v<decltype(xgrad::gradient(f, 2.0f)), std::tuple<float>>));
    auto const j = xgrad::jvp(f, std::tuple(2.0f), std::tuple(1.0f));
    BOOST_CHECK((std::is_same_v<decltype(j.primal), double> && std::is_same_v<decltype(xgrad::derivative(g, 2.0f)), float>));
    BOOST_CHECK((std::is_same_v<decltype(xgrad::value_gradient_and_hessian(f, 2.0f)), xgrad::value_with_hessian<double, float, float>>));
    BOOST_CHECK((std::is_same_v<decltype(xgrad::hvp(f, 2.0f, 1.0f).value), double>));
    // not rounded to a float on the way, and compared as a double
    float const tenth = 0.1f;
    BOOST_CHECK_EQUAL(xgrad::jvp([](auto const& x) { return x * 0.1; }, std::tuple(tenth), std::tuple(1.0f)).primal, tenth * 0.1);
    BOOST_CHECK_EQUAL(xgrad::derivative([](auto const& x) { return x > 0.1 ? x * 2.0 : x * 3.0; }, tenth), 2.0);
    auto const r = xgrad::jvp(f, std::tuple(a), std::tuple(a));
    BOOST_CHECK((std::is_same_v<std::remove_const_t<decltype(r.primal)>, xt::xtensor<double, 1>>));
    BOOST_CHECK_EQUAL(r.tangent(1), 4.0);
}

BOOST_AUTO_TEST_CASE(float_arrays) {
    xt::xtensor<float, 1> a = xt::arange<float>(1, 20) / 20.0f, b = xt::arange<float>(19) / 10.0f;
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = tanh(x * y) + 1.0f; return sum(h * h * x);),
          [](auto const& x, auto const& y) { return xt::sum(xt::square(xt::tanh(x * y) + 1.0) * x)(); }, a, b);
    // a double constant makes the expression double; the gradient stays float
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = x * 0.5 + y; return sum(h * x) / 2;),
        [](auto const& x, auto const& y) { return xt::sum((x * 0.5 + y) * x)() / 2; }, a, b);
    xt::xtensor<double, 1> c = xt::arange<double>(19) / 7.0;
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto h = x * y; return sum(h * h + x);),
        [](auto const& x, auto const& y) { return xt::sum(x * y * x * y + x)(); }, a, c);
}

BOOST_AUTO_TEST_CASE(looking_at_a_value_owes_nothing) {
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = x * y; double p = xgrad::primal(a); auto b = a * p;
                         p = xgrad::primal(a * a) + xgrad::primal(x); return b + p * 0.0;),
        // p is the constant that it is at the point: 0.91
        [](double x, double y) { return x * y * 0.91; }, 0.7, 1.3);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), auto a = sin(x); auto b = sin(y); bool less = a < b; bool same = a == a;
                         bool temporary = x * y > a * b; return less && same && temporary && !(a != a) && a <= b && b >= 0 && 0 < a ? a * 2.0 : b * 3.0;),
        [](double x, double) { return 2 * std::sin(x); }, 0.7, 1.3);
    agree(
        XGRAD_BOTH_MODES((auto const& x, auto const& y), variable s = x; return s < y && variable(2.0) > s && s == x ? s * y : s * x;),
        [](double x, double y) { return x * y; }, 0.7, 1.3);
}

BOOST_AUTO_TEST_CASE(an_array_can_be_looked_at) {
    xt::xtensor<double, 2> a = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    auto look = [](auto const& x, auto const& k) {
        auto h = x * 2.0;
        BOOST_CHECK_EQUAL(h.dimension(), 2u);
        BOOST_CHECK_EQUAL(h.size(), 6u);
        BOOST_CHECK_EQUAL(h.shape(0) * 10 + x.shape(1), 23u);
        BOOST_CHECK_EQUAL((x * h + sum(x)).shape()[1], 3u);
        xt::xtensor<double, 2> p = xgrad::primal(h), q = xgrad::primal(x), r = xgrad::primal(sin(x));
        BOOST_CHECK_EQUAL(p(1, 2), 1.2);
        BOOST_CHECK_EQUAL(q(0, 1), 0.2);
        BOOST_CHECK_CLOSE(r(1, 0), std::sin(0.4), 1e-12);
        BOOST_CHECK_EQUAL(xgrad::primal(h(1, 1)), 1.0);
        BOOST_CHECK(h(0, 0) < h(0, 1));
        BOOST_CHECK_EQUAL(xgrad::primal(k)(0), 1.0);
        return sum(h * h);
    };
    agree(look, [](auto const& x, auto const&) { return 4 * xt::sum(x * x)(); }, a, xgrad::constant(xt::xtensor<double, 1>{1.0}));
}
