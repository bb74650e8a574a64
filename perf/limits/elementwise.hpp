// Defines limits::elementwise: Σ log(1 + exp(a x + b)) tanh(x) and its three gradients by hand, in one pass over xsimd batches.
#pragma once

#include <algorithm>
#include <cstddef>

#include <xgrad/host.hpp>

namespace limits {

using batch = xsimd::batch<double>;

struct elementwise_terms {
    batch value, abar, bbar, xbar;
};

inline elementwise_terms elementwise_of(batch a, batch b, batch x) {
    batch const one(1.0);
    batch const e = xsimd::exp(a * x + b);
    batch const l = xsimd::log(one + e);
    batch const t = xsimd::tanh(x);
    batch const s = e / (one + e) * t;
    return {l * t, s * x, s, s * a + l * (one - t * t)};
}

// The last batch: k elements in a padded copy.
inline batch load_first(double const* p, std::size_t k) {
    alignas(64) double lanes[batch::size] = {};
    std::copy_n(p, k, lanes);
    return batch::load_aligned(lanes);
}
inline void store_first(double* p, batch v, std::size_t k) {
    alignas(64) double lanes[batch::size];
    v.store_aligned(lanes);
    std::copy_n(lanes, k, p);
}
inline double sum_first(batch v, std::size_t k) {
    alignas(64) double lanes[batch::size];
    v.store_aligned(lanes);
    double s = 0.0;
    for (std::size_t i = 0; i < k; ++i) s += lanes[i];
    return s;
}

inline double elementwise(std::size_t n, double const* a, double const* b, double const* x, double* abar, double* bbar, double* xbar) {
    batch sum(0.0);
    double rest = 0.0;
    std::size_t i = 0;
    for (; i + batch::size <= n; i += batch::size) {
        auto const y = elementwise_of(batch::load_unaligned(a + i), batch::load_unaligned(b + i), batch::load_unaligned(x + i));
        sum += y.value;
        y.abar.store_unaligned(abar + i);
        y.bbar.store_unaligned(bbar + i);
        y.xbar.store_unaligned(xbar + i);
    }
    if (std::size_t const k = n - i; k > 0) {
        auto const y = elementwise_of(load_first(a + i, k), load_first(b + i, k), load_first(x + i, k));
        rest = sum_first(y.value, k);
        store_first(abar + i, y.abar, k);
        store_first(bbar + i, y.bbar, k);
        store_first(xbar + i, y.xbar, k);
    }
    return sum_first(sum, batch::size) + rest;
}

}  // namespace limits
