// Defines the operation that puts arrays beside each other, along an axis that they have or along a new one.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/ruleset/gather.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {

// The operands one behind the other along an axis, or along an axis that is new.
template <bool New>
struct join {
    int axis = 0;
};

}

template <bool New> inline constexpr bool takes_complex<op::join<New>> = true;

template <bool New>
struct array_rule<op::join<New>> {
    using state = op::join<New>;
    template <int X, int... Z>
    static constexpr int rank = X == dynamic_rank || ((Z == dynamic_rank) || ...) ? dynamic_rank : X + New;

    template <int X, int... Z>
    static extents<rank<X, Z...>> shape(state const& o, extents<X> const& x, extents<Z> const&... z) {
        bool fits = true;
        std::size_t sum = New ? 1 + sizeof...(Z) : x[o.axis];
        auto take = [&](auto const& s) {
            fits = fits && s.rank() == x.rank();
            for (int d = 0; fits && d < x.rank(); ++d) fits = s[d] == x[d] || (!New && d == o.axis);
            if (!New && fits) sum += s[o.axis];
        };
        (take(z), ...);
        if (!fits) {
            std::string found = to_string(x);
            ((found += " and " + to_string(z)), ...);
            throw std::invalid_argument(std::string("xgrad[E202]: ") + (New ? "stack" : "concatenate") +
                                        "(xtuple(a, b, ...), axis) requires arrays of one shape" +
                                        (New ? "" : " but for the axis") + ", found " + found + ": reshape one of them");
        }
        extents<rank<X, Z...>> y{};
        y.set_rank(x.rank() + New);
        int k = 0;
        for (int d = 0; d < y.rank(); ++d)
            if (d == o.axis) {
                y[d] = sum;
                k += !New;
            } else y[d] = x[k++];
        return y;
    }

    template <class T, int Y, class... U, int... X>
    static void value(state const& o, array_ref<T, Y> const& y, array_ref<U const, X> const&... x) noexcept {
        std::size_t begin = 0;
        auto put = [&]<class V, int Z>(array_ref<V const, Z> const& a) {
            auto const p = y.data + static_cast<std::ptrdiff_t>(begin) * y.stride[o.axis];
            if (!is_there(p, a.data)) detail::move_elements<T, V>(a.shape, p, steps<Z>(o, a.shape.rank(), y.stride), a.data, a.stride, false);
            begin += New ? 1 : a.shape[o.axis];
        };
        (put(x), ...);
    }
    static constexpr bool puts_blocks = true;
    template <int N, int Y, int Z, class... S>
    static std::ptrdiff_t place(state const& o, strides<Y> const& y, strides<Z>& lie, S const&... x) noexcept {
        std::size_t begin = 0;
        int k = 0;
        auto const take = [&](auto const& s) {
            if (k < N) begin += New ? 1 : s[o.axis];
            if (k++ == N) lie = steps<Z>(o, s.rank(), y);
        };
        (take(x), ...);
        return static_cast<std::ptrdiff_t>(begin) * y[o.axis];
    }
    template <int N, class T, int B, int Y, class... X>
    static void pullback(state const& o, array_ref<T, B> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const&,
                         X const&... x) noexcept {
        std::size_t begin = 0;
        int k = 0;
        ((begin += k++ < N ? (New ? 1 : x.shape[o.axis]) : 0), ...);
        auto const p = ybar.data + static_cast<std::ptrdiff_t>(begin) * ybar.stride[o.axis];
        detail::move_elements<T, T>(xbar.shape, xbar.data, xbar.stride, p, steps<B>(o, xbar.shape.rank(), ybar.stride), add);
    }

private:
    // Whether an operand has been computed in its place.
    template <class P, class Q>
    static bool is_there(P const& place, Q const& data) noexcept {
        return static_cast<void const*>(detail::address_of(place)) == static_cast<void const*>(detail::address_of(data));
    }
    // The strides of the whole, one for each axis of a part.
    template <int Z, int Y>
    static strides<Z> steps(state const& o, int rank_of_part, strides<Y> const& y) {
        strides<Z> t{};
        t.set_rank(rank_of_part);
        for (int d = 0; d < rank_of_part; ++d) t[d] = y[New && d >= o.axis ? d + 1 : d];
        return t;
    }
};

}
XGRAD_DETAIL_QUIET_END
