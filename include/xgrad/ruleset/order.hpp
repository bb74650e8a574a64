// Defines the operations that order elements: sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <xgrad/ruleset/along_lines.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct sort {
    int axis = 0;
};
}

namespace detail {

// The places of a line's elements in ascending order; equal ones as they stand, and NaN last.
template <class T>
void order_of(line<T const> const& x, std::ptrdiff_t* order) {
    std::iota(order, order + x.size(), std::ptrdiff_t{0});
    std::sort(order, order + x.size(), [&](std::ptrdiff_t i, std::ptrdiff_t j) {
        T const a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(j)];
        if (a < b) return true;
        if (b < a) return false;
        bool const number_a = a == a, number_b = b == b;
        return number_a != number_b ? number_a : i < j;
    });
}

}

// y = x[order];   x̄[order] = ȳ. The order is kept.
template <>
struct array_rule<op::sort> {
    static constexpr bool has_scratch = true;
    template <int X>
    static constexpr int rank = X;
    template <int X>
    static extents<X> shape(op::sort, extents<X> const& x) { return x; }
    template <class T, int X>
    static std::size_t scratch(op::sort, extents<X> const& x) { return element_count(x) * detail::lanes_in<T>; }

    template <class T, int X>
    static void value(op::sort o, std::ptrdiff_t* order, array_ref<T, X> const& y, array_ref<T const, X> const& x) noexcept {
        if constexpr (is_pack<T>) value(o, order, detail::lanes_as_axis(y), detail::lanes_as_axis(x));
        else each_line(o, order, y, x, [](line<T> const& out, line<T const> const& in, std::ptrdiff_t* places) {
            detail::order_of(in, places);
            for (std::size_t k = 0; k < in.size(); ++k) out.give(k, in[static_cast<std::size_t>(places[k])]);
        });
    }
    template <int, class T, int X>
    static void pullback(op::sort o, std::ptrdiff_t* order, array_ref<T, X> const& xbar, bool add, array_ref<T const, X> const& ybar,
                         array_ref<T const, X> const& y, array_ref<T const, X> const& x) noexcept {
        using detail::lanes_as_axis;
        if constexpr (is_pack<T>) pullback<0>(o, order, lanes_as_axis(xbar), add, lanes_as_axis(ybar), lanes_as_axis(y), lanes_as_axis(x));
        else each_line(o, order, xbar, ybar, [add](line<T> const& out, line<T const> const& in, std::ptrdiff_t* places) {
            for (std::size_t k = 0; k < in.size(); ++k) out.give(static_cast<std::size_t>(places[k]), in[k], add);
        });
    }

private:
    template <class T, int X, class F>
    static void each_line(op::sort o, std::ptrdiff_t* order, array_ref<T, X> const& to, array_ref<T const, X> const& from, F f) {
        std::uint32_t const axis = 1u << o.axis;
        line_layout const in(axis, from.shape, from.stride), out(axis, to.shape, to.stride);
        if (in.size == 0) return;
        detail::for_each_line<X, 2>(axis, from.shape, {from.stride, to.stride}, [&](auto const& at) {
            f(line<T>(to.data + at[1], out), line<T const>(from.data + at[0], in), order);
            order += in.size;
        });
    }
};

}
XGRAD_DETAIL_QUIET_END
