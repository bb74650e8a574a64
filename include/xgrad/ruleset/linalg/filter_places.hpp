// Defines correlate, the operation of conv1d, conv2d and conv3d, and filter_places: where filters stand in what they move along.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include <xgrad/rule/array_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
// T is the element type of the active operands, D the number of extents that the filters move along.
template <class T, int D>
struct correlate {
    using numbers = std::array<std::size_t, static_cast<std::size_t>(D)>;
    // Strides and dilations less one: g++ 12 with AVX-512 turns the constants {1, 1} and {0, 0} beside each other into four ones.
    numbers skipped{}, padding{}, gaps{};
    std::size_t groups = 1;
    bool same = false;
};
}

namespace linalg {

// Where filters stand in what they move along. Of the three extents those that an operand has come last.
struct filter_places {
    struct along {
        std::ptrdiff_t extent = 1, kernel = 1, step = 1, spacing = 1, padding = 0, count = 1;
        bool fits = true;
        along() = default;
        along(std::size_t x, std::size_t w, std::size_t skipped, std::size_t pad, std::size_t gap, bool same) {
            extent = static_cast<std::ptrdiff_t>(x), kernel = static_cast<std::ptrdiff_t>(w), step = static_cast<std::ptrdiff_t>(skipped + 1),
            spacing = static_cast<std::ptrdiff_t>(gap + 1);
            padding = static_cast<std::ptrdiff_t>(pad);
            std::ptrdiff_t const padded = extent + 2 * padding;
            fits = kernel != 0 && (same || (padded > 0 && kernel - 1 <= (padded - 1) / spacing));
            if (!fits) return;
            std::ptrdiff_t const reach = (kernel - 1) * spacing + 1;
            count = same ? (extent + step - 1) / step : (padded - reach) / step + 1;
            if (same) padding = std::max<std::ptrdiff_t>(0, (count - 1) * step + reach - extent) / 2;
        }
    };
    std::array<along, 3> d;
    std::size_t numbers = 1, count = 1;  // of a filter in one channel, and of places
    template <class T, int D, int A, int B>
    filter_places(op::correlate<T, D> const& o, extents<A> const& x, extents<B> const& w) {
        for (int i = 0; i < D; ++i) {
            auto const k = static_cast<std::size_t>(i);
            auto& a = d[k + 3 - static_cast<std::size_t>(D)];
            a = along(x[i + 2], w[i + 2], o.skipped[k], o.padding[k], o.gaps[k], o.same);
            numbers *= w[i + 2];
            count *= static_cast<std::size_t>(a.count);
        }
    }
    bool fit() const { return d[0].fits && d[1].fits && d[2].fits; }
};

}

}
XGRAD_DETAIL_QUIET_END
