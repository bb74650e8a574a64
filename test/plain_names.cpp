// Functions of plain arrays without a prefix, found on what stop_gradient, primal and captured arrays give; and of plain numbers by xgrad's names.
#include "plain_names.hpp"

#include <cmath>

#include <xgrad/distributions.hpp>
#include <xgrad/interp.hpp>
#include <xgrad/special.hpp>

using plain_names::vector;

namespace {

vector const v{0.3, 0.5, 0.7};
xt::xtensor<int, 1> const n{1, 0, 1};

}

BOOST_AUTO_TEST_CASE(of_arrays) {
    AS(v, relu(a)); AS(v, silu(a)); AS(v, gelu(a)); AS(v, softplus(a)); AS(v, sigmoid(a)); AS(v, softmax(a)); AS(v, log_softmax(a)); AS(v, log1p_exp(a));
    AS(v, log1m_exp(-a)); AS(v, logaddexp(a, v)); AS(v, logaddexp(v, a)); AS(v, xlogy(a, v)); AS(v, copysign(a, v)); AS(v, sinc(a)); AS(v, deg2rad(a));
    AS(v, normal_cdf(a)); AS(v, normal_log_cdf(a)); AS(v, erfinv(a)); AS(v, normal_quantile(a)); AS(v, digamma(a)); AS(v, polygamma(1, a));
    AS(v, gamma_p(2.5, a)); AS(v, gamma_q(2.5, a)); AS(v, ibeta(2.5, 1.5, a)); AS(v, cyl_bessel_j(1.5, a)); AS(v, cyl_neumann(2, a));
    AS(v, cyl_bessel_i(0, a)); AS(v, cyl_bessel_k(0.5, a)); AS(v, logsumexp(a)); AS(v, interp(a, vector{0, 1}, vector{1, 3})); AS(v, maximum(a, 0.4));
    AS(v, clip(a, 0.4, 0.6)); AS(v, max(a, 0.4)); AS(v, clamp(a, 0.4, 0.6)); AS(v, where(a > 0.4, a, 0.0)); AS(v, nan_to_num(a)); AS(v, fma(a, v, 1.0));
    AS(v, xgrad::pow<3>(a)); AS(v, stack(xt::xtuple(a, v))); AS(v, ravel(a)); AS(v, median(a)); AS(v, quantile(a, 0.3));
    AS(v, strided_view(a, {xt::range(0, 2)})); AS(v, square(a)); AS(v, cube(a)); AS(v, sign(a)); AS(v, lgamma(a)); AS(v, tgamma(a)); AS(v, cast<float>(a));
    AS(v, take(a, {0, 2})); AS(v, scatter_add(a, {1, 1}, vector{2, 3})); AS(v, trapz(a)); AS(v, diff(a)); AS(v, cumsum(a)); AS(v, norm_lp(a, 3.0));
    AS(v, variance(a)); AS(v, stddev(a)); AS(v, average(a, v)); AS(v, amax(a)); AS(v, norm_l2(a)); AS(v, primal(a)); AS(v, stop_gradient(a)); AS(v, eval(a));
    AS(v, zeros_like(a)); AS(v, norm_l0(a)); AS(v, norm_sq(a)); AS(v, norm_linf(a));
}

BOOST_AUTO_TEST_CASE(densities_of_arrays) {
    AS(v, normal_lpdf(a, 0.0, 1.0)); AS(v, lognormal_lpdf(a, 0.0, 1.0)); AS(v, cauchy_lpdf(a, 0.0, 1.0)); AS(v, laplace_lpdf(a, 0.0, 1.0));
    AS(v, logistic_lpdf(a, 0.0, 1.0)); AS(v, student_t_lpdf(a, 3.0, 0.0, 1.0)); AS(v, exponential_lpdf(a, 1.5)); AS(v, gamma_lpdf(a, 2.0, 1.5));
    AS(v, beta_lpdf(a, 2.0, 1.5)); AS(v, uniform_lpdf(a, 0.0, 1.5)); AS(v, poisson_lpmf(n, a)); AS(v, bernoulli_logit_lpmf(n, a));
    AS(v, binomial_logit_lpmf(n, 2, a)); AS(v, categorical_logit_lpmf(xt::xtensor<int, 1>{1}, a));
}

BOOST_AUTO_TEST_CASE(what_a_function_computes) {
    auto f = [](auto const& x) {
        auto const c = stop_gradient(x);
        auto const d = primal(x * 2.0);
        return sum(x) * sum(sigmoid(c) + softplus(d)) + logsumexp(c, 0) * sum(x * relu(d)) + median(c) * norm_l2(d);
    };
    vector const c = v, d = 2.0 * v;
    double const first = xt::sum(1.0 / (1.0 + xt::exp(-c)) + xt::log1p(xt::exp(d)))(), second = std::log(xt::sum(xt::exp(c))());
    auto const [g] = xgrad::gradient(f, v);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(g(i) - first - second * d(i)) < 1e-13);
}

BOOST_AUTO_TEST_CASE(of_numbers) {
#define NUM(...)                                                                                                             \
    do {                                                                                                                     \
        auto const f = [](auto const& a) { return __VA_ARGS__; };                                                            \
        BOOST_TEST(std::abs(static_cast<double>(f(0.4)) - static_cast<double>(xgrad::value(f, 0.4))) <= 1e-14, #__VA_ARGS__); \
    } while (false)
    NUM(xgrad::relu(a)); NUM(xgrad::silu(a)); NUM(xgrad::gelu(a)); NUM(xgrad::softplus(a)); NUM(xgrad::log1p_exp(a)); NUM(xgrad::log1m_exp(-a));
    NUM(xgrad::logaddexp(a, 1.0)); NUM(xgrad::xlogy(a, 2.0)); NUM(xgrad::copysign(a, -1.0)); NUM(xgrad::sinc(a)); NUM(xgrad::deg2rad(a));
    NUM(xgrad::normal_cdf(a)); NUM(xgrad::normal_log_cdf(a)); NUM(xgrad::erfinv(a)); NUM(xgrad::digamma(a)); NUM(xgrad::polygamma(1, a));
    NUM(xgrad::gamma_p(2.5, a)); NUM(xgrad::ibeta(2.0, 1.5, a)); NUM(xgrad::cyl_bessel_j(1.5, a)); NUM(xgrad::normal_lpdf(a, 0.0, 1.0));
    NUM(xgrad::beta_lpdf(a, 2.0, 1.5)); NUM(xgrad::max(a, 1.0)); NUM(xgrad::clamp(a, 0.0, 0.3)); NUM(xgrad::clip(a, 0.0, 0.3));
    NUM(xgrad::where(a > 0.3, a, 0.0)); NUM(xgrad::nan_to_num(a)); NUM(xgrad::fma(a, a, 1.0)); NUM(xgrad::pow(a, 2.5)); NUM(xgrad::hypot(a, 1.0));
    NUM(xgrad::stop_gradient(a)); NUM(xgrad::primal(a)); NUM(xgrad::eval(a)); NUM(xgrad::cast<double>(a)); NUM(xgrad::sum(a)); NUM(xgrad::mean(a));
    NUM(xgrad::interp(a, vector{0, 1}, vector{1, 3})); NUM(xgrad::zeros_like(a)); NUM(xgrad::fdim(a, 0.1));
}
