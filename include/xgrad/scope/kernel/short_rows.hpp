// Defines spread_rows, copy_rows, add_rows and fold_rows: rows of a tile that lie one behind the other in a copy, and what is one number for each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

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
template <class T, std::size_t W, class F>
XGRAD_DETAIL_INLINE T fold_lanes(pack_t<T, W> const& x, F f) {
    if constexpr (W == 1) return x;
    else if constexpr (std::is_same_v<F, add_values>) return xsimd::hadd(x);
    else {
        alignas(64) T t[W];
        x.store_aligned(t);
        return fold_run(t, W, f);
    }
}
// y becomes, for each row of n elements, f(y, all of them). f(`none`, x) is x.
template <class T, std::size_t W, class F>
XGRAD_DETAIL_INLINE void fold_rows(T* y, std::ptrdiff_t between, std::size_t rows, T const* x, std::size_t n, T none, F f) {
    std::size_t const whole = n / W * W, rest = n - whole;
    if (n <= W / 2) {
        for (; rows != 0; --rows, x += n, y += between) *y = f(*y, fold_run(x, n, f));
        return;
    }
    for (; rows != 0; --rows, x += n, y += between) {
        pack_t<T, W> a(none), b(none);
        if constexpr (W != 1)
            if (rest != 0) a = load_few<T, W>(x + whole, rest, none);
        std::size_t i = 0;
        for (; i + 2 * W <= n; i += 2 * W) {
            a = f(a, load<T, W>(memory_t<T const>(x + i)));
            b = f(b, load<T, W>(memory_t<T const>(x + i + W)));
        }
        if (i < whole) b = f(b, load<T, W>(memory_t<T const>(x + i)));
        *y = f(*y, fold_lanes<T, W>(f(a, b), f));
    }
}
// Each row of n elements of y becomes one of x. As spread_rows writes. Rows that fill no packs go by elements: what is read next would lie in two of the packs
// that were just written, which processors are slow at.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void copy_rows(T* y, std::size_t n, std::size_t rows, T const* x, std::ptrdiff_t between, T const* end) {
    if constexpr (W != 1) {
        if (n < W)
            for (; rows != 0 && y + W <= end; --rows, x += between, y += n) store<T, W>(memory_t<T>(y), load_few<T, W>(x, n, T(0)));
        else if (n % W == 0)
            for (; rows != 0; --rows, x += between, y += n)
                for (std::size_t i = 0; i < n; i += W) store<T, W>(memory_t<T>(y + i), load<T, W>(memory_t<T const>(x + i)));
    }
    for (; rows != 0; --rows, x += between, y += n)
        for (std::size_t i = 0; i < n; ++i) y[i] = x[i];
}
// The way back: each row of n elements of x is added to one of y.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void add_rows(T* y, std::ptrdiff_t between, std::size_t rows, T const* x, std::size_t n) {
    if (n % W == 0)
        for (; rows != 0; --rows, x += n, y += between)
            for (std::size_t i = 0; i < n; i += W)
                store<T, W>(memory_t<T>(y + i), load<T, W>(memory_t<T const>(y + i)) + load<T, W>(memory_t<T const>(x + i)));
    for (; rows != 0; --rows, x += n, y += between)
        for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + x[i];
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
