// Elementwise functions, densities, hooks and guards inside a Hessian: duals run through the same formulas, and agree with differences of gradients.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <xgrad/distributions.hpp>
#include <xgrad/xgrad.hpp>

namespace {

template <class F>
void check(char const* name, F const& f) {
    xt::xtensor<double, 1> const x{0.4, 1.3, 2.2, 0.7, 1.9};
    auto const hessian = xgrad::hessian(f, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const step = 1e-6;
        auto above = x, below = x;
        above(i) += step;
        below(i) -= step;
        auto const [g] = xgrad::gradient(f, above);
        auto const [h] = xgrad::gradient(f, below);
        for (std::size_t j = 0; j < x.size(); ++j) {
            double const d = (g(j) - h(j)) / (2 * step);
            BOOST_CHECK_MESSAGE(std::abs(hessian(i, j) - d) < 1e-6 * (1 + std::abs(d)),
                                name << " (" << i << ", " << j << ") is " << hessian(i, j) << ", not " << d);
        }
    }
}

}

BOOST_AUTO_TEST_CASE(functions) {
    check("functions", [](auto const& a) {
        // a whole exponent of a base that is negative, too
        auto powers = sum(pow(a - 1.0, 2) * xt::pow<3>(a));
        auto quotients = sum(xgrad::sinc(a) * xgrad::logaddexp(a, 0.5 * a) + fma(fmod(a * a, 0.9 + 0.1 * a), a, a * a));
        // what a comparison says has no derivative
        return powers + sum(lgamma(a) * tgamma(a)) + quotients + sum(xgrad::elementwise<xgrad::op::clip>(a * a, 0.2, 3.0) * xt::cast<double>(a > 1.0));
    });
}
BOOST_AUTO_TEST_CASE(densities_and_hooks) {
    check("densities", [](auto const& a) {
        auto y = hook(exp(a), [](auto&) {});
        auto s = hook(sum(a), [](auto const& g) { return g * 1.0; });
        return (normal_lpdf(a, a(0) * 1.0, exp(a(1))) + gamma_lpdf(y, a(1), a(2)) + student_t_lpdf(a, a(1), a(2), a(0)) + categorical_logit_lpmf(1, a * a)) *
                   s +
               sum(finite(y, "y") * y);
    });
}
BOOST_AUTO_TEST_CASE(special_points) {
    using vector = xt::xtensor<double, 1>;
    auto const expect = [](char const* name, auto const& f, vector const& x, double aa, double ab, double bb) {
        auto const h = xgrad::hessian(f, x);
        for (auto [found, right] : {std::pair(h(0, 0), aa), {h(0, 1), ab}, {h(1, 0), ab}, {h(1, 1), bb}})
            BOOST_CHECK_MESSAGE(std::abs(found - right) < 1e-12, name << ": " << h(0, 0) << ' ' << h(0, 1) << ' ' << h(1, 0) << ' ' << h(1, 1));
    };
    auto const power = [](auto const& a) { return pow(a(0), a(1)); };
    expect("pow(2, 0)", power, {2, 0}, 0, 0.5, std::log(2.0) * std::log(2.0));
    expect("pow(0, 2)", power, {0, 2}, 2, 0, 0);
    // at the base 0 the exponent is a constant
    expect("pow(0, 1)", power, {0, 1}, 0, 0, 0);
    expect("pow(0, 0)", power, {0, 0}, 0, 0, 0);
    expect("xlogy", [](auto const& a) { return xgrad::xlogy(a(0), a(1)); }, {0, 2}, 0, 0.5, 0);
    expect("logaddexp", [](auto const& a) { return xgrad::logaddexp(a(0), a(1)); }, {1, 1}, 0.25, -0.25, 0.25);
    expect("beta_lpdf", [](auto const& a) { return xgrad::beta_lpdf(a(0), a(1), 1.0); }, {0.5, 1}, 0, 2, -1);
    expect("gamma_lpdf", [](auto const& a) { return xgrad::gamma_lpdf(a(0), a(1), 1.0); }, {0.5, 1}, 0, 2, -std::acos(-1.0) * std::acos(-1.0) / 6);
    expect("norm_lp_to_p", [](auto const& a) { return norm_lp_to_p(a, 2.0) + norm_lp_to_p(a, 3.0); }, {0, -2}, 2, 0, 14);
    expect("norm_lp", [](auto const& a) { return norm_lp(a, 2.0); }, {0, 2}, 0.5, 0, 0);
    expect("norm_l2", [](auto const& a) { return norm_l2(a); }, {3, 4}, 0.128, -0.096, 0.072);
}
BOOST_AUTO_TEST_CASE(stopped) {
    BOOST_TEST(xgrad::hessian([](auto const& a) { return a * a * xgrad::stop_gradient(a); }, 3.0) == 6.0);
}
