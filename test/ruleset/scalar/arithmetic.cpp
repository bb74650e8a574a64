// Sums, products, quotients, remainders, powers and roots.
#include "rows.hpp"

using namespace rows;

#define ROW_OF_OPERATOR(NAME, SYMBOL) \
    ROW_BY( \
        NAME, [](auto const& a, auto const& b) { return a SYMBOL b; }, [](auto a, auto b) { return a SYMBOL b; }, box<2>{{{-9, 9}, {0.5, 9}}}, {}, \
        {.ulps = 0.6, .in_own_type = true})

BOOST_AUTO_TEST_CASE(operators) {
    ROW_OF_OPERATOR(plus, +);
    ROW_OF_OPERATOR(minus, -);
    ROW_OF_OPERATOR(times, *);
    ROW_OF_OPERATOR(divide, /);
    ROW_BY(negate, [](auto const& x) { return -x; }, [](auto x) { return -x; }, box<1>{{{-9, 9}}}, {}, {.ulps = 0});
}
BOOST_AUTO_TEST_CASE(products) {
    ROW_OF(square, x * x, -9, 9, {{{0}, {0}}}, {});
    ROW_OF(cube, x * x * x, -9, 9, {{{0}, {0}}}, {});
    ROW_BY(power, [](auto const& x) { return xt::pow<5>(x); }, [](auto x) { return x * x * x * x * x; }, box<1>{{{-9, 9}}}, {{{0}, {0}}});
    ROW_BY(power, [](auto const& x) { return xt::pow<1>(x); }, [](auto x) { return x; }, box<1>{{{-9, 9}}});
    ROW_BY(
        fma, [](auto const& a, auto const& b, auto const& c) { return xt::fma(a, b, c); }, [](auto a, auto b, auto c) { return std::fma(a, b, c); },
        box<3>{{{-9, 9}, {-9, 9}, {-9, 9}}}, {}, {.in_own_type = true});
    ROW_BY(
        lerp, [](auto const& a, auto const& b, auto const& t) { return lerp(a, b, t); }, [](auto a, auto b, auto t) { return std::lerp(a, b, t); },
        box<3>{{{-9, 9}, {-9, 9}, {-1, 2}}}, {}, {.in_own_type = true});
    double const e = std::ldexp(1.0, -30);
    BOOST_TEST(xgrad::value([](auto const& a, auto const& b, auto const& c) { return fma(a, b, c); }, 1 + e, 1 - e, -1.0) == -e * e);
}
BOOST_AUTO_TEST_CASE(remainders) {
    ROW2(fmod, std::fmod(a, b), 7.1, 7.9, 2.05, 2.3, {{{7, 2}, {1, -3}}, {{-7, 2}, {1, 3}}, {{7, infinity}, {1, 0}}, {{1e30, 3}, {1, -std::trunc(1e30 / 3)}}},
         {});
    ROW2(remainder, std::remainder(a, b), 7.1, 7.9, 2.05, 2.1, {{{7, 2.1}, {1, -3}}, {{-7, 2.1}, {1, 3}}, {{7, infinity}, {1, 0}}}, {});
}
BOOST_AUTO_TEST_CASE(roots) {
    ROW(sqrt, 0.01, 50, {{{0}, {infinity}}, {{infinity}, {0}}}, {});
    ROW(cbrt, 0.1, 50, {{{0}, {infinity}}}, {});
    ROW(cbrt, -50, -0.1, {}, {});
    ROW2(hypot, std::hypot(a, b), -9, 9, 0.1, 9, {{{0, 0}, {0, 0}}, {{3e200, 4e200}, {0.6, 0.8}}}, {});
    auto const length = [](auto const& a, auto const& b, auto const& c) {
        using std::hypot;
        return hypot(a, b, c);
    };
    auto const [da, db, dc] = xgrad::gradient(length, 2.0, 3e200, 4e200);
    BOOST_TEST((std::abs(da) < 1e-15 && std::abs(db - 0.6) < 1e-15 && std::abs(dc - 0.8) < 1e-15));
    BOOST_TEST(xgrad::value(length, 1.0, 2.0, 2.0) == 3.0);
    BOOST_TEST(xgrad::hypot(1.0, 2.0, 2.0) == 3.0);
    auto const bent = std::get<0>(xgrad::hvp(length, std::tuple(1.0, 2.0, 2.0), std::tuple(1.0, 0.0, 0.0)).product);
    BOOST_TEST(bent == 8.0 / 27.0, boost::test_tools::tolerance(1e-14));
    xt::xtensor<double, 1> const x{1.0, 0.0}, z{2.0, 0.0};
    auto const gx = std::get<0>(xgrad::gradient([&](auto const& u) { return sum(hypot(u, z, z)); }, x));
    BOOST_TEST((std::abs(gx(0) - 1.0 / 3.0) < 1e-15 && gx(1) == 0.0));
}
BOOST_AUTO_TEST_CASE(powers) {
    ROW2(pow, std::pow(a, b), 0.1, 5, -3, 3, {{{0, 0}, {0, 0}}, {{0, 1}, {1, 0}}, {{0, 2}, {0, 0}}, {{2, 0}, {0, std::log(2.0)}}, {{1, 5}, {5, 0}}}, {});
    // a whole exponent, of a base that is negative or zero
    for (double a : {-3.0, -1.0, 0.0, 2.0})
        for (int n : {0, 1, 2, 3, 4}) {
            auto const f = [n](auto const& x) { return xt::pow(x, n); };
            double const d1 = n == 0 ? 0.0 : n * std::pow(a, n - 1), d2 = n < 2 ? 0.0 : n * (n - 1) * std::pow(a, n - 2);
            BOOST_TEST(xgrad::value(f, a) == std::pow(a, n));
            BOOST_TEST(std::get<0>(xgrad::gradient(f, a)) == d1);
            auto const d = rows::detail::by_duals<0>(f, a);
            BOOST_TEST(d[0] == d1);
            BOOST_TEST(d[1] == d2);
            // the exponent as a constant dual
            auto const e = rows::detail::by_duals<0>([](auto const& x, auto const& k) { return xt::pow(x, k); }, a, static_cast<double>(n));
            BOOST_TEST(e[0] == d1);
            BOOST_TEST(e[1] == d2);
            xt::xtensor<double, 1> const x{a, a, a, a, a};
            BOOST_TEST(std::get<0>(xgrad::gradient([n](auto const& v) { return sum(pow(v, n)); }, x))(3) == d1);
        }
}
// Bases next to 1 and far from it, powers that overflow or have few digits, whole powers of numbers below 0, and those that can be written in full.
BOOST_AUTO_TEST_CASE(powers_of_packs) {
    using P = xgrad::pack_t<double, xgrad::lanes<double>>;
    auto power = [](double a, double b) {
        std::vector<double> x(xgrad::lanes<double>, a), p(xgrad::lanes<double>, b);
        xgrad::store<double, xgrad::lanes<double>>(
            x.data(), xgrad::op::pow{}(xgrad::load<double, xgrad::lanes<double>>(x.data()), xgrad::load<double, xgrad::lanes<double>>(p.data())));
        return x[0];
    };
    auto check = [&](double a, double b) {
        BOOST_CHECK_MESSAGE(rows::ulps(power(a, b), std::pow(rows::wide(a), rows::wide(b))) <= 2, a << " to the power " << b);
    };
    static_assert(std::is_same_v<P, decltype(xgrad::op::pow{}(P(), P()))>);
    for (double t = 0.013; t < 1.0; t += 0.0371) {
        check(1.0 + 1e-5 * (t - 0.5), 1e7 * (0.7 - t));
        check(0.71 + 0.7 * t, 3000.0 * (t - 0.4));
        check(std::exp(1400.0 * (t - 0.5)), 2.0 * t - 1.0);
        check(5e-324 * std::exp(30.0 * t), t);
        check(-20.0 * t, std::floor(40.0 * (t - 0.5)));
    }
    for (double a : {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, rows::infinity, -rows::infinity, rows::not_a_number, 1e300, 5e-324, -5e-324})
        for (double b : {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, -0.5, rows::infinity, -rows::infinity, rows::not_a_number, 1e15, 1e15 + 1, 1e300}) {
            double const found = power(a, b), expected = std::pow(a, b);
            BOOST_CHECK_MESSAGE(rows::ulps(found, rows::wide(expected)) <= 2, a << " to the power " << b << " is " << found << ", not " << expected);
            if (expected == 0) BOOST_CHECK_MESSAGE(std::signbit(found) == std::signbit(expected), a << " to the power " << b << " has the wrong sign");
        }
    for (int a = 2; a < 40; ++a)
        for (int n = 1; n < 10; ++n) BOOST_CHECK_MESSAGE(power(-a, n) == std::pow(-a, n), -a << " to the power " << n);
}
