// Defines gather_lines and scatter_lines: between lines anywhere in memory and a copy of them that has their elements side by side.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include <xgrad/ruleset/line.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

#if defined(__GNUC__)
// W vectors of W numbers, which are turned into their columns. Each of log2(W) rounds takes vectors i and i + W/2 element by element in turn.
template <class T, std::size_t W>
struct square_of_lanes {
    typedef T row __attribute__((vector_size(W * sizeof(T))));
    row rows[W];

    XGRAD_DETAIL_INLINE void load_row(std::size_t j, T const* p) { std::memcpy(&rows[j], p, sizeof(row)); }
    XGRAD_DETAIL_INLINE void store_row(std::size_t j, T* p) const { std::memcpy(p, &rows[j], sizeof(row)); }
    XGRAD_DETAIL_INLINE void transpose() {
        [this]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            for (std::size_t r = 1; r < W; r *= 2) {
                row t[W];
                for (std::size_t j = 0; j < W / 2; ++j) {
                    t[2 * j] = __builtin_shufflevector(rows[j], rows[j + W / 2], (I / 2 + I % 2 * W)...);
                    t[2 * j + 1] = __builtin_shufflevector(rows[j], rows[j + W / 2], ((I + W) / 2 + I % 2 * W)...);
                }
                for (std::size_t j = 0; j < W; ++j) rows[j] = t[j];
            }
        }(std::make_index_sequence<W>{});
    }
};
#endif

// to[k W + j] = element k of line j, which begins at from + first[j].
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void gather_lines(memory_t<T const> from, line_layout const& l, std::ptrdiff_t const* first, memory_t<T> to) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        gather_lines<P, W>(from.primal(), l, first, to.primal());
        for (std::size_t i = 0; i < T::count; ++i) gather_lines<P, W>(from.direction(i), l, first, to.direction(i));
    } else {
        std::size_t k = 0;
#if defined(__GNUC__)
        if (l.is_dense())
            for (; k + W <= l.size; k += W) {
                square_of_lanes<T, W> s;
                for (std::size_t j = 0; j < W; ++j) s.load_row(j, from + first[j] + k);
                s.transpose();
                for (std::size_t j = 0; j < W; ++j) s.store_row(j, to + (k + j) * W);
            }
#endif
        for (; k < l.size; ++k) store<T, W>(to + k * W, load_lanes_at<T, W>(from + l.at(k), first));
    }
}
// The way back, of the first `count` lines: assigns, or adds.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE void scatter_lines(memory_t<T const> from, memory_t<T> to, line_layout const& l, std::ptrdiff_t const* first, std::size_t count, bool add) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        scatter_lines<P, W>(from.primal(), to.primal(), l, first, count, add);
        for (std::size_t i = 0; i < T::count; ++i) scatter_lines<P, W>(from.direction(i), to.direction(i), l, first, count, add);
    } else {
        std::size_t k = 0;
#if defined(__GNUC__)
        if (l.is_dense())
            for (; k + W <= l.size; k += W) {
                square_of_lanes<T, W> s;
                for (std::size_t j = 0; j < W; ++j) s.load_row(j, from + (k + j) * W);
                s.transpose();
                for (std::size_t j = 0; j < W; ++j) {
                    if (j == count) break;
                    T* const p = to + first[j] + k;
                    if (add) {
                        decltype(s.rows[j] + s.rows[j]) old;
                        std::memcpy(&old, p, sizeof(old));
                        s.rows[j] += old;
                    }
                    s.store_row(j, p);
                }
            }
#endif
        for (; k < l.size; ++k)
            for (std::size_t j = 0; j < count; ++j) {
                T& y = to[first[j] + l.at(k)];
                T const v = from[k * W + j];
                y = add ? T(y + v) : v;
            }
    }
}

}
XGRAD_DETAIL_QUIET_END
