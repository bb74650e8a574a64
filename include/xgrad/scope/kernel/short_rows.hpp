// Defines spread_rows and fold_rows: rows of a tile that lie one behind the other in a copy, and what is one number for each of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include <xgrad/rule/few_lanes.hpp>
#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

struct add_values {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return a + b; }
};

namespace detail {

// f of n > 0 neighbours: of several chains, so that none waits for the other.
template <class T, class F>
XGRAD_DETAIL_INLINE T fold_run(T const* x, std::size_t n, F f) {
    constexpr std::size_t chains = 8;
    if (n < 2 * chains) {
        T y = x[0];
        for (std::size_t i = 1; i < n; ++i) y = f(y, x[i]);
        return y;
    }
    T y[chains];
    for (std::size_t j = 0; j < chains; ++j) y[j] = x[j];
    std::size_t i = chains;
    for (; i + chains <= n; i += chains)
        for (std::size_t j = 0; j < chains; ++j) y[j] = f(y[j], x[i + j]);
    for (std::size_t j = 0; i < n; ++i, ++j) y[j] = f(y[j], x[i]);
    for (std::size_t m = chains / 2; m != 0; m /= 2)
        for (std::size_t j = 0; j < m; ++j) y[j] = f(y[j], y[j + m]);
    return y[0];
}
// y becomes, for each row of n elements, f(y, all of them).
template <class T, class F>
XGRAD_DETAIL_INLINE void fold_rows(T* y, std::ptrdiff_t between, std::size_t rows, T const* x, std::size_t n, F f) {
    for (; rows != 0; --rows, x += n, y += between) *y = f(*y, fold_run(x, n, f));
}
// The same for sums.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void add_rows(T* y, std::ptrdiff_t between, std::size_t rows, T const* x, std::size_t n) {
    if constexpr (W == 1) fold_rows(y, between, rows, x, n, add_values());
    else {
        std::size_t const whole = n / W * W, rest = n - whole;
        for (; rows != 0; --rows, x += n, y += between) {
            auto a = rest != 0 ? load_few<T, W>(x + whole, rest, T(0)) : pack_t<T, W>(T(0)), b = pack_t<T, W>(T(0));
            std::size_t i = 0;
            for (; i + 2 * W <= n; i += 2 * W) {
                a = a + load<T, W>(memory_t<T const>(x + i));
                b = b + load<T, W>(memory_t<T const>(x + i + W));
            }
            if (i < whole) b = b + load<T, W>(memory_t<T const>(x + i));
            *y = *y + T(xsimd::hadd(a + b));
        }
    }
}
// Each row of n elements of y becomes an element of x. Behind a row whole packs are written up to `end`: what is there is written afterwards, or not read.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void spread_rows(T* y, std::size_t n, std::size_t rows, T const* x, std::ptrdiff_t between, T const* end) {
    if constexpr (W != 1) {
        std::size_t const written = (n + W - 1) / W * W;
        for (; rows != 0 && y + written <= end; --rows, x += between, y += n) {
            auto const all = broadcast_lanes<T, W>(*x);
            for (std::size_t i = 0; i < written; i += W) store<T, W>(memory_t<T>(y + i), all);
        }
    }
    for (; rows != 0; --rows, x += between, y += n) std::fill(y, y + n, *x);
}

}

}
XGRAD_DETAIL_QUIET_END
