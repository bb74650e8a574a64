// elementwise<Op>(x...): a scalar rule of one's own as a function, of active values, of plain ones, and of both.
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <boost/test/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/xgrad.hpp>

namespace app {

struct rate_op {
    static constexpr char const* name = "rate(x, k)";
    auto operator()(auto const& x, auto const& k) const { return x / (k + x); }
};
struct twice_op {
    static constexpr char const* name = "twice(z)";
    auto operator()(auto const& z) const { return z + z; }
};

}

template <>
inline constexpr auto xgrad::partials<app::rate_op> = [](auto, auto x, auto k) { return partial(k / ((k + x) * (k + x)), -x / ((k + x) * (k + x))); };
template <>
inline constexpr auto xgrad::partials<app::twice_op> = [](auto, auto z) { return partial(literal(z, 2.0)); };
template <>
inline constexpr bool xgrad::takes_complex<app::twice_op> = true;

namespace {

auto const rate = [](auto&& x, auto&& k) { return xgrad::elementwise<app::rate_op>(std::forward<decltype(x)>(x), std::forward<decltype(k)>(k)); };
auto const twice = [](auto&& z) { return xgrad::elementwise<app::twice_op>(std::forward<decltype(z)>(z)); };

using array = xt::xtensor<double, 1>;

}

BOOST_AUTO_TEST_CASE(plain_numbers_give_numbers) {
    static_assert(std::is_same_v<decltype(rate(1.0, 2.0)), double> && std::is_same_v<decltype(rate(1.0f, 2.0f)), float>);
    static_assert(std::is_same_v<decltype(rate(1, 2)), double> && std::is_same_v<decltype(rate(1.0f, 2.0)), double>);
    BOOST_TEST(rate(3.0, 1.0) == 0.75);
    BOOST_TEST(rate(3, 1) == 0.75);
    BOOST_TEST(twice(std::complex<double>(1, 2)) == std::complex<double>(2, 4));
    BOOST_TEST(xgrad::derivative([](auto const& x) { return twice(rate(x, 1.0)); }, 1.0) == 0.5);
}

BOOST_AUTO_TEST_CASE(plain_arrays_give_expressions_of_xtensor) {
    array const x{1, 3, 7}, k{1, 1, 1};
    BOOST_TEST((array(rate(x, k)) == array{0.5, 0.75, 0.875}));
    BOOST_TEST((array(rate(x, 1.0)) == array{0.5, 0.75, 0.875}));
    BOOST_TEST((array(rate(x * 1.0, std::cref(k)) + 1.0) == array{1.5, 1.75, 1.875}));
    xt::xarray<int> const whole{{1, 3, 7}};
    static_assert(std::is_same_v<decltype(rate(whole, whole))::value_type, double>);
    BOOST_TEST((xt::xarray<double>(rate(whole, 1)) == xt::xarray<double>{{0.5, 0.75, 0.875}}));
    xt::xtensor<float, 2> const many = xt::ones<float>({9, 5});
    static_assert(std::is_same_v<decltype(rate(many, many))::value_type, float>);
    BOOST_TEST((xt::xtensor<float, 2>(rate(many, many)) == xt::xtensor<float, 2>(0.5f * many)));
    xt::xtensor<std::complex<double>, 1> const z{{1, 2}, {3, 4}};
    BOOST_TEST((xt::xtensor<std::complex<double>, 1>(twice(z)) == xt::xtensor<std::complex<double>, 1>(z + z)));
}

BOOST_AUTO_TEST_CASE(plain_operands_beside_active_ones) {
    array const x{1, 3, 7};
    auto const f = [](auto const& a, auto const& k) { return sum(rate(a, k)); };
    auto const [g, none] = xgrad::gradient(f, x, xgrad::constant(array{1, 1, 1}));
    BOOST_TEST((xt::allclose(g, array{0.25, 1 / 16.0, 1 / 64.0})));
    auto const [h] = xgrad::gradient([](auto const& k) { return rate(3.0, k); }, 1.0);
    BOOST_TEST(h == -3 / 16.0);
}

// Nothing has to be said of the plain call.
BOOST_AUTO_TEST_CASE(check_rule_takes_such_a_function) {
    XGRAD_CHECK_RULE(rate, 0.7, 1.3);
    XGRAD_CHECK_RULE(rate, array{0.7, 0.2}, array{1.3, 0.9});
    XGRAD_CHECK_RULE(rate, array{0.7, 0.2}, 1.3);
    XGRAD_CHECK_RULE([](auto const& x, auto const& k) { return xt::eval(rate(x, k)); }, array{0.7, 0.2}, xgrad::constant(1.3));
}

// A quotient by one number is a product with its reciprocal, as long as that is a normal number.
BOOST_AUTO_TEST_CASE(quotients_by_one_number) {
    auto const check = [](auto one) {
        using T = decltype(one);
        using limits = std::numeric_limits<T>;
        xt::xtensor<T, 1> x = xt::linspace<T>(T(-7), T(9), 37);
        x(3) = T(0);
        x(4) = -T(0);
        x(5) = limits::infinity();
        x(6) = limits::quiet_NaN();
        x(7) = limits::min();
        for (T const b : {T(3), T(-0.7), T(1), limits::min(), limits::denorm_min(), limits::max(), limits::max() / 4, T(0), -T(0), limits::infinity(),
                          limits::quiet_NaN()}) {
            xt::xtensor<T, 1> const expected = x / b, by_constant = xgrad::vjp([b](auto const& a) { return a / b; }, x).value;
            auto [by_number, pull] = xgrad::vjp([](auto const& a, auto const& d) { return a / d; }, x, b);
            auto const [xbar, bbar] = pull(xt::xtensor<T, 1>(xt::ones_like(x)));
            for (std::size_t i = 0; i < x.size(); ++i) {
                T const e = expected(i);
                for (T const y : {by_constant(i), T(by_number(i))}) {
                    bool const close = std::isfinite(e) ? std::nextafter(e, -limits::infinity()) <= y && y <= std::nextafter(e, limits::infinity())
                                                        : y == e || (std::isnan(e) && std::isnan(y));
                    BOOST_CHECK_MESSAGE(close && (std::isnan(e) || std::signbit(e) == std::signbit(y)), x(i) << " / " << b << " is " << y << ", not " << e);
                }
                BOOST_CHECK(xbar(i) == T(1) / b || std::isnan(b));
            }
        }
    };
    check(1.0);
    check(1.0f);
}
