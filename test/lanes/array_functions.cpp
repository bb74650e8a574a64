// Functions of small arrays in lanes: along axes and lines, sorted, named, read by elements; beside the same functions of one item.
#include <cmath>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::each;

namespace {

using vector = xt::xtensor<double, 1>;
using fixed = xt::xtensor_fixed<double, xt::xshape<3>>;

// Weighted sums of functions: with one weight of 1, a sum is one of them. z has three elements, m is of three and two.
#define FEW_TERMS(F) F(logsumexp(z)) F(sum(sort(z) * mu)) F(sum(cumsum(z) * mu))
#define TERMS(F) \
    FEW_TERMS(F) F(prod(z)) F(amax(z)) F(xgrad::variance(z)) F(norm_linf(z)) F(mean(z * z)) F(sum(log_softmax(z) * mu)) F(sum(cumprod(z) * mu)) \
    F(sum(square(diff(z)))) F(xgrad::median(z)) F(quantile(z, 0.3)) F(sum(logsumexp(m, {1}) * mu)) F(sum(prod(m, {0}))) F(logsumexp(m)) \
    F(sum(square(cumsum(m)))) F(sum(view(sort(m, 0), 0, xt::all()))) F(z(0) * z(2))
#define COUNT(TERM) +1
#define ADD(TERM) t += w(k++) * (TERM);

template <bool All>
constexpr std::size_t count = All ? TERMS(COUNT) : FEW_TERMS(COUNT);
template <bool All>
constexpr auto weighted = [](auto const& a, auto const& mu, auto const& w) -> xgrad::real {
    auto z = mu - a * mu * mu;
    auto m = view(z, xt::all(), xt::newaxis()) * view(z, xt::newaxis(), xt::range(0, 2));
    xgrad::variable t = 0.0 * a;
    std::size_t k = 0;
    if constexpr (All) {
        TERMS(ADD)
    } else {
        FEW_TERMS(ADD)
    }
    return t;
};
template <bool All>
constexpr auto total = [](auto const& x, auto const& mu, auto const& w) { return sum(xgrad::map(weighted<All>, each(x), mu, w)); };

// Packs, and what is left over.
constexpr std::size_t n = 2 * xgrad::lanes<double> + 1;
vector items() {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = 0.3 + 0.5 * static_cast<double>(i * i % 7);
    return x;
}
bool near(double a, double b) { return std::abs(a - b) <= 1e-13 * std::max(1.0, std::abs(b)); }

template <bool All, class Mu>
void check_gradients() {
    vector const x = items(), none = xt::zeros<double>({count<All>});
    Mu const mu{0.7, 1.4, -0.6};
    auto together = xgrad::prepare_gradient(total<All>, x, mu, none);
    auto alone = xgrad::prepare_gradient(weighted<All>, x(0), mu, none);
    for (std::size_t k = 0; k < count<All>; ++k) {
        vector w = none;
        w(k) = 1.0;
        double value = 0.0;
        Mu by_mu{0.0, 0.0, 0.0};
        auto const& [y, gradient] = together(x, mu, w);
        auto const& [xbar, mubar, wbar] = gradient;
        for (std::size_t i = 0; i < n; ++i) {
            auto const& one = alone(x(i), mu, w);
            value += one.value;
            by_mu += std::get<1>(one.gradient);
            BOOST_TEST(near(xbar(i), std::get<0>(one.gradient)), "term " << k << " at " << i << ": " << xbar(i) << " and " << std::get<0>(one.gradient));
        }
        BOOST_TEST(near(y, value), "term " << k << ": " << y << " and " << value);
        if constexpr (!All) BOOST_TEST(near(xgrad::value(total<All>, x, mu, w), value), "the value of term " << k);
        for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(near(mubar(i), by_mu(i)), "term " << k << " of " << i << ": " << mubar(i) << " and " << by_mu(i));
    }
}

}

BOOST_AUTO_TEST_CASE(gradients) { check_gradients<true, vector>(); }
BOOST_AUTO_TEST_CASE(gradients_of_fixed_shapes) { check_gradients<false, fixed>(); }

BOOST_AUTO_TEST_CASE(second_derivatives) {
    vector const x = items(), xdot = xt::sin(x), mu{0.7, 1.4, -0.6}, mudot{0.3, -0.2, 0.5}, w{1.0, 0.3, 0.2}, none{0.0, 0.0, 0.0};
    auto const together = xgrad::hvp(total<false>, std::tie(x, mu, w), std::tie(xdot, mudot, none));
    auto const& [xx, mm, ww] = together.product;
    vector by_mu = none;
    for (std::size_t i = 0; i < n; ++i) {
        auto const alone = xgrad::hvp(weighted<false>, std::tuple(x(i), mu, w), std::tuple(xdot(i), mudot, none));
        by_mu += std::get<1>(alone.product);
        BOOST_TEST(near(xx(i), std::get<0>(alone.product)), i << ": " << xx(i) << " and " << std::get<0>(alone.product));
    }
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(near(mm(i), by_mu(i)), "of " << i << ": " << mm(i) << " and " << by_mu(i));
}

// A name of the workspace in a function whose values are found before the seed is known.
BOOST_AUTO_TEST_CASE(elements_of_names) {
    vector const x = xt::arange<double>(20) * 0.1, two{0.1, 0.3};
    auto const item = [](auto const& a, auto const& q) -> xgrad::real {
        auto p = 2.0 * q;
        return a * p(0) + p(1);
    };
    auto const f = [&](auto const& all, auto const& q) {
        auto r = xgrad::map(item, each(all), q);
        return r(3) * r(4);
    };
    auto const y = [&](std::size_t i) { return x(i) * 2.0 * two(0) + 2.0 * two(1); };
    BOOST_TEST(near(xgrad::value(f, x, two), y(3) * y(4)));
    auto const [dx, dq] = xgrad::gradient(f, x, two);
    BOOST_TEST(near(dx(3), 2.0 * two(0) * y(4)));
    BOOST_TEST(near(dq(0), 2.0 * x(3) * y(4) + 2.0 * x(4) * y(3)));
    BOOST_TEST(near(dq(1), 2.0 * (y(3) + y(4))));
}

// Numbers that no register has several of go one by one, and so does what they share.
BOOST_AUTO_TEST_CASE(of_long_numbers) {
    xt::xtensor<long double, 1> const x{1.0L, 2.0L, 3.0L};
    auto const f = [](auto const& all, auto const& s) {
        return sum(xgrad::map([](auto const& a, auto const& b) -> xgrad::real { return a * exp(b); }, each(all), s));
    };
    auto const [dx, ds] = xgrad::gradient(f, x, 0.5L);
    BOOST_TEST(near(static_cast<double>(dx(1)), std::exp(0.5)));
    BOOST_TEST(near(static_cast<double>(ds), 6.0 * std::exp(0.5)));
}
