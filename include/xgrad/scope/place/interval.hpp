// Defines interval: from which place to which in an array's memory a region lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include <xgrad/rule/extents.hpp>

namespace xgrad::detail {

// [low, high); no place at first.
struct interval {
    std::ptrdiff_t low = std::numeric_limits<std::ptrdiff_t>::max(), high = std::numeric_limits<std::ptrdiff_t>::min();

    void add(std::ptrdiff_t from, std::ptrdiff_t to) noexcept {
        low = std::min(low, from);
        high = std::max(high, to);
    }
    void add(interval const& o) noexcept { add(o.low, o.high); }
    bool meets(interval const& o) const noexcept { return low < o.high && o.low < high; }
};

template <int R>
interval places_of(std::ptrdiff_t offset, extents<R> const& shape, strides<R> const& stride) noexcept {
    interval r;
    if (element_count(shape) == 0) return r;
    r.add(offset, offset + 1);
    for (int d = 0; d < shape.rank(); ++d) {
        std::ptrdiff_t const span = (static_cast<std::ptrdiff_t>(shape[d]) - 1) * stride[d];
        (span < 0 ? r.low : r.high) += span;
    }
    return r;
}

}  // namespace xgrad::detail
