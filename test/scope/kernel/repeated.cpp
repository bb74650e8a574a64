// A tree may have one expression several times, as in -0.5 * d * d: it is computed once, and what all its uses are given goes by it in one contribution.
#include <cmath>
#include <complex>
#include <limits>

#include <test/programs/against_differences.hpp>

using programs::agree;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{1.1, -0.7, 0.4, 2.3, -1.9, 0.8, 1.6, 0.35, -0.15, 1.05, 0.6};
matrix const m = {{1.5, 2.0, -0.5}, {-1.0, 0.4, 2.5}};

// x + 1, which counts the elements that it was computed for.
int computed = 0;
struct counted_increment {
    static constexpr char const* name = "counted_increment(x)";
    static constexpr int cost = 1;
    double operator()(double x) const {
        ++computed;
        return x + 1.0;
    }
};
template <class X>
auto increment(X const& x) {
    return xgrad::elementwise<counted_increment>(x);
}

constexpr auto total = [](auto const& e) {
    if constexpr (xgrad::active<decltype(e)>) return sum(e);
    else return double(xt::sum(e)());
};

}

template <>
inline constexpr auto xgrad::partials<counted_increment> = [](auto, auto x) { return partial(one(x)); };

BOOST_AUTO_TEST_CASE(is_computed_once) {
    auto const count = [](auto f) {
        computed = 0;
        vector const g = std::get<0>(xgrad::gradient(f, v));
        for (std::size_t i = 0; i < v.size(); ++i) BOOST_CHECK_CLOSE(g(i), 2.0 * (v(i) + 1.0), 1e-12);
        return computed;
    };
    int const n = static_cast<int>(v.size());
    BOOST_TEST(count([](auto const& x) { auto d = increment(x); return sum(d * d); }) == n);
    BOOST_TEST(count([](auto const& x) { return sum(increment(x) * increment(x)); }) == n);
    // wherever they are in the tree
    BOOST_TEST(count([](auto const& x) { auto d = increment(x); return sum(0.5 * d * d + d * d - d * (0.5 * d)); }) == n);
    BOOST_TEST(count([](auto const& x) { auto d = increment(x); return sum(where(d > 10.0, d * d * d, d * d)); }) == n);
    BOOST_TEST(count([](auto const& x) { auto d = increment(x); auto e = d - 1.0; return sum(0.5 * (e + 1.0) * d + 0.5 * d * (e + 1.0)); }) == n);
    // also where it is written into a view
    BOOST_TEST(count([](auto const& x) {
        auto d = increment(x);
        xgrad::variable u = 0.0 * x;
        view(u, xt::all()) = d * d;
        return sum(u);
    }) == 2 * n);
    // what is only read keeps nothing for others
    BOOST_TEST(count([](auto const& x) { auto d = increment(x); return sum(d * d * (d < 10.0)); }) == 2 * n);
    // two names, each of which is used twice in turn
    BOOST_TEST(count([](auto const& x) {
        auto d = increment(1.0 * x), e = increment(0.0 * x);
        return sum(d * d + e * e);
    }) == 2 * n);
    // of another array, or of another place in it, it is another one
    BOOST_TEST(count([](auto const& x) { auto y = 1.0 * x; return sum(increment(x) * increment(xgrad::variable(y))); }) == 2 * n);
}

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    auto const views = [](auto const& x) {
        auto d = view(x, xt::range(1, 11)) - view(x, xt::range(0, 10));
        return total(d * d) + total(d / (d + d)) + total((d * d) * (d * d));
    };
    agree(views, views, v);
    auto const others = [](auto const& x, auto const& c) {
        auto a = x - 1.0;
        auto b = x - c;
        return total(a * b) + total((x - 1.0) * (x - 2.0)) + total((x * c) / (x * c + 3.0)) + total((x - c) * (x - c));
    };
    agree(others, others, v, 0.3);
    agree(others, others, m, matrix{{0.4}, {-0.2}});
    auto const columns = [](auto const& x, auto const& b) {
        auto d = x - b;
        return total(hypot(d, d) + pow(d * d, 1.0 + d * d));
    };
    agree(columns, columns, m, vector{0.45, -0.25, 1.15});
    xt::xtensor<double, 2, xt::layout_type::column_major> const by_columns = m;
    agree(columns, columns, by_columns, vector{0.45, -0.25, 1.15});
    agree(views, views, xt::xarray<double>(v));
    vector const empty = xt::zeros<double>({0});
    auto const square = [](auto const& x) { auto d = 2.0 * x - 1.0; return total(d * d); };
    BOOST_TEST(std::get<0>(xgrad::gradient(square, empty)).size() == 0u);
    agree(square, square, vector{0.3});
    xt::xtensor<float, 1> const long_one = xt::linspace<float>(-1.0f, 1.0f, 301);
    agree(square, square, long_one);
}

// The gradient against differences: most of a program of many names is what its verbs compile.
template <class F>
void gradient_agrees(F const& f, vector const& x) {
    auto const g = std::get<0>(xgrad::gradient(f, x));
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const h = 1e-6;
        vector up = x, down = x;
        up(i) += h;
        down(i) -= h;
        BOOST_CHECK_SMALL(g(i) - (f(up) - f(down)) / (2.0 * h), 1e-7);
    }
}

// Names of one type in any order, some of which are the same.
BOOST_AUTO_TEST_CASE(several_names) {
    vector const y = 0.3 - 0.5 * v;
    gradient_agrees(
        [&](auto const& x) {
            auto a = x - y;
            auto b = x - 0.5 * y;
            return total(0.5 * a * b * a + b * a * b + a / (a * a + 1.0) + b / (b * b + 1.0));
        },
        v);
    auto const inner = [](auto const& x) {
        auto a = x - 0.5 * x;
        auto b = a * a + 1.0;
        return total(a / b + b / (a * b) + b * b - a);
    };
    agree(inner, inner, v);
    // windows of one array, which meet
    gradient_agrees(
        [](auto const& x) {
            using xt::view;
            auto d = view(x, xt::range(1, 11)) - view(x, xt::range(0, 10)), e = view(x, xt::range(0, 10)) - view(x, xt::range(1, 11));
            return total(d * e * d + 0.5 * e * e * d);
        },
        v);
}

// More of them than a kernel takes note of.
BOOST_AUTO_TEST_CASE(too_many) {
    auto const f = [](auto const& x) {
        auto const g = [&](auto const& d) { return ((d * d + d * d) + (d * d + d * d)) + (d * d + d * d); };
        return sum((g(x - 0.5) + g(x + 0.25)) + g(x - 0.5));
    };
    vector const expected = 24.0 * (v - 0.5) + 12.0 * (v + 0.25);
    BOOST_CHECK(xt::allclose(std::get<0>(xgrad::gradient(f, v)), expected, 1e-12));
}

// What is not given anything stays without a derivative, whatever its other uses are given.
BOOST_AUTO_TEST_CASE(masked_uses) {
    double const infinity = std::numeric_limits<double>::infinity();
    vector const x{-1.0, 0.0, 4.0, 9.0};
    auto const rooted = [](auto const& a) {
        auto s = 4.0 * sqrt(a);
        return sum(where(a > 0.0, 0.5 * s * s, 0.0)) + sum(where(a > 5.0, s, where(a > 1.0, s * s, 0.0)));
    };
    BOOST_TEST((std::get<0>(xgrad::gradient(rooted, x)) == vector{0.0, 0.0, 24.0, 8.0 + 2.0 / 3.0}), boost::test_tools::tolerance(1e-12));
    auto const inverted = [](auto const& a) {
        auto r = 1.0 / a;
        return sum(where(equal(a, 0.0), 0.0, r * r) + where(a > 2.0, r, 0.0));
    };
    vector const g = std::get<0>(xgrad::gradient(inverted, x));
    BOOST_TEST(g(0) == 2.0);
    BOOST_TEST(g(1) == 0.0);
    BOOST_CHECK_CLOSE(g(2), -2.0 / 64.0 - 1.0 / 16.0, 1e-12);
    // one use that takes all elements and others that take some
    auto const both = [](auto const& a) {
        auto r = 1.0 / a;
        return sum(where(a > 2.0, r * r, 0.0) + r);
    };
    BOOST_TEST(std::get<0>(xgrad::gradient(both, x))(1) == -infinity);
    auto const array = [](auto const& a) {
        auto r = 1.0 / a;
        return where(a > 2.0, r * r, 0.0) + where(a > 5.0, r, 0.0);
    };
    vector const ones = xt::ones<double>({4});
    auto [y, pull] = xgrad::vjp(array, x);
    BOOST_TEST((std::get<0>(pull(ones)) == vector{0.0, 0.0, -2.0 / 64.0, -2.0 / 729.0 - 1.0 / 81.0}), boost::test_tools::tolerance(1e-12));
}

// Each of the two takes its share where only some elements of one are given anything.
BOOST_AUTO_TEST_CASE(ties) {
    auto const greater = [](auto const& x) { auto d = 3.0 * x; return sum(maximum(d, d) + minimum(d, d)); };
    vector const six = 6.0 * xt::ones<double>({v.size()});
    BOOST_TEST((std::get<0>(xgrad::gradient(greater, v)) == six));
}

// Numbers that compare equal and are not the same, and those that are and do not.
BOOST_AUTO_TEST_CASE(signed_zeros_and_nan) {
    double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    vector const x{1.0};
    double const zero = 0.0;
    auto const f = [zero](auto const& a) { return sum((a / zero) * (a / -zero)); };
    BOOST_TEST(xgrad::value(f, x) == -infinity);
    auto const g = [nan](auto const& a) { return sum((a + nan) * (a + nan)); };
    BOOST_TEST(std::isnan(std::get<0>(xgrad::gradient(g, x))(0)));
}

BOOST_AUTO_TEST_CASE(other_modes) {
    auto const named = [](auto const& x) { auto d = x * x - 2.0 * x; return sum(d * d); };
    auto const squared = [](auto const& x) { return sum(square(x * x - 2.0 * x)); };
    BOOST_CHECK(xt::allclose(xgrad::hessian(named, v), xgrad::hessian(squared, v), 1e-12));
    vector const d = 0.5 * v;
    BOOST_CHECK_CLOSE(xgrad::jvp(named, std::tuple(v), std::tuple(d)).tangent, xgrad::jvp(squared, std::tuple(v), std::tuple(d)).tangent, 1e-10);
    auto const huber = [](auto const& x) {
        auto r = x - 0.5;
        return sum(where(abs(r) <= 1.0, 0.5 * r * r, abs(r) - 0.5));
    };
    matrix curvature = xt::zeros<double>({v.size(), v.size()});
    for (std::size_t i = 0; i < v.size(); ++i) curvature(i, i) = std::abs(v(i) - 0.5) <= 1.0 ? 1.0 : 0.0;
    BOOST_TEST((xgrad::hessian(huber, v) == curvature));
    auto const array = [](auto const& x) { auto e = x + 1.0; return e * e; };
    auto [y, pull] = xgrad::vjp(array, v);
    vector const once = std::get<0>(pull(d)), again = std::get<0>(pull(d)), expected = 2.0 * d * (v + 1.0);
    BOOST_CHECK(xt::allclose(once, expected));
    BOOST_CHECK(once == again);
    xt::xtensor<std::complex<double>, 1> const z{{1.0, 2.0}, {-0.5, 0.25}};
    auto const of_complex = [](auto const& u) { auto a = u * 2.0 - 1.0; return sum(real(a * a)); };
    auto const squared_complex = [](auto const& u) { return sum(real(square(u * 2.0 - 1.0))); };
    BOOST_CHECK(xt::allclose(std::get<0>(xgrad::gradient(of_complex, z)), std::get<0>(xgrad::gradient(squared_complex, z))));
    // where an element was written between
    auto const written = [](auto const& x) {
        xgrad::variable u = x;
        auto before = u - 1.0;
        u(0) = 2.0 * x(1);
        auto after = u - 1.0;
        return sum(before * after) + sum(after * after);
    };
    auto const g = std::get<0>(xgrad::gradient(written, v));
    BOOST_CHECK_CLOSE(g(0), 2.0 * v(1) - 1.0, 1e-10);
    BOOST_CHECK_CLOSE(g(1), 2.0 * (v(0) - 1.0) + 4.0 * (2.0 * v(1) - 1.0) + 4.0 * (v(1) - 1.0), 1e-10);
    for (std::size_t i = 2; i < v.size(); ++i) BOOST_CHECK_CLOSE(g(i), 4.0 * (v(i) - 1.0), 1e-10);
}
