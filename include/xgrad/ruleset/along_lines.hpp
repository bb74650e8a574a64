// Defines along_lines<Op> and flat_line<Op>: operations along axes of an array, each from its rule about one line of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/clean_registers.hpp>
#include <xgrad/rule/partials.hpp>
#include <xgrad/ruleset/lanes_as_axis.hpp>
#include <xgrad/ruleset/line.hpp>
#include <xgrad/ruleset/lines_at_once.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Op along the axes whose bits are set, with a result of rank R. An axis that reduces leaves one element behind, or nothing.
template <class Op, class R>
struct along_lines {
    [[no_unique_address]] Op op;
    std::uint32_t axes;
    bool keep_dims;
};

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
        std::size_t const n = element_count(x) * detail::lanes_in<T>;
        return n <= rule::template most_kept<lane_number_t<T>> ? (n * sizeof(lane_number_t<T>) + sizeof(std::ptrdiff_t) - 1) / sizeof(std::ptrdiff_t) : 0;
    }
    template <class T, int Y, int X>
    static void value(state const& s, std::ptrdiff_t* scratch, array_ref<T, Y> const& y, array_ref<T const, X> const& x) noexcept {
        if constexpr (is_pack<T>) value(but_of_lanes(s, x), scratch, detail::lanes_as_axis(y), detail::lanes_as_axis(x));
        else {
            std::size_t const n = element_count(x.shape);
            if constexpr (!always_keeps<T>)
                if (n > rule::template most_kept<T>) return value(s, y, x);
            give_value(s, y, x, kept_in<T>(s, scratch, x.shape));
        }
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& s, std::ptrdiff_t* scratch, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar,
                         array_ref<T const, Y> const& y, array_ref<T const, X> const& x) noexcept {
        using detail::lanes_as_axis;
        if constexpr (is_pack<T>)
            pullback<0>(but_of_lanes(s, x), scratch, lanes_as_axis(xbar), add, lanes_as_axis(ybar), lanes_as_axis(y), lanes_as_axis(x));
        else {
            std::size_t const n = element_count(x.shape);
            if constexpr (!always_keeps<T>)
                if (n > rule::template most_kept<T>) return pullback<0>(s, xbar, add, ybar, y, x);
            give_cotangent(s, xbar, add, ybar, y, x, kept_in<T const>(s, scratch, x.shape));
        }
    }

    template <class T, int Y, int X>
    static void value(state const& s, array_ref<T, Y> const& y, array_ref<T const, X> const& x) noexcept {
        if constexpr (is_pack<T>) give_value(but_of_lanes(s, x), detail::lanes_as_axis(y), detail::lanes_as_axis(x));
        else give_value(s, y, x);
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& s, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const& y,
                         array_ref<T const, X> const& x) noexcept {
        using detail::lanes_as_axis;
        if constexpr (is_pack<T>) give_cotangent(but_of_lanes(s, x), lanes_as_axis(xbar), add, lanes_as_axis(ybar), lanes_as_axis(y), lanes_as_axis(x));
        else give_cotangent(s, xbar, add, ybar, y, x);
    }

private:
    // Along the axes of x alone, where all are meant.
    template <class X>
    static state but_of_lanes(state const& s, X const& x) noexcept {
        return {s.op, s.axes & ((1u << x.shape.rank()) - 1u), s.keep_dims};
    }
    // `kept` is what a rule keeps, and nothing where it keeps nothing.
    template <class T, int Y, int X, class... K>
    static void give_value(state const& s, array_ref<T, Y> const& y, array_ref<T const, X> const& x, K&&... kept) noexcept {
        constexpr std::size_t W = detail::most_at_once<rule, T>;
        clean_registers const behind;
        line_layout const in(s.axes, x.shape, x.stride), out(axes_of_result(s), y.shape, y.stride);
        if (out.size == 0) return;
        detail::lines_of<T const, W, 0> from(x.data, in);
        detail::lines_of<T, W, 1> to(y.data, out);
        detail::for_each_lines<W, X, 2>(in, s.axes, x.shape, {x.stride, steps(s, x.shape, y)}, [&](auto const& at) XGRAD_DETAIL_KERNEL {
            auto const result = to.write(at);
            if constexpr (rule::reduces) result.give(0, rule::value(s.op, from.read(at), kept.of(at)...));
            else rule::value(s.op, result, from.read(at));
            to.give(at, false);
        });
    }
    template <class T, int X, int Y, class... K>
    static void give_cotangent(state const& s, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const& y,
                               array_ref<T const, X> const& x, K&&... kept) noexcept {
        constexpr std::size_t W = detail::most_at_once<rule, T>;
        clean_registers const behind;
        line_layout const in(s.axes, x.shape, x.stride), back(s.axes, xbar.shape, xbar.stride), out(axes_of_result(s), y.shape, y.stride),
            seed(axes_of_result(s), ybar.shape, ybar.stride);
        if (in.size == 0) return;
        detail::lines_of<T const, W, 0> from(x.data, in);
        detail::lines_of<T, W, 1> to(xbar.data, back);
        detail::lines_of<T const, W, 2> of(y.data, out);
        detail::lines_of<T const, W, 3> by(ybar.data, seed);
        detail::for_each_lines<W, X, 4>(
            in, s.axes, x.shape, {x.stride, xbar.stride, steps(s, x.shape, y), steps(s, x.shape, ybar)}, [&](auto const& at) XGRAD_DETAIL_KERNEL {
                auto const result = to.write(at);
                bool const add_here = add && !to.are_copied(at);
                auto const seeds = by.read(at), values = of.read(at);
                if constexpr (rule::reduces) rule::pullback(s.op, result, add_here, seeds[0], values[0], from.read(at), kept.of(at)...);
                else rule::pullback(s.op, result, add_here, seeds, values, from.read(at));
                to.give(at, add);
            });
    }
    template <class T, int X>
    static auto kept_in(state const& s, std::ptrdiff_t* scratch, extents<X> const& x) {
        using number = std::remove_const_t<T>;
        return detail::kept_of_lines<T, detail::most_at_once<rule, number>>(detail::memory_in<number>(scratch, element_count(x)),
                                                                            line_layout(s.axes, x, strides<X>{}).size);
    }
    static std::uint32_t axes_of_result(state const& s) { return rule::reduces ? 0u : s.axes; }
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
        if constexpr (is_pack<T>) detail::by_lanes([](auto const&... a) { value(a...); }, y, x);
        else {
            line_layout const in(~0u, x.shape, x.stride), out(1u, y.shape, y.stride);
            if (out.size != 0) rule::value(Op{}, line<T>(y.data, out), line<T const>(x.data, in));
        }
    }
    template <int, class T, int X>
    static void pullback(array_ref<T, X> const& xbar, bool add, array_ref<T const, 1> const& ybar, array_ref<T const, 1> const& y,
                         array_ref<T const, X> const& x) noexcept {
        if constexpr (is_pack<T>) detail::by_lanes([add](auto const& to, auto const&... a) { pullback<0>(to, add, a...); }, xbar, ybar, y, x);
        else {
            line_layout const in(~0u, x.shape, x.stride), back(~0u, xbar.shape, xbar.stride), out(1u, y.shape, y.stride), seed(1u, ybar.shape, ybar.stride);
            if (in.size != 0)
                rule::pullback(Op{}, line<T>(xbar.data, back), add, line<T const>(ybar.data, seed), line<T const>(y.data, out), line<T const>(x.data, in));
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
