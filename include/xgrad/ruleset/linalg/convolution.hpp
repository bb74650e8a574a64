// Defines the rules of convolve and conv2d: a line with a line, as one multiple of the longer for each number of the shorter; images with filters, as products of matrices.
//
// y(i) = Σ a(j) b(i + o - j):  ā(j) = Σ ȳ(i) b(i + o - j), b̄ likewise. Of images with the columns X(c kh kw, oh ow) that the filters W(f, c kh kw) see: Y = W X, W̄ = Ȳ Xᵀ,
// X̄ = Wᵀ Ȳ, of which each number is added where it was read   (Chellapilla, Puri and Simard 2006, "High performance convolutional neural networks for document processing").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/rule/multilinear.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// What of the sum of all products is kept: every place where the lines overlap, as many as the longer line has, or those where the shorter lies inside.
enum class convolution_part : unsigned char { full, same, valid };

namespace op {
struct convolve {
    convolution_part part = convolution_part::full;
};
// T is the element type of the active operands.
template <class T>
struct conv2d {
    // Steps less one: g++ 12 with AVX-512 makes of the constants {1, 1}, {0, 0} beside each other four ones.
    std::array<std::size_t, 2> skipped{0, 0}, padding{0, 0};
    std::size_t step(std::size_t d) const { return skipped[d] + 1; }
};
}

namespace linalg {

// z(i) += u(j) v(t) for i + offset = j + t, whichever of the three is the result.
enum class convolution_result : unsigned char { sum, line };
template <class S>
void convolve_lines(convolution_result r, vector_ref<S> z, vector_ref<S const> u, vector_ref<S const> v, std::ptrdiff_t offset) noexcept {
    auto const cut = [](auto const& x, std::ptrdiff_t first, std::ptrdiff_t n) { return std::remove_cvref_t<decltype(x)>{x.data + first * x.stride, n, x.stride}; };
    if (r == convolution_result::sum) {
        if (u.size < v.size) std::swap(u, v);
        for (std::ptrdiff_t t = 0; t < v.size; ++t) {
            auto const first = std::max<std::ptrdiff_t>(0, t - offset), last = std::min(z.size, u.size + t - offset);
            if (first < last) axpy<S>(v[t], cut(u, first + offset - t, last - first), cut(z, first, last - first));
        }
    } else if (z.size < v.size) {
        // z(j) is the inner product of u with a part of v
        for (std::ptrdiff_t j = 0; j < z.size; ++j) {
            auto const first = std::max<std::ptrdiff_t>(0, j - offset), last = std::min(u.size, v.size + j - offset);
            if (first < last) z[j] += inner(cut(u, first, last - first), cut(v, first + offset - j, last - first));
        }
    } else {
        for (std::ptrdiff_t t = 0; t < v.size; ++t) {
            auto const first = std::max<std::ptrdiff_t>(0, t - offset), last = std::min(u.size, z.size + t - offset);
            if (first < last) axpy<S>(v[t], cut(u, first, last - first), cut(z, first + offset - t, last - first));
        }
    }
}

}

template <> inline constexpr bool takes_complex<op::convolve> = true;
template <>
struct array_rule<op::convolve> {
    template <int A, int B>
    static constexpr int rank = A == dynamic_rank || B == dynamic_rank ? dynamic_rank : 1;
    template <int A, int B>
    static extents<rank<A, B>> shape(op::convolve const& o, extents<A> const& a, extents<B> const& b) {
        static_assert((A == 1 || A == dynamic_rank) && (B == 1 || B == dynamic_rank), "xgrad[E113]: convolve(a, b) requires vectors (1 dimension), but an operand has others: flatten it by ravel(x), or take conv2d for images");
        if (a.rank() != 1 || b.rank() != 1 || a[0] == 0 || b[0] == 0)
            throw std::invalid_argument("xgrad: convolve(a, b) requires vectors of at least one element, found " + to_string(a) + " and " + to_string(b) + ": flatten them by ravel(x)");
        std::size_t const longer = std::max(a[0], b[0]), shorter = std::min(a[0], b[0]);
        extents<rank<A, B>> y{};
        y.set_rank(1);
        y[0] = o.part == convolution_part::full ? longer + shorter - 1 : o.part == convolution_part::same ? longer : longer - shorter + 1;
        return y;
    }
    template <class Y, class A, class B>
    static void value(op::convolve const& o, Y const& y, A const& a, B const& b) noexcept {
        run(linalg::convolution_result::sum, y, false, a, b, offset(o, a, b));
    }
    template <int I, class X, class Y, class A, class B>
    static void pullback(op::convolve const& o, X const& xbar, bool add, Y const& ybar, Y const&, A const& a, B const& b) noexcept {
        if constexpr (I == 0) run(linalg::convolution_result::line, xbar, add, ybar, b, offset(o, a, b));
        else run(linalg::convolution_result::line, xbar, add, ybar, a, offset(o, a, b));
    }

private:
    template <class A, class B>
    static std::ptrdiff_t offset(op::convolve const& o, A const& a, B const& b) noexcept {
        auto const shorter = static_cast<std::ptrdiff_t>(std::min(a.shape[0], b.shape[0]));
        return o.part == convolution_part::full ? 0 : o.part == convolution_part::same ? (shorter - 1) / 2 : shorter - 1;
    }
    template <class Z, class U, class V>
    static void run(linalg::convolution_result r, Z const& z, bool add, U const& u, V const& v, std::ptrdiff_t offset) noexcept {
        multilinear(z, add, u, v, [&](auto const& to, bool more, auto const& p, auto const& q) {
            using S = typename std::remove_cvref_t<decltype(to)>::value_type;
            auto const line = [](auto const& x) { return vector_ref<S const>{x.data, static_cast<std::ptrdiff_t>(x.shape[0]), x.stride[0]}; };
            vector_ref<S> const out{to.data, static_cast<std::ptrdiff_t>(to.shape[0]), to.stride[0]};
            if (!more) linalg::plain::fill(out, S(0));
            linalg::convolve_lines<S>(r, out, line(p), line(q), offset);
        });
    }
};

template <class T> inline constexpr bool takes_complex<op::conv2d<T>> = true;
template <class T>
struct array_rule<op::conv2d<T>> {
    static constexpr bool has_scratch = true;
    using operation = op::conv2d<T>;
    template <int A, int B>
    static constexpr int rank = A == dynamic_rank || B == dynamic_rank ? dynamic_rank : 4;
    template <int A, int B>
    static extents<rank<A, B>> shape(operation const& o, extents<A> const& x, extents<B> const& w) {
        static_assert((A == 4 || A == dynamic_rank) && (B == 4 || B == dynamic_rank), "xgrad[E114]: conv2d(x, w) requires images (n, channels, height, width) and filters (filters, channels, height, width), but an operand has not 4 dimensions: reshape it, or take a view with xt::newaxis()");
        bool fits = x.rank() == 4 && w.rank() == 4 && x[1] == w[1];
        for (int d = 0; d < 2 && fits; ++d) fits = w[d + 2] != 0 && w[d + 2] <= x[d + 2] + 2 * o.padding[static_cast<std::size_t>(d)];
        if (!fits)
            throw std::invalid_argument("xgrad: conv2d(x, w) requires images (n, channels, height, width) and filters (filters, channels, height, width) of as many channels and no larger than the padded images, found " +
                                        to_string(x) + " and " + to_string(w) + ": transpose or pad one of them");
        if (o.step(0) == 0 || o.step(1) == 0) throw std::invalid_argument("xgrad: conv2d(x, w, {.stride = ...}) requires steps of at least 1, found 0 for " + to_string(x) + " and " + to_string(w));
        extents<rank<A, B>> y{};
        y.set_rank(4);
        y[0] = x[0];
        y[1] = w[0];
        for (int d = 0; d < 2; ++d) y[d + 2] = (x[d + 2] + 2 * o.padding[static_cast<std::size_t>(d)] - w[d + 2]) / o.step(static_cast<std::size_t>(d)) + 1;
        return y;
    }
    template <int A, int B>
    static std::size_t scratch(operation const& o, extents<A> const& x, extents<B> const& w) {
        linalg::scratch_room room;
        kept(room, shape(o, x, w), w);
        return room.size();
    }
    template <class Y, class X, class W>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, X const& x, W const& w) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, y.shape, w.shape);
        if (!lies_as_matrix(w)) {
            std::ptrdiff_t i = 0;
            detail::for_each_pair(w.shape, w.stride, w.stride, [&](std::ptrdiff_t at, std::ptrdiff_t) { k.filters.data[i++] = T(w.data[at]); });
        }
        with_filters(k, w, [&](auto const& m) {
            for (std::size_t n = 0; n < x.shape[0]; ++n) linalg::multiply(image(y, n), false, m, unfold(o, k, x, n));
        });
    }
    template <int I, class Z, class Y, class X, class W>
    static void pullback(operation const& o, std::ptrdiff_t* s, Z const& xbar, bool add, Y const& ybar, Y const&, X const& x, W const& w) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, ybar.shape, w.shape);
        if constexpr (I == 0) {
            if (!add) detail::clear(xbar);
            with_filters(k, w, [&](auto const& m) {
                for (std::size_t n = 0; n < x.shape[0]; ++n) {
                    linalg::multiply(k.columns, false, linalg::transposed(m), image(ybar, n));
                    fold(o, k, xbar, n);
                }
            });
        } else {
            bool const in_place = lies_as_matrix(xbar);
            auto const to = in_place ? linalg::dense_at<T>(xbar.data, k.filters.shape[0], k.filters.shape[1]) : k.gradient;
            bool more = in_place && add;
            if (!more && x.shape[0] == 0) linalg::fill(to, T(0));
            for (std::size_t n = 0; n < x.shape[0]; ++n, more = true) linalg::multiply(to, more, image(ybar, n), linalg::transposed(unfold(o, k, x, n)));
            if (in_place) return;
            std::ptrdiff_t i = 0;
            detail::for_each_pair(xbar.shape, xbar.stride, xbar.stride, [&](std::ptrdiff_t at, std::ptrdiff_t) { detail::give<T>(xbar.data + at, T(to.data[i++]), add); });
        }
    }

private:
    struct kept {
        std::array<std::size_t, 2> kernel, places;  // the extents of a filter, and of a result
        linalg::dense<T> columns, filters, gradient;
        template <int Y, int W>
        kept(linalg::scratch_room& room, extents<Y> const& y, extents<W> const& w)
            : kernel{w[2], w[3]}, places{y[2], y[3]}, columns(room.take_matrix<T>(w[1] * w[2] * w[3], y[2] * y[3])), filters(room.take_matrix<T>(w[0], w[1] * w[2] * w[3])),
              gradient(room.take_matrix<T>(w[0], w[1] * w[2] * w[3])) {}
    };
    template <class E, int R>
    static bool lies_as_matrix(array_ref<E, R> const& w) noexcept { return is_contiguous(w.shape, w.stride); }
    template <class E, int R, class F>
    static void with_filters(kept const& k, array_ref<E, R> const& w, F const& f) noexcept {
        if (lies_as_matrix(w)) f(linalg::dense_at<E>(w.data, k.filters.shape[0], k.filters.shape[1]));
        else f(linalg::constant(k.filters));
    }
    // The n-th result, a row for each filter.
    template <class E, int R>
    static linalg::dense<E> image(array_ref<E, R> const& y, std::size_t n) noexcept {
        return linalg::dense_at<E>(y.data + n * y.shape[1] * y.shape[2] * y.shape[3], y.shape[1], y.shape[2] * y.shape[3]);
    }
    // f(place in the columns, offset in x, first, last) for each line of the n-th image that a number of the filters sees: those from first to last are inside.
    template <class X, class F>
    static void each_line(operation const& o, kept const& k, X const& x, std::size_t n, F const& f) noexcept {
        auto const signed_size = [](std::size_t v) { return static_cast<std::ptrdiff_t>(v); };
        std::ptrdiff_t const height = signed_size(x.shape[2]), width = signed_size(x.shape[3]);
        std::ptrdiff_t const down = signed_size(o.step(0)), right = signed_size(o.step(1)), count = signed_size(k.places[1]);
        std::ptrdiff_t at = 0;
        for (std::size_t c = 0; c < x.shape[1]; ++c)
            for (std::size_t i = 0; i < k.kernel[0]; ++i)
                for (std::size_t j = 0; j < k.kernel[1]; ++j) {
                    std::ptrdiff_t const top = signed_size(i) - signed_size(o.padding[0]), left = signed_size(j) - signed_size(o.padding[1]);
                    auto const first = std::min(count, left >= 0 ? 0 : (-left + right - 1) / right);
                    auto const last = left >= width ? first : std::clamp((width - left + right - 1) / right, first, count);
                    for (std::ptrdiff_t r = 0; r < signed_size(k.places[0]); ++r, at += count) {
                        std::ptrdiff_t const row = top + r * down;
                        if (row < 0 || row >= height || first >= last) f(at, std::ptrdiff_t{0}, count, count);
                        else f(at, signed_size(n) * x.stride[0] + signed_size(c) * x.stride[1] + row * x.stride[2] + (left + first * right) * x.stride[3], first, last);
                    }
                }
    }
    // What the filters see of the n-th image: a column for each place, zeros outside.
    template <class X>
    static auto unfold(operation const& o, kept const& k, X const& x, std::size_t n) noexcept {
        using E = typename X::value_type;
        auto const to = [&] {
            if constexpr (std::is_same_v<E, T>) return k.columns;
            else return linalg::bottom_part(k.columns);
        }();
        auto const step = static_cast<std::ptrdiff_t>(o.step(1)) * x.stride[3];
        auto const count = static_cast<std::ptrdiff_t>(k.places[1]);
        each_line(o, k, x, n, [&](std::ptrdiff_t at, std::ptrdiff_t offset, std::ptrdiff_t first, std::ptrdiff_t last) {
            auto const p = to.data + at;
            auto const q = x.data + offset;
            for (std::ptrdiff_t i = 0; i < first; ++i) p[i] = E(0);
            if (step == 1)
                for (std::ptrdiff_t i = first; i < last; ++i) p[i] = E(q[i - first]);
            else
                for (std::ptrdiff_t i = first; i < last; ++i) p[i] = E(q[(i - first) * step]);
            for (std::ptrdiff_t i = last; i < count; ++i) p[i] = E(0);
        });
        return linalg::constant(to);
    }
    // The other way round: what is in the columns is added where it was read.
    template <class X>
    static void fold(operation const& o, kept const& k, X const& xbar, std::size_t n) noexcept {
        auto const step = static_cast<std::ptrdiff_t>(o.step(1)) * xbar.stride[3];
        each_line(o, k, xbar, n, [&](std::ptrdiff_t at, std::ptrdiff_t offset, std::ptrdiff_t first, std::ptrdiff_t last) {
            auto const p = k.columns.data + at;
            auto const q = xbar.data + offset;
            for (std::ptrdiff_t i = first; i < last; ++i) {
                auto const to = (i - first) * step;
                q[to] = T(T(q[to]) + T(p[i]));
            }
        });
    }
};

}
XGRAD_DETAIL_QUIET_END
