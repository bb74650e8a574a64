// Defines for_each_element: the one loop of every elementwise kernel, over rows of SIMD packs with broadcasting.
#pragma once

#include <algorithm>
#include <cstddef>

#include <xgrad/scope/kernel/cursor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
template <std::size_t W, bool Double, class Body>
XGRAD_DETAIL_INLINE void hot_row(std::size_t n, Body& body) {
    std::size_t i = 0;
    if constexpr (Double)
        for (; i + 2 * W <= n; i += 2 * W) body(hot_double{}, i);
    for (; i + W <= n; i += W) body(hot{}, i);
    if constexpr (W > 1)
        if (i < n) body(cold{n - i}, i);
}
template <std::size_t W, class Body>
XGRAD_DETAIL_INLINE void cold_row(std::size_t n, Body& body) {
    for (std::size_t i = 0; i < n; i += W) body(cold{std::min(W, n - i)}, i);
}
}

// Calls body(step, i) for every pack of the space; the cursors walk along. `Layout` is known here, so that a hot loop has no switch in it.
template <layout L, std::size_t W, bool Double = false, int R, class Cursor, class Body>
XGRAD_DETAIL_INLINE void for_each_element(extents<R> const& space, Cursor& cursor, Body body) {
    if constexpr (L == layout::flat) detail::hot_row<W, Double>(element_count(space), body);
    else {
        int const last = space.rank() - 1;
        if (element_count(space) == 0) return;
        std::size_t const n = last < 0 ? 1 : space[last];
        extents<R> index{};
        index.set_rank(space.rank());
        for (;;) {
            if constexpr (L == layout::rows) detail::hot_row<W, Double>(n, body);
            else detail::cold_row<W>(n, body);
            int d = last - 1;
            for (; d >= 0; --d) {
                cursor.advance(d);
                if (++index[d] < space[d]) break;
                cursor.rewind(d, space[d]);
                index[d] = 0;
            }
            if (d < 0) return;
        }
    }
}

}
XGRAD_DETAIL_QUIET_END
