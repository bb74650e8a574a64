// Elementwise functions of plain values: of numbers what <cmath> gives, of arrays what xtensor gives; and the same as the value of a gradient call.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <concepts>
#include <type_traits>

#include <xgrad/special.hpp>
#include <xgrad/xgrad.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
vector const x{0.25, 0.5, 0.75};

bool same(double a, double b) { return a == b || std::abs(a - b) <= 4e-16 * std::abs(b) || (std::isnan(a) && std::isnan(b)); }

// f of a number, of an array, and of active values, which sees each as f of its own value; `expected` is a number's.
template <class F, class G>
void check(char const* what, F f, G expected) {
    for (double const v : x) {
        static_assert(std::is_same_v<decltype(f(0.5)), double>);
        static_assert(std::floating_point<decltype(f(1))>);
        static_assert(std::is_same_v<decltype(f(0.5f)), float>);
        BOOST_TEST(same(f(v), expected(v)), what << " of " << v << ": " << f(v) << " for " << expected(v));
    }
    vector const y = f(x);
    for (std::size_t i = 0; i < x.size(); ++i) BOOST_TEST(same(y(i), expected(x(i))), what << " of an array");
    BOOST_TEST(same(xgrad::value([&](auto const& a) { return sum(f(a)); }, x), xt::sum(y)()), what << " in a call");
}
#define CHECK(NAME, EXPECTED) check(#NAME, [](auto const& v) { return xgrad::NAME(v); }, [](double v) { return EXPECTED; })
// Beside a plain number, on either side.
#define CHECK_TWO(NAME, EXPECTED)                                                                                     \
    check(                                                                                                            \
        #NAME, [](auto const& v) { return xgrad::NAME(v, scalar<decltype(v)>(0.5)); }, [](double v) { double const w = 0.5; return EXPECTED; })
template <class E>
struct scalar_of_value { using type = double; };
template <>
struct scalar_of_value<float> { using type = float; };
template <class E>
using scalar = typename scalar_of_value<std::remove_cvref_t<E>>::type;

}

BOOST_AUTO_TEST_CASE(of_one_operand) {
    CHECK(abs, std::abs(v)); CHECK(acos, std::acos(v)); CHECK(acosh, std::acosh(v)); CHECK(asin, std::asin(v)); CHECK(asinh, std::asinh(v));
    CHECK(atan, std::atan(v)); CHECK(atanh, std::atanh(v)); CHECK(cbrt, std::cbrt(v)); CHECK(ceil, std::ceil(v)); CHECK(cos, std::cos(v));
    CHECK(cosh, std::cosh(v)); CHECK(cube, v * v * v); CHECK(erf, std::erf(v)); CHECK(erfc, std::erfc(v)); CHECK(exp, std::exp(v));
    CHECK(exp2, std::exp2(v)); CHECK(expm1, std::expm1(v)); CHECK(floor, std::floor(v)); CHECK(lgamma, std::lgamma(v)); CHECK(log, std::log(v));
    CHECK(log10, std::log10(v)); CHECK(log1p, std::log1p(v)); CHECK(log2, std::log2(v)); CHECK(nan_to_num, v); CHECK(nearbyint, std::nearbyint(v));
    CHECK(rint, std::rint(v)); CHECK(round, std::round(v)); CHECK(sign, (v > 0) - (v < 0)); CHECK(sin, std::sin(v)); CHECK(sinh, std::sinh(v));
    CHECK(sqrt, std::sqrt(v)); CHECK(square, v * v); CHECK(tan, std::tan(v)); CHECK(tanh, std::tanh(v)); CHECK(tgamma, std::tgamma(v));
    CHECK(trunc, std::trunc(v)); CHECK(fabs, std::abs(v)); CHECK(radians, v * (3.141592653589793 / 180)); CHECK(degrees, v * (180 / 3.141592653589793));
    CHECK(sigmoid, 1 / (1 + std::exp(-v)));
    CHECK(pow<3>, v * v * v);
}

BOOST_AUTO_TEST_CASE(of_two_operands) {
    CHECK_TWO(atan2, std::atan2(v, w)); CHECK_TWO(fdim, std::fdim(v, w)); CHECK_TWO(fmax, std::fmax(v, w)); CHECK_TWO(fmin, std::fmin(v, w));
    CHECK_TWO(fmod, std::fmod(v, w)); CHECK_TWO(hypot, std::hypot(v, w)); CHECK_TWO(maximum, std::max(v, w)); CHECK_TWO(minimum, std::min(v, w));
    CHECK_TWO(pow, std::pow(v, w)); CHECK_TWO(remainder, std::remainder(v, w));
    BOOST_TEST(xgrad::fma(2.0, 3.0, 4.0) == 10.0);
    BOOST_TEST(xt::sum(xgrad::exp(x + 0.0))() == xt::sum(xt::exp(x))());
    auto const of_both = [](auto const& v) { return xgrad::exp(v) * xgrad::sqrt(xgrad::stop_gradient(v)); };
    BOOST_TEST(xgrad::value(of_both, 0.25) == std::exp(0.25) * 0.5);
    vector const y = xgrad::hypot(x, x);
    BOOST_TEST(y(1) == std::hypot(0.5, 0.5));
}

BOOST_AUTO_TEST_CASE(without_a_prefix) {
    using namespace xgrad;
    using xt::exp;
    double const v = 0.5;
    BOOST_TEST(sqrt(v) == std::sqrt(v));
    BOOST_TEST(hypot(v, 1.0) == std::hypot(v, 1.0));
    BOOST_TEST(sigmoid(v) == xgrad::sigmoid(v));
    vector const y = exp(x) + sqrt(x), z = atan2(x, v) + pow(x, 2.0);
    BOOST_TEST(y(1) == std::exp(0.5) + std::sqrt(0.5));
    BOOST_TEST(z(1) == std::atan2(0.5, 0.5) + 0.25);
    xt::xarray<double> const dynamic = tanh(xt::xarray<double>{{0.25, 0.5}});
    BOOST_TEST(dynamic(0, 1) == std::tanh(0.5));
}
