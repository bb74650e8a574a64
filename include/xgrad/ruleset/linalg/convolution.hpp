// Defines the rules of conv1d, conv2d and conv3d: lines, images and volumes with filters, as products of matrices.
//
// With the columns X(c kh kw, oh ow) that the filters W(f, c kh kw) see:  Y = W X, W̄ = Ȳ Xᵀ, X̄ = Wᵀ Ȳ, of which each number is added where it was read
// (Chellapilla, Puri and Simard 2006, "High performance convolutional neural networks for document processing"); likewise for each group of channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <xgrad/rule/multilinear.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/gather.hpp>
#include <xgrad/ruleset/linalg/dense.hpp>
#include <xgrad/ruleset/linalg/filter_places.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T, int D> inline constexpr bool takes_complex<op::correlate<T, D>> = true;
template <class T, int D>
struct array_rule<op::correlate<T, D>> {
    static constexpr bool has_scratch = true;
    using operation = op::correlate<T, D>;
    template <int A, int B>
    static constexpr int rank = A == dynamic_rank || B == dynamic_rank ? dynamic_rank : D + 2;
    template <int A, int B>
    static extents<rank<A, B>> shape(operation const& o, extents<A> const& x, extents<B> const& w) {
        constexpr bool has_rank = (A == D + 2 || A == dynamic_rank) && (B == D + 2 || B == dynamic_rank);
        static_assert(
            D != 1 || has_rank,
            "xgrad[E114]: conv1d(x, w) requires lines (n, channels, length) and filters (filters, channels, length), but an operand does not have 3 "
            "dimensions: reshape it, or take a view with xt::newaxis()");
        static_assert(
            D != 2 || has_rank,
            "xgrad[E114]: conv2d(x, w) requires images (n, channels, height, width) and filters (filters, channels, height, width), but an operand does not "
            "have 4 dimensions: reshape it, or take a view with xt::newaxis()");
        static_assert(
            D != 3 || has_rank,
            "xgrad[E114]: conv3d(x, w) requires volumes (n, channels, depth, height, width) and filters (filters, channels, depth, height, width), but an "
            "operand does not have 5 dimensions: reshape it, or take a view with xt::newaxis()");
        // what was less than nothing before it became unsigned, and what no product of extents can hold
        constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
        auto const signed_text = [](std::size_t n) { return std::to_string(static_cast<std::ptrdiff_t>(n)); };
        for (std::size_t d = 0; d < D; ++d) {
            if (o.skipped[d] > most)
                refuse(", {.stride = ...}) requires steps of at least 1, found " + signed_text(o.skipped[d] + 1) + " for ", x, w,
                       ": a step of 1 leaves out no place");
            if (o.padding[d] > most)
                refuse(", {.padding = ...}) requires padding of at least 0, found " + signed_text(o.padding[d]) + " for ", x, w, ": take a part of x instead");
            if (o.gaps[d] > most)
                refuse(", {.dilation = ...}) requires distances of at least 1, found " + signed_text(o.gaps[d] + 1) + " for ", x, w,
                       ": at a distance of 1 the numbers of a filter are beside each other");
            if (o.same && o.padding[d] != 0) refuse(", {.same = true}) requires that no padding is given, found some for ", x, w, ": leave one of both out");
        }
        bool const has_extents = x.rank() == D + 2 && w.rank() == D + 2;
        if (has_extents && o.groups != 1 && (o.groups == 0 || x[1] % o.groups != 0 || w[0] % o.groups != 0 || w[1] != x[1] / o.groups))
            refuse(", {.groups = " + std::to_string(o.groups) +
                       "}) requires channels and filters in multiples of the groups, and filters of the channels of one group, found ",
                   x, w, ": give w the shape (filters, channels / groups, ...)");
        if (!has_extents || x[1] != w[1] * o.groups || !linalg::filter_places(o, x, w).fit())
            refuse(
                D == 1
                    ? ") requires lines (n, channels, length) and filters (filters, channels, length) of as many channels and, dilated, no larger than the "
                      "padded lines, found "
                : D == 2
                    ? ") requires images (n, channels, height, width) and filters (filters, channels, height, width) of as many channels and, dilated, no "
                      "larger than the padded images, found "
                    : ") requires volumes (n, channels, depth, height, width) and filters (filters, channels, depth, height, width) of as many channels and, "
                      "dilated, no larger than the padded volumes, found ",
                x, w, ": transpose or pad one of them");
        extents<rank<A, B>> y{};
        y.set_rank(D + 2);
        y[0] = x[0];
        y[1] = w[0];
        linalg::filter_places const places(o, x, w);
        for (int d = 0; d < D; ++d) y[d + 2] = static_cast<std::size_t>(places.d[static_cast<std::size_t>(d + 3 - D)].count);
        return y;
    }
    template <int A, int B>
    static std::size_t scratch(operation const& o, extents<A> const& x, extents<B> const& w) {
        linalg::scratch_room room;
        kept(room, o, x, w);
        return room.size();
    }
    template <class Y, class X, class W>
    static void value(operation const& o, std::ptrdiff_t* s, Y const& y, X const& x, W const& w) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, o, x.shape, w.shape);
        if (!lies_as_matrix(w)) {
            std::ptrdiff_t i = 0;
            detail::for_each_pair(w.shape, w.stride, w.stride, [&](std::ptrdiff_t at, std::ptrdiff_t) { k.filters.data[i++] = T(w.data[at]); });
        }
        with_filters(k, w, [&](auto const& m) {
            each_group(o, x, [&](std::size_t n, std::size_t g) { linalg::multiply(image(k, o, y, n, g), false, group(o, m, g), seen(k, x, n, g)); });
        });
    }
    template <int I, class Z, class Y, class X, class W>
    static void pullback(operation const& o, std::ptrdiff_t* s, Z const& xbar, bool add, Y const& ybar, Y const&, X const& x, W const& w) noexcept {
        linalg::scratch_room room(s);
        kept const k(room, o, x.shape, w.shape);
        if constexpr (I == 0) {
            bool const in_place = lies_as_columns(k, xbar);
            if (!add && !in_place) detail::clear(xbar);
            with_filters(k, w, [&](auto const& m) {
                each_group(o, x, [&](std::size_t n, std::size_t g) {
                    linalg::multiply(in_place ? channels_of(k, xbar, n, g) : k.columns, in_place && add, linalg::transposed(group(o, m, g)),
                                     image(k, o, ybar, n, g));
                    if (!in_place) fold(k, xbar, n, g);
                });
            });
        } else {
            bool const in_place = lies_as_matrix(xbar);
            auto const to = in_place ? linalg::dense_at<T>(xbar.data, k.filters.shape[0], k.filters.shape[1]) : k.gradient;
            bool const more = in_place && add;
            if (!more && x.shape[0] == 0) linalg::fill(to, T(0));
            each_group(o, x, [&](std::size_t n, std::size_t g) {
                linalg::multiply(group(o, to, g), more || n != 0, image(k, o, ybar, n, g), linalg::transposed(seen(k, x, n, g)));
            });
            if (in_place) return;
            std::ptrdiff_t i = 0;
            detail::for_each_pair(xbar.shape, xbar.stride, xbar.stride,
                                  [&](std::ptrdiff_t at, std::ptrdiff_t) { detail::give<T>(xbar.data + at, T(to.data[i++]), add); });
        }
    }

private:
    struct kept {
        linalg::filter_places places;
        std::size_t channels;  // of a group
        linalg::dense<T> columns, filters, gradient;
        template <int A, int B>
        kept(linalg::scratch_room& room, operation const& o, extents<A> const& x, extents<B> const& w)
            : places(o, x, w),
              channels(w[1]),
              columns(room.take_matrix<T>(w[1] * places.numbers, places.count)),
              filters(room.take_matrix<T>(w[0], w[1] * places.numbers)),
              gradient(room.take_matrix<T>(w[0], w[1] * places.numbers)) {}
    };
    template <int A, int B>
    [[noreturn]] static void refuse(std::string const& what, extents<A> const& x, extents<B> const& w, char const* remedy) {
        throw std::invalid_argument(std::string(D == 1   ? "xgrad[E203]: conv1d(x, w"
                                                : D == 2 ? "xgrad[E203]: conv2d(x, w"
                                                         : "xgrad[E203]: conv3d(x, w") +
                                    what + to_string(x) + " and " + to_string(w) + remedy);
    }
    template <class E, int R>
    static bool lies_as_matrix(array_ref<E, R> const& w) noexcept { return is_contiguous(w.shape, w.stride); }
    template <class E, int R, class F>
    static void with_filters(kept const& k, array_ref<E, R> const& w, F const& f) noexcept {
        if (lies_as_matrix(w)) f(linalg::dense_at<E>(w.data, k.filters.shape[0], k.filters.shape[1]));
        else f(linalg::constant(k.filters));
    }
    template <class X, class F>
    static void each_group(operation const& o, X const& x, F const& f) noexcept {
        for (std::size_t n = 0; n < x.shape[0]; ++n)
            for (std::size_t g = 0; g < o.groups; ++g) f(n, g);
    }
    // The rows of the filters of a group.
    template <class E>
    static linalg::dense<E> group(operation const& o, linalg::dense<E> const& m, std::size_t g) noexcept {
        std::size_t const rows = m.shape[0] / o.groups;
        return linalg::submatrix(m, g * rows, 0, rows, m.shape[1]);
    }
    // Of the n-th result a row for each filter of a group.
    template <class E, int R>
    static linalg::dense<E> image(kept const& k, operation const& o, array_ref<E, R> const& y, std::size_t n, std::size_t g) noexcept {
        return group(o, linalg::dense_at<E>(y.data + n * y.shape[1] * k.places.count, y.shape[1], k.places.count), g);
    }
    // Where a filter is one number at every place, a channel of x is a row of the columns.
    template <class X>
    static bool lies_as_columns(kept const& k, X const& x) noexcept {
        std::ptrdiff_t step = 1;
        for (int d = D; d-- > 0;) {
            auto const& a = k.places.d[static_cast<std::size_t>(d + 3 - D)];
            if (a.kernel != 1 || a.step != 1 || a.padding != 0 || (a.extent != 1 && x.stride[d + 2] != step)) return false;
            step *= a.extent;
        }
        return true;
    }
    template <class E, int R>
    static linalg::dense<E> channels_of(kept const& k, array_ref<E, R> const& x, std::size_t n, std::size_t g) noexcept {
        return {x.data + (static_cast<std::ptrdiff_t>(n) * x.stride[0] + static_cast<std::ptrdiff_t>(g * k.channels) * x.stride[1]),
                {{k.channels, k.places.count}},
                {{x.stride[1], 1}}};
    }
    // What the filters of a group see of the n-th image.
    template <class X>
    static auto seen(kept const& k, X const& x, std::size_t n, std::size_t g) noexcept {
        return lies_as_columns(k, x) ? channels_of(k, x, n, g) : unfold(k, x, n, g);
    }
    // f(place in the columns, offset in x, first, last) for each line of the n-th image that a number of a group's filters sees: those from first to last are
    // inside.
    template <class X, class F>
    static void each_line(kept const& k, X const& x, std::size_t n, std::size_t g, F const& f) noexcept {
        auto const [deep, down, right] = k.places.d;
        std::ptrdiff_t stride[3] = {0, 0, 0};
        for (int d = 0; d < D; ++d) stride[d + 3 - D] = x.stride[d + 2];
        std::ptrdiff_t const corner = static_cast<std::ptrdiff_t>(n) * x.stride[0] + static_cast<std::ptrdiff_t>(g * k.channels) * x.stride[1];
        std::ptrdiff_t at = 0;
        for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(k.channels); ++c)
            for (std::ptrdiff_t h = 0; h < deep.kernel; ++h)
                for (std::ptrdiff_t i = 0; i < down.kernel; ++i)
                    for (std::ptrdiff_t j = 0; j < right.kernel; ++j) {
                        std::ptrdiff_t const front = h * deep.spacing - deep.padding, top = i * down.spacing - down.padding,
                                             left = j * right.spacing - right.padding;
                        auto const first = std::min(right.count, left >= 0 ? 0 : (-left + right.step - 1) / right.step);
                        auto const last = left >= right.extent ? first : std::clamp((right.extent - left + right.step - 1) / right.step, first, right.count);
                        for (std::ptrdiff_t q = 0; q < deep.count; ++q) {
                            std::ptrdiff_t const depth = front + q * deep.step;
                            std::ptrdiff_t const begin = corner + c * x.stride[1] + depth * stride[0] + (left + first * right.step) * stride[2];
                            bool const depth_is_inside = depth >= 0 && depth < deep.extent && first < last;
                            for (std::ptrdiff_t r = 0, row = top; r < down.count; ++r, row += down.step, at += right.count) {
                                bool const is_inside = depth_is_inside && row >= 0 && row < down.extent;
                                f(at, is_inside ? begin + row * stride[1] : 0, is_inside ? first : right.count, is_inside ? last : right.count);
                            }
                        }
                    }
    }
    // A copy of it: a column for each place, zeros outside.
    template <class X>
    static auto unfold(kept const& k, X const& x, std::size_t n, std::size_t g) noexcept {
        using E = typename X::value_type;
        auto const to = [&] {
            if constexpr (std::is_same_v<E, T>) return k.columns;
            else return linalg::bottom_part(k.columns);
        }();
        auto const step = k.places.d[2].step * x.stride[D + 1];
        auto const count = k.places.d[2].count;
        each_line(k, x, n, g, [&](std::ptrdiff_t at, std::ptrdiff_t offset, std::ptrdiff_t first, std::ptrdiff_t last) {
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
    static void fold(kept const& k, X const& xbar, std::size_t n, std::size_t g) noexcept {
        auto const step = k.places.d[2].step * xbar.stride[D + 1];
        each_line(k, xbar, n, g, [&](std::ptrdiff_t at, std::ptrdiff_t offset, std::ptrdiff_t first, std::ptrdiff_t last) {
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
