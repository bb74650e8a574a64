// Defines the operations that move elements by lists of indices: gather, take, scatter_add.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/move.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Where the k-th element in row-major order lies.
template <int R>
class element_offsets {
public:
    element_offsets(extents<R> const& shape, strides<R> const& stride) : shape_(shape), stride_(stride), is_flat_(is_contiguous(shape, stride)) {}
    std::ptrdiff_t operator()(std::size_t k) const {
        if (is_flat_) return static_cast<std::ptrdiff_t>(k);
        std::ptrdiff_t offset = 0;
        for (int d = shape_.rank(); d-- > 0;) {
            offset += static_cast<std::ptrdiff_t>(k % shape_[d]) * stride_[d];
            k /= shape_[d];
        }
        return offset;
    }

private:
    extents<R> const& shape_;
    strides<R> const& stride_;
    bool is_flat_;
};
template <class T, int R>
element_offsets<R> offsets_in(array_ref<T, R> const& a) { return {a.shape, a.stride}; }

// Calls f with the offsets of every element of this shape in two arrays of these strides.
template <int R, class F>
void for_each_pair(extents<R> const& shape, strides<R> const& a, strides<R> const& b, F const& f, int d = 0, std::ptrdiff_t i = 0, std::ptrdiff_t j = 0) {
    if (d == shape.rank()) return f(i, j);
    std::ptrdiff_t const p = a[d], q = b[d];
    std::size_t const n = shape[d];
    if (d + 1 == shape.rank())
        for (std::size_t k = 0; k < n; ++k, i += p, j += q) f(i, j);
    else
        for (std::size_t k = 0; k < n; ++k, i += p, j += q) for_each_pair(shape, a, b, f, d + 1, i, j);
}

}

namespace op {

// y[k] = x[index[k]], where index counts the elements of x in row-major order. It is as long as y, and has y's shape.
struct gather {};

// y[..., i, ...] = x[..., index[i], ...] along one axis; index may have several dimensions, which y has, too.
struct take {
    int axis = 0;
};
// y = x, and then take(y, index) += v.
struct scatter_add {
    int axis = 0;
};

}

template <> inline constexpr bool takes_complex<op::gather> = true;
template <> inline constexpr bool takes_complex<op::take> = true;
template <> inline constexpr bool takes_complex<op::scatter_add> = true;

template <>
struct array_rule<op::gather> {
    template <int X, int I>
    static constexpr int rank = I;
    template <int X, int I>
    static extents<I> shape(extents<X> const&, extents<I> const& index) { return index; }

    template <class T, int Y, int X, int I>
    static void value(array_ref<T, Y> const& y, array_ref<T const, X> const& x, array_ref<std::ptrdiff_t const, I> const& index) noexcept {
        auto const in = detail::offsets_in(x);
        auto const out = detail::offsets_in(y);
        auto const at = detail::offsets_in(index);
        for (std::size_t k = 0, n = element_count(y.shape); k < n; ++k) y.data[out(k)] = T(x.data[in(static_cast<std::size_t>(index.data[at(k)]))]);
    }
    template <int, class T, int X, int Y, int I>
    static void pullback(array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const&, array_ref<T const, X> const&,
                         array_ref<std::ptrdiff_t const, I> const& index) noexcept {
        if (!add) detail::clear(xbar);
        auto const in = detail::offsets_in(xbar);
        auto const out = detail::offsets_in(ybar);
        auto const at = detail::offsets_in(index);
        for (std::size_t k = 0, n = element_count(ybar.shape); k < n; ++k)
            detail::give<T>(xbar.data + in(static_cast<std::size_t>(index.data[at(k)])), T(ybar.data[out(k)]), true);
    }
};

namespace detail {

// The steps through x and the indices along one axis of take(x, index), and the axis at which an index is looked up.
template <int Y>
struct taken_walk {
    strides<Y> in{}, look{};
    int behind = 0;
    std::ptrdiff_t step = 0;
};
// Calls f(i, j) for every index, with the offsets of what it takes in x and in the result, and move, the axes behind it: from x to the result, or back.
template <int X, int Y, int I, class F>
void for_each_taken(int axis, strides<X> const& x, extents<Y> const& shape, strides<Y> const& y, array_ref<std::ptrdiff_t const, I> const& index, bool back,
                    F const& f) {
    if (element_count(shape) == 0) return;
    taken_walk<Y> w;
    w.in.set_rank(shape.rank());
    w.look.set_rank(shape.rank());
    int k = 0;
    for (int d = 0; d < axis; ++d) w.in[k++] = x[d];
    for (int d = 0; d < index.shape.rank(); ++d) w.look[k++] = index.stride[d];
    w.behind = k;
    w.step = x[axis];
    for (int d = axis + 1; d < x.rank(); ++d) w.in[k++] = x[d];
    block_move<Y> const block(w.behind, shape, back ? w.in : y, back ? y : w.in);
    std::ptrdiff_t i = 0, j = 0, at = 0;
    int const last = w.behind - 1;
    if (last < 0) return f(block, i + index.data[at] * w.step, j);
    std::ptrdiff_t const p = w.in[last], q = y[last], l = w.look[last];
    auto const n = static_cast<std::ptrdiff_t>(shape[last]);
    extents<Y> place{};
    place.set_rank(shape.rank());
    for (;;) {
        for (std::ptrdiff_t e = 0; e < n; ++e) f(block, i + e * p + index.data[at + e * l] * w.step, j + e * q);
        int d = last - 1;
        for (; d >= 0; --d) {
            i += w.in[d];
            j += y[d];
            at += w.look[d];
            if (++place[d] < shape[d]) break;
            auto const m = static_cast<std::ptrdiff_t>(shape[d]);
            place[d] = 0;
            i -= m * w.in[d];
            j -= m * y[d];
            at -= m * w.look[d];
        }
        if (d < 0) return;
    }
}
template <int X, int I>
inline constexpr int rank_of_taken = X == dynamic_rank || I == dynamic_rank ? dynamic_rank : X - 1 + I;
template <int X, int I>
extents<rank_of_taken<X, I>> shape_of_taken(int axis, extents<X> const& x, extents<I> const& index) {
    extents<rank_of_taken<X, I>> y{};
    y.set_rank(x.rank() - 1 + index.rank());
    int k = 0;
    for (int d = 0; d < axis; ++d) y[k++] = x[d];
    for (int d = 0; d < index.rank(); ++d) y[k++] = index[d];
    for (int d = axis + 1; d < x.rank(); ++d) y[k++] = x[d];
    return y;
}

}

template <>
struct array_rule<op::take> {
    template <int X, int I>
    static constexpr int rank = detail::rank_of_taken<X, I>;
    template <int X, int I>
    static auto shape(op::take o, extents<X> const& x, extents<I> const& index) { return detail::shape_of_taken(o.axis, x, index); }

    template <class T, int Y, int X, int I>
    static void value(op::take o, array_ref<T, Y> const& y, array_ref<T const, X> const& x, array_ref<std::ptrdiff_t const, I> const& index) noexcept {
        detail::for_each_taken(o.axis, x.stride, y.shape, y.stride, index, false, [&](auto const& block, std::ptrdiff_t i, std::ptrdiff_t j) {
            block.template move<T, T>(y.data + j, x.data + i, false);
        });
    }
    template <int, class T, int X, int Y, int I>
    static void pullback(op::take o, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const&,
                         array_ref<T const, X> const&, array_ref<std::ptrdiff_t const, I> const& index) noexcept {
        if (!add) detail::clear(xbar);
        detail::for_each_taken(o.axis, xbar.stride, ybar.shape, ybar.stride, index, true, [&](auto const& block, std::ptrdiff_t i, std::ptrdiff_t j) {
            block.template move<T, T>(xbar.data + i, ybar.data + j, true);
        });
    }
};

template <>
struct array_rule<op::scatter_add> {
    template <int X, int, int>
    static constexpr int rank = X;
    template <int X, int I, int V>
    static extents<X> shape(op::scatter_add o, extents<X> const& x, extents<I> const& index, extents<V> const& v) {
        auto const expected = detail::shape_of_taken(o.axis, x, index);
        bool same = expected.rank() == v.rank();
        for (int d = 0; same && d < v.rank(); ++d) same = expected[d] == v[d];
        if (!same)
            throw std::invalid_argument("xgrad[E202]: scatter_add(x, indices, values) requires values of the shape of take(x, indices), found " + to_string(v) +
                                        " for " + to_string(expected) + ": reshape the values");
        return x;
    }

    template <class T, int Y, class U, int X, int I, class W, int V>
    static void value(op::scatter_add o, array_ref<T, Y> const& y, array_ref<U const, X> const& x, array_ref<std::ptrdiff_t const, I> const& index,
                      array_ref<W const, V> const& v) noexcept {
        detail::move_elements<T, U>(x.shape, y.data, y.stride, x.data, x.stride, false);
        detail::for_each_taken(o.axis, y.stride, v.shape, v.stride, index, true, [&](auto const& block, std::ptrdiff_t i, std::ptrdiff_t j) {
            block.template move<T, W>(y.data + i, v.data + j, true);
        });
    }
    template <int N, class T, int B, int Y, class U, int X, int I, class W, int V>
    static void pullback(op::scatter_add o, array_ref<T, B> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const&,
                         array_ref<U const, X> const&, array_ref<std::ptrdiff_t const, I> const& index, array_ref<W const, V> const&) noexcept {
        if constexpr (N == 0) detail::move_elements<T, T>(xbar.shape, xbar.data, xbar.stride, ybar.data, ybar.stride, add);
        else
            detail::for_each_taken(o.axis, ybar.stride, xbar.shape, xbar.stride, index, false, [&](auto const& block, std::ptrdiff_t i, std::ptrdiff_t j) {
                block.template move<T, T>(xbar.data + j, ybar.data + i, add);
            });
    }
};

}
XGRAD_DETAIL_QUIET_END
