// Defines along_lines<Op> and flat_line<Op>: operations along axes of an array, each from its rule about one line of elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/line.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Op along the axes whose bits are set, with a result of rank R. An axis that reduces leaves one element behind, or nothing.
template <class Op, class R>
struct along_lines {
    [[no_unique_address]] Op op;
    std::uint32_t axes;
    bool keep_dims;
};

namespace detail {

// Calls f with the offsets of every line's first element in N arrays of these strides.
template <int R, std::size_t N, class F>
void for_each_line(std::uint32_t axes, extents<R> const& shape, std::array<strides<R>, N> const& stride, F f) {
    for (int d = 0; d < shape.rank(); ++d)
        if (!(axes >> d & 1u) && shape[d] == 0) return;
    std::array<std::ptrdiff_t, N> at{};
    extents<R> i{};
    i.set_rank(shape.rank());
    for (;;) {
        f(at);
        int d = shape.rank() - 1;
        for (; d >= 0; --d) {
            if (axes >> d & 1u) continue;
            for (std::size_t j = 0; j < N; ++j) at[j] += stride[j][d];
            if (++i[d] < shape[d]) break;
            for (std::size_t j = 0; j < N; ++j) at[j] -= stride[j][d] * static_cast<std::ptrdiff_t>(shape[d]);
            i[d] = 0;
        }
        if (d < 0) return;
    }
}

}

template <class Op, class R>
inline constexpr bool takes_complex<along_lines<Op, R>> = takes_complex<Op>;
template <class Op, class R>
struct array_rule<along_lines<Op, R>> {
    using rule = line_rule<Op>;
    using state = along_lines<Op, R>;

    template <int>
    static constexpr int rank = R::value;

    template <int X>
    static extents<R::value> shape(state const& s, extents<X> const& x) {
        std::size_t n = 1;
        int left = 0;
        for (int d = 0; d < x.rank(); ++d) {
            if (is_along(s, d)) n *= x[d];
            left += stays(s, d);
        }
        if constexpr (requires { rule::check(s.op, n); }) rule::check(s.op, n);
        extents<R::value> y{};
        y.set_rank(left);
        int k = 0;
        for (int d = 0; d < x.rank(); ++d) {
            if (!stays(s, d)) continue;
            y[k] = x[d];
            if (is_along(s, d)) {
                if constexpr (rule::reduces) y[k] = 1;
                else if constexpr (requires { rule::length(s.op, n); }) y[k] = rule::length(s.op, n);
            }
            ++k;
        }
        return y;
    }

    // A rule that keeps something has it in one piece, line by line.
    static constexpr bool has_scratch = requires { rule::template most_kept<double>; };
    template <class T>
    static constexpr bool always_keeps = rule::template most_kept<T> == std::size_t(-1);
    template <class T, int X>
    static std::size_t scratch(state const&, extents<X> const& x) {
        std::size_t const n = element_count(x);
        return n <= rule::template most_kept<T> ? (n * sizeof(T) + sizeof(std::ptrdiff_t) - 1) / sizeof(std::ptrdiff_t) : 0;
    }
    template <class T, int Y, int X>
    static void value(state const& s, std::ptrdiff_t* scratch, array_ref<T, Y> const& y, array_ref<T const, X> const& x) noexcept {
        std::size_t const n = element_count(x.shape);
        if constexpr (!always_keeps<T>)
            if (n > rule::template most_kept<T>) return value(s, y, x);
        give_value(s, y, x, detail::memory_in<T>(scratch, n));
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& s, std::ptrdiff_t* scratch, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar,
                         array_ref<T const, Y> const& y, array_ref<T const, X> const& x) noexcept {
        std::size_t const n = element_count(x.shape);
        if constexpr (!always_keeps<T>)
            if (n > rule::template most_kept<T>) return pullback<0>(s, xbar, add, ybar, y, x);
        give_cotangent(s, xbar, add, ybar, y, x, detail::memory_in<T>(scratch, n));
    }

    template <class T, int Y, int X>
    static void value(state const& s, array_ref<T, Y> const& y, array_ref<T const, X> const& x) noexcept {
        give_value(s, y, x);
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& s, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const& y,
                         array_ref<T const, X> const& x) noexcept {
        give_cotangent(s, xbar, add, ybar, y, x);
    }

private:
    // `kept` is where the kept numbers begin, of a rule that keeps some, and nothing of others.
    template <class T, int Y, int X, class... K>
    static void give_value(state const& s, array_ref<T, Y> const& y, array_ref<T const, X> const& x, K... kept) noexcept {
        line_layout const in(s.axes, x.shape, x.stride), out(rule::reduces ? 0u : s.axes, y.shape, y.stride);
        [[maybe_unused]] line_layout const dense = in.dense();
        if (out.size == 0) return;
        detail::for_each_line<X, 2>(s.axes, x.shape, {x.stride, steps(s, x.shape, y)}, [&](auto const& at) {
            if constexpr (rule::reduces) y.data[at[1]] = rule::value(s.op, line<T const>(x.data + at[0], in), line<T>(kept, dense)...);
            else rule::value(s.op, line<T>(y.data + at[1], out), line<T const>(x.data + at[0], in));
            ((kept = kept + static_cast<std::ptrdiff_t>(in.size)), ...);
        });
    }
    template <class T, int X, int Y, class... K>
    static void give_cotangent(state const& s, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const& y,
                               array_ref<T const, X> const& x, K... kept) noexcept {
        line_layout const in(s.axes, x.shape, x.stride), back(s.axes, xbar.shape, xbar.stride);
        [[maybe_unused]] line_layout const dense = in.dense();
        if (in.size == 0) return;
        auto const each = [&](auto f) {
            detail::for_each_line<X, 4>(s.axes, x.shape, {x.stride, xbar.stride, steps(s, x.shape, y), steps(s, x.shape, ybar)}, [&](auto const& at) {
                f(at, line<T>(xbar.data + at[1], back), line<T const>(x.data + at[0], in));
            });
        };
        if constexpr (rule::reduces)
            each([&](auto const& at, auto const& to, auto const& of) {
                rule::pullback(s.op, to, add, T(ybar.data[at[3]]), T(y.data[at[2]]), of, line<T const>(kept, dense)...);
                ((kept = kept + static_cast<std::ptrdiff_t>(in.size)), ...);
            });
        else {
            line_layout const out(s.axes, y.shape, y.stride), seed(s.axes, ybar.shape, ybar.stride);
            each([&](auto const& at, auto const& to, auto const& of) {
                rule::pullback(s.op, to, add, line<T const>(ybar.data + at[3], seed), line<T const>(y.data + at[2], out), of);
            });
        }
    }
    static bool is_along(state const& s, int d) { return (s.axes >> d & 1u) != 0; }
    static bool stays(state const& s, int d) { return !rule::reduces || s.keep_dims || !is_along(s, d); }

    // The strides of the result, one for each axis of the operand.
    template <int X, class Y>
    static strides<X> steps(state const& s, extents<X> const& x, Y const& y) {
        strides<X> t{};
        t.set_rank(x.rank());
        int k = 0;
        for (int d = 0; d < x.rank(); ++d)
            if (stays(s, d)) t[d] = y.stride[k++];
        return t;
    }
};

// Op, which holds nothing, along all elements in row-major order, with a line as its result.
template <class Op>
    requires(std::is_empty_v<Op>)
struct flat_line {};

template <class Op>
struct array_rule<flat_line<Op>> {
    using rule = line_rule<Op>;

    template <int>
    static constexpr int rank = 1;

    template <int X>
    static extents<1> shape(extents<X> const& x) { return {{element_count(x)}}; }

    template <class T, int X>
    static void value(array_ref<T, 1> const& y, array_ref<T const, X> const& x) noexcept {
        line_layout const in(~0u, x.shape, x.stride), out(1u, y.shape, y.stride);
        if (out.size != 0) rule::value(Op{}, line<T>(y.data, out), line<T const>(x.data, in));
    }
    template <int, class T, int X>
    static void pullback(array_ref<T, X> const& xbar, bool add, array_ref<T const, 1> const& ybar, array_ref<T const, 1> const& y,
                         array_ref<T const, X> const& x) noexcept {
        line_layout const in(~0u, x.shape, x.stride), back(~0u, xbar.shape, xbar.stride), out(1u, y.shape, y.stride), seed(1u, ybar.shape, ybar.stride);
        if (in.size != 0)
            rule::pullback(Op{}, line<T>(xbar.data, back), add, line<T const>(ybar.data, seed), line<T const>(y.data, out), line<T const>(x.data, in));
    }
};

}
XGRAD_DETAIL_QUIET_END
