// Defines limits::density: the sum of a log-density over y with its gradients by y and by the parameters, by hand: one pass over xsimd batches, and what
// depends on the parameters alone before it.
#pragma once

#include <cmath>
#include <cstddef>

#include <boost/math/special_functions/digamma.hpp>

#include <perf/limits/elementwise.hpp>

namespace limits {

struct terms {
    batch value, ybar, first, second;
};

// Σ value, ybar, and what the parameters get: for each density the terms of one batch.
template <class F>
double density(std::size_t n, double const* y, double* ybar, double& first, double& second, F f) {
    constexpr std::size_t W = batch::size;
    batch v[4] = {batch(0.0), batch(0.0), batch(0.0), batch(0.0)}, a[4] = {v[0], v[0], v[0], v[0]}, b[4] = {v[0], v[0], v[0], v[0]};
    std::size_t i = 0;
    auto const step = [&](std::size_t at, int k) {
        terms const t = f(batch::load_unaligned(y + at));
        v[k] += t.value;
        a[k] += t.first;
        b[k] += t.second;
        t.ybar.store_unaligned(ybar + at);
    };
    for (; i + 4 * W <= n; i += 4 * W)
        for (int k = 0; k < 4; ++k) step(i + static_cast<std::size_t>(k) * W, k);
    for (; i + W <= n; i += W) step(i, 0);
    first = sum_first((a[0] + a[1]) + (a[2] + a[3]), W);
    second = sum_first((b[0] + b[1]) + (b[2] + b[3]), W);
    return sum_first((v[0] + v[1]) + (v[2] + v[3]), W);
}

// n is a multiple of the batch.
inline double normal(std::size_t n, double const* y, double mu, double sigma, double* ybar, double& mubar, double& sigmabar) {
    batch const m(mu), r(1 / sigma), half(-0.5);
    double const count = static_cast<double>(n);
    double squares = 0;
    double const s = density(n, y, ybar, mubar, squares, [&](batch x) {
        batch const z = (x - m) * r, d = z * r;
        return terms{half * z * z, -d, d, z * z};
    });
    sigmabar = (squares - count) / sigma;
    return s - count * (std::log(sigma) + 0.918938533204672741780);
}
// Huber's loss of y - mu, quadratic as far as c.
inline double huber(std::size_t n, double const* y, double mu, double c, double* ybar, double& mubar, double& cbar) {
    batch const m(mu), most(c), half(0.5), none(0.0);
    return density(n, y, ybar, mubar, cbar, [&](batch x) {
        batch const r = x - m, size = xsimd::abs(r);
        auto const inside = size <= most;
        batch const d = xsimd::select(inside, r, xsimd::copysign(most, r));
        return terms{xsimd::select(inside, half * r * r, most * (size - half * most)), d, -d, xsimd::select(inside, none, size - most)};
    });
}
inline double cauchy(std::size_t n, double const* y, double mu, double sigma, double* ybar, double& mubar, double& sigmabar) {
    batch const m(mu), r(1 / sigma), one(1.0);
    double const count = static_cast<double>(n);
    double scales = 0;
    double const s = density(n, y, ybar, mubar, scales, [&](batch x) {
        batch const z = (x - m) * r, q = one + z * z, w = (z + z) / q, d = w * r;
        return terms{-xsimd::log1p(z * z), -d, d, w * z};
    });
    sigmabar = (scales - count) / sigma;
    return s - count * (std::log(sigma) + 1.144729885849400174143);
}
inline double logistic(std::size_t n, double const* y, double mu, double sigma, double* ybar, double& mubar, double& sigmabar) {
    batch const m(mu), r(1 / sigma), two(2.0), one(1.0);
    double const count = static_cast<double>(n);
    double scales = 0;
    double const s = density(n, y, ybar, mubar, scales, [&](batch x) {
        batch const z = (x - m) * r, a = xsimd::abs(z), e = xsimd::exp(-a), w = xsimd::copysign((one - e) / (one + e), z), d = w * r;
        return terms{-a - two * xsimd::log1p(e), -d, d, w * z};
    });
    sigmabar = (scales - count) / sigma;
    return s - count * std::log(sigma);
}
inline double student_t(std::size_t n, double const* y, double nu, double mu, double sigma, double* ybar, double& nubar, double& mubar, double& sigmabar) {
    batch const m(mu), r(1 / sigma), k(nu), inverse(1 / nu), h(0.5 * (nu + 1)), c(nu + 1);
    double const count = static_cast<double>(n);
    // what sigma gets is the sum of w z; what nu gets is that, and the sum of the logarithms
    double scales = 0, logs = 0;
    batch both(0.0);
    double const s = density(n, y, ybar, mubar, scales, [&](batch x) {
        batch const z = (x - m) * r, w = c * z / (k + z * z), d = w * r, l = xsimd::log1p(z * z * inverse);
        both += l;
        return terms{-h * l, -d, d, w * z};
    });
    logs = sum_first(both, batch::size);
    sigmabar = (scales - count) / sigma;
    using boost::math::digamma;
    nubar = 0.5 * (count * (digamma(0.5 * (nu + 1)) - digamma(0.5 * nu) - 1 / nu) - logs + scales / nu);
    return s + count * (std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) - 0.5 * (std::log(nu) + 1.144729885849400174143) - std::log(sigma));
}
inline double gamma(std::size_t n, double const* y, double alpha, double beta, double* ybar, double& alphabar, double& betabar) {
    batch const a(alpha - 1), b(beta);
    double const count = static_cast<double>(n);
    double logs = 0, sum = 0;
    double const s = density(n, y, ybar, logs, sum, [&](batch x) {
        batch const l = xsimd::log(x);
        return terms{a * l - b * x, a / x - b, l, x};
    });
    alphabar = logs + count * (std::log(beta) - boost::math::digamma(alpha));
    betabar = count * alpha / beta - sum;
    return s + count * (alpha * std::log(beta) - std::lgamma(alpha));
}

}  // namespace limits
