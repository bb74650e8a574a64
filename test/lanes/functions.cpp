// Every scalar function in lanes: values and derivatives are those of one number, to a few units in the last place.
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each;

namespace {

using vector = xt::xtensor<double, 1>;

// A weighted sum of all of them: with one weight of 1, its value and its derivative are those of one function.
#define TERMS(F) \
    F(abs(a)) F(acos(a)) F(acosh(a + 1.5)) F(asin(a)) F(asinh(a)) F(atan(a)) F(atanh(a)) F(cbrt(a)) F(ceil(a)) F(cos(a)) F(cosh(a)) F(cube(a)) \
    F(deg2rad(a)) F(erf(a)) F(erfc(a)) F(exp(a)) F(exp2(a)) F(expm1(a)) F(floor(a)) F(log(a)) F(log10(a)) F(log1p(a)) F(log2(a)) \
    F(nan_to_num(a)) F(nearbyint(a)) F(rad2deg(a)) F(rint(a)) F(round(a)) F(sign(a)) F(sin(a)) F(sinh(a)) F(sqrt(a)) F(square(a)) F(tan(a)) F(tanh(a)) \
    F(trunc(a)) F(log1m_exp(-a)) F(log1p_exp(a)) F(sigmoid(a)) F(sinc(a)) \
    F(relu(a - 0.5)) F(silu(a)) F(gelu(a)) F(softplus(a)) F(normal_cdf(a)) F(normal_log_cdf(-a)) \
    F(atan2(a, b)) F(fdim(a, b)) F(fmax(a, b)) F(fmin(a, b)) F(fmod(a, b)) F(hypot(a, b)) F(maximum(a, b)) F(minimum(a, b)) F(pow(a, b)) \
    F(remainder(a, b)) F(logaddexp(a, b)) F(xlogy(a, b)) F(pow(a, 2.5)) F(pow(1.5, a)) F(xgrad::pow<3>(a)) F(clip(a, 0.3, b)) F(fma(a, b, 0.5)) \
    F(maximum(a, 0.5)) F(atan2(0.7, a)) F(a / b) F(a - 2.0 / b) F(-a)
#define COUNT(TERM) +1
#define NAME(TERM) #TERM,
#define ADD(TERM) t += w(k++) * (TERM);
constexpr std::size_t count = TERMS(COUNT);
constexpr char const* names[] = {TERMS(NAME)};

auto const weighted = [](auto const& a, auto const& b, auto const& w) -> xgrad::real {
    xgrad::variable t = 0.0 * a;
    int k = 0;
    TERMS(ADD)
    return t;
};

}

BOOST_AUTO_TEST_CASE(as_of_one_number) {
    constexpr std::size_t n = xgrad::lanes<double>;
    vector x = vector::from_shape({n}), y = x;
    for (std::size_t i = 0; i < n; ++i) {
        x(i) = 0.21 + 0.71 * static_cast<double>(i) / static_cast<double>(n);
        y(i) = 0.9 - 0.5 * static_cast<double>(i * i) / static_cast<double>(n * n);
    }
    auto all = xgrad::prepare_gradient([](auto const& a, auto const& b, auto const& w) { return sum(xgrad::map(weighted, each(a), each(b), w)); }, x, y,
                                       vector(xt::zeros<double>({count})));
    auto alone = all;  // of one item: no pack
    auto const before = xgrad::packs_of_maps();
    auto near = [](double a, double b) { return std::abs(a - b) <= 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(b)); };
    for (std::size_t k = 0; k < count; ++k) {
        vector w = xt::zeros<double>({count});
        w(k) = 1.0;
        auto const& [value, gradient] = all(x, y, w);
        auto const& [dx, dy, dw] = gradient;
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            auto const& [v, g] = alone(vector{x(i)}, vector{y(i)}, w);
            double const da = std::get<0>(g)(0), db = std::get<1>(g)(0);
            sum += v;
            BOOST_TEST((near(dx(i), da) && near(dy(i), db)), names[k] << " at " << x(i) << ", " << y(i) << ": " << dx(i) << " " << dy(i));
        }
        BOOST_TEST(near(value, sum), names[k] << ": " << value << " for " << sum);
    }
    auto const after = xgrad::packs_of_maps();
    BOOST_TEST((after.run - before.run == count && after.split == before.split));
}
