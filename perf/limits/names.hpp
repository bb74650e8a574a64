// Defines limits::cheap, Σ x²/2 + 1/(1 + x²), and limits::six_names, of two arrays: values and gradients by hand, each in one pass over xsimd batches.
#pragma once

#include <cstddef>

#include <perf/limits/elementwise.hpp>

namespace limits {

inline double cheap(std::size_t n, double const* x, double* xbar) {
    // the value, and what x is multiplied with
    auto const terms = [](batch v, batch& factor) {
        batch const a = v * v, d = batch(1.0) / (batch(1.0) + a);
        factor = batch(1.0) - batch(2.0) * d * d;
        return xsimd::fma(batch(0.5), a, d);
    };
    constexpr std::size_t w = batch::size;
    batch sums[2] = {batch(0.0), batch(0.0)};
    batch factor;
    std::size_t i = 0;
    for (; i + w <= n; i += w) {
        batch const v = batch::load_unaligned(x + i);
        sums[i / w % 2] += terms(v, factor);
        (v * factor).store_unaligned(xbar + i);
    }
    double rest = 0.0;
    if (std::size_t const k = n - i; k > 0) {
        batch const v = load_first(x + i, k);
        rest = sum_first(terms(v, factor), k);
        store_first(xbar + i, v * factor, k);
    }
    return sum_first(sums[0] + sums[1], w) + rest;
}

// Σ w t, where r = x² + y², s = 1/(1 + r), t = s x - y, u = t² + s, w = u x; n is a multiple of a batch.
inline double six_names(std::size_t n, double const* x, double const* y, double* xbar, double* ybar) {
    constexpr std::size_t k = batch::size;
    batch sums[2] = {batch(0.0), batch(0.0)};
    for (std::size_t i = 0; i + k <= n; i += k) {
        batch const a = batch::load_unaligned(x + i), b = batch::load_unaligned(y + i);
        batch const s = batch(1.0) / (batch(1.0) + a * a + b * b), t = s * a - b, u = t * t + s, w = u * a;
        sums[i / k % 2] += w * t;
        batch const by_u = t * a, by_t = w + batch(2.0) * t * by_u, by_r = -s * s * (by_u + by_t * a);
        (t * u + by_t * s + batch(2.0) * a * by_r).store_unaligned(xbar + i);
        (batch(2.0) * b * by_r - by_t).store_unaligned(ybar + i);
    }
    return sum_first(sums[0] + sums[1], k);
}

}  // namespace limits
