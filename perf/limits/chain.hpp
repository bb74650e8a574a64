// Defines limits::chain: a sum over a chain of elementwise operations on a matrix and a row, and its gradient, by hand, in one pass over xsimd batches.
#pragma once

#include <algorithm>
#include <cstddef>

#include <perf/limits/elementwise.hpp>

namespace limits {

struct chain_terms {
    batch value, xbar, bbar;
};

// log(1 + exp(tanh(x b + 0.1) x - sqrt(x² + 1)))
inline batch chain_value(batch x, batch b) {
    batch const one(1.0);
    return xsimd::log(one + xsimd::exp(xsimd::tanh(x * b + batch(0.1)) * x - xsimd::sqrt(x * x + one)));
}
inline chain_terms chain_of(batch x, batch b) {
    batch const one(1.0);
    batch const t = xsimd::tanh(x * b + batch(0.1));
    batch const q = xsimd::sqrt(x * x + one);
    batch const e = xsimd::exp(t * x - q);
    batch const s = e / (one + e), u = (one - t * t) * x * s;
    return {xsimd::log(one + e), s * (t - x / q) + u * b, u * x};
}

// x and xbar have `rows` rows of `columns`, a multiple of the batch; b and bbar are one row.
inline double chain(std::size_t rows, std::size_t columns, double const* x, double const* b, double* xbar, double* bbar) {
    batch sum(0.0);
    std::fill_n(bbar, columns, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; j += batch::size) {
            auto const y = chain_of(batch::load_unaligned(x + i * columns + j), batch::load_unaligned(b + j));
            sum += y.value;
            y.xbar.store_unaligned(xbar + i * columns + j);
            (batch::load_unaligned(bbar + j) + y.bbar).store_unaligned(bbar + j);
        }
    return sum_first(sum, batch::size);
}
inline double chain(std::size_t rows, std::size_t columns, double const* x, double const* b) {
    batch sum(0.0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; j += batch::size) sum += chain_value(batch::load_unaligned(x + i * columns + j), batch::load_unaligned(b + j));
    return sum_first(sum, batch::size);
}

}  // namespace limits
