// Defines limits::cheap: Σ x²/2 + 1/(1 + x²) and its gradient by hand, in one pass over xsimd batches.
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

}  // namespace limits
