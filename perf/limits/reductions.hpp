// Defines limits::log_sum_exp and limits::product: log Σ exp(x) and Π x with their gradients by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <perf/limits/elementwise.hpp>

namespace limits {

// The greatest, then the exponentials, once, into the gradient, then what they are divided by.
inline double log_sum_exp(std::size_t n, double const* x, double* xbar) {
    constexpr std::size_t w = batch::size;
    batch greatest[4] = {batch(x[0]), batch(x[0]), batch(x[0]), batch(x[0])};
    double m = x[0];
    std::size_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w)
        for (std::size_t k = 0; k < 4; ++k) greatest[k] = xsimd::max(greatest[k], batch::load_unaligned(x + i + k * w));
    for (; i < n; ++i) m = std::max(m, x[i]);
    alignas(64) double lanes[w];
    xsimd::max(xsimd::max(greatest[0], greatest[1]), xsimd::max(greatest[2], greatest[3])).store_aligned(lanes);
    m = std::max(m, *std::max_element(lanes, lanes + w));
    batch sums[2] = {batch(0.0), batch(0.0)};
    double rest = 0.0;
    for (i = 0; i + 2 * w <= n; i += 2 * w) {
        batch const a = xsimd::exp(batch::load_unaligned(x + i) - m), b = xsimd::exp(batch::load_unaligned(x + i + w) - m);
        a.store_unaligned(xbar + i);
        b.store_unaligned(xbar + i + w);
        sums[0] += a;
        sums[1] += b;
    }
    for (; i < n; ++i) rest += xbar[i] = std::exp(x[i] - m);
    double const sum = rest + sum_first(sums[0] + sums[1], w), c = 1.0 / sum;
    for (i = 0; i < n; ++i) xbar[i] *= c;
    return m + std::log(sum);
}

// What stands before each element goes into the gradient, and what stands behind it is multiplied with that on the way back.
inline double product(std::size_t n, double const* x, double* xbar) {
    double before = 1.0, behind = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
        xbar[i] = before;
        before *= x[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        xbar[i] *= behind;
        behind *= x[i];
    }
    return before;
}

// n steps of x ← r x (1 - x) that keep their states, and d(last)/d(x0, r).
inline double logistic_map(std::size_t n, double x, double r, double* states, double& x0bar, double& rbar) {
    for (std::size_t i = 0; i < n; ++i) {
        states[i] = x;
        x = r * x * (1.0 - x);
    }
    double ybar = 1.0;
    rbar = 0.0;
    for (std::size_t i = n; i-- > 0;) {
        rbar += ybar * states[i] * (1.0 - states[i]);
        ybar *= r * (1.0 - 2.0 * states[i]);
    }
    x0bar = ybar;
    return x;
}

}  // namespace limits
