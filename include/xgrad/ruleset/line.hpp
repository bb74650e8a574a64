// Defines line<T> and line_rule<Op>: operations along axes of an array, each from a rule about one line of elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/pairwise.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// How the lines along some axes lie in memory: one step, where that leads through all elements, or the extents and the steps, the fastest last.
struct line_layout {
    std::size_t size = 1;
    std::ptrdiff_t step = 1;
    int count = 0;
    std::array<std::size_t, max_dynamic_rank> extent{};
    std::array<std::ptrdiff_t, max_dynamic_rank> steps{};

    template <int R>
    line_layout(std::uint32_t axes, extents<R> const& shape, strides<R> const& stride) {
        for (int d = 0; d < shape.rank(); ++d) {
            if (!(axes >> d & 1u)) continue;
            size *= shape[d];
            if (shape[d] == 1) continue;
            auto const last = static_cast<std::size_t>(count > 0 ? count - 1 : 0);
            if (count > 0 && steps[last] == stride[d] * static_cast<std::ptrdiff_t>(shape[d])) {
                extent[last] *= shape[d];
                steps[last] = stride[d];
            } else {
                extent[static_cast<std::size_t>(count)] = shape[d];
                steps[static_cast<std::size_t>(count++)] = stride[d];
            }
        }
        if (count > 1) return;
        if (count == 1) step = steps[0];
        count = 0;
    }
    // As many elements, one next to the other.
    line_layout dense() const {
        line_layout l(*this);
        l.step = 1;
        l.count = 0;
        return l;
    }
};

// The elements along some axes, in row-major order. T may be const.
template <class T>
class line {
public:
    using value_type = std::remove_const_t<T>;
    line(memory_t<T> data, line_layout const& l) : data_(data), layout_(l) {}
    line(line<value_type> const& o)
        requires(std::is_const_v<T>)
        : data_(o.data_), layout_(o.layout_) {}

    std::size_t size() const { return layout_.size; }
    value_type operator[](std::size_t k) const { return value_type(data_[at(k)]); }
    // Assigns v, or adds it.
    void give(std::size_t k, value_type const& v, bool add = false) const {
        auto const p = data_ + at(k);
        if (add) *p = value_type(value_type(*p) + v);
        else *p = v;
    }
    // Whether the elements are neighbours in memory: then they are at data().
    bool is_dense() const { return layout_.step == 1 && layout_.count == 0; }
    memory_t<T> data() const { return data_; }
    // f(e), where e[k] is element k: the memory itself where elements are neighbours.
    template <class F>
    void with_elements(F f) const {
        if (is_dense()) f(data_);
        else f(*this);
    }

private:
    friend class line<T const>;
    memory_t<T> data_;
    line_layout const& layout_;

    std::ptrdiff_t at(std::size_t k) const {
        if (layout_.count == 0) return static_cast<std::ptrdiff_t>(k) * layout_.step;
        std::ptrdiff_t offset = 0;
        for (auto i = static_cast<std::size_t>(layout_.count); i-- > 0;) {
            offset += static_cast<std::ptrdiff_t>(k % layout_.extent[i]) * layout_.steps[i];
            k /= layout_.extent[i];
        }
        return offset;
    }
};

namespace detail {
// map(x[begin]...) with ... with map(x[end - 1]...): packs where the elements are neighbours.
template <class T, class Map, class Combine, class... X>
XGRAD_DETAIL_KERNEL T fold_some(std::size_t begin, std::size_t end, Map map, Combine combine, line<T const> const& x, X const&... more) {
    constexpr std::size_t W = lanes<T>;
    T r{};
    std::size_t i = begin;
    if constexpr (W > 1)
        if (x.is_dense() && (more.is_dense() && ...) && end - begin >= W) {
            auto const at = [&](std::size_t k) { return pack_t<T, W>(map(load<T, W>(x.data() + k), load<T, W>(more.data() + k)...)); };
            pack_t<T, W> acc = at(i);
            i += W;
            // four at a time: each waits for itself alone
            if (i + 7 * W <= end) {
                pack_t<T, W> b = at(i), c = at(i + W), d = at(i + 2 * W);
                for (i += 3 * W; i + 4 * W <= end; i += 4 * W) {
                    acc = combine(acc, at(i));
                    b = combine(b, at(i + W));
                    c = combine(c, at(i + 2 * W));
                    d = combine(d, at(i + 3 * W));
                }
                acc = combine(combine(acc, b), combine(c, d));
            }
            for (; i + W <= end; i += W) acc = combine(acc, at(i));
            T t[W];
            store_lanes<T, W>(t, acc);
            r = t[0];
            for (std::size_t k = 1; k < W; ++k) r = combine(r, t[k]);
        }
    if (i == begin) r = T(map(x[i], more[i]...)), ++i;
    for (; i < end; ++i) r = combine(r, T(map(x[i], more[i]...)));
    return r;
}
}

// first with map(x[0]...) with map(x[1]...) with ...: long lines in parts, which meet pairwise.
template <class T, class Map, class Combine, class... X>
T fold_lines(T const& first, Map map, Combine combine, line<T const> const& x, X const&... more) {
    std::size_t const n = x.size(), most = detail::longest_sum<T> * lanes<T>;
    if (n == 0) return first;
    if (n <= most) return combine(first, detail::fold_some<T>(0, n, map, combine, x, more...));
    detail::pairwise<T, Combine> all(combine);
    for (std::size_t i = 0; i < n; i += most) all.add(detail::fold_some<T>(i, n - i < most ? n : i + most, map, combine, x, more...));
    return combine(first, all.value(first));
}
template <class T, class Map, class Combine>
T fold(line<T const> const& x, T const& first, Map map, Combine combine) { return fold_lines(first, map, combine, x); }

// Gives y[k] = f(x[k]...), or adds it: packs where all are neighbours, two at a time, as one waits for itself.
template <class T, class F, class... X>
XGRAD_DETAIL_KERNEL void transform(line<T> const& y, bool add, F f, line<X> const&... x) {
    [[maybe_unused]] constexpr std::size_t W = lanes<T>;
    std::size_t i = 0;
    if constexpr (W > 1) {
        auto const give = [&](std::size_t k, pack_t<T, W> v) {
            if (add) v = load<T, W>(y.data() + k) + v;
            store<T, W>(y.data() + k, v);
        };
        if (y.is_dense() && (x.is_dense() && ...)) {
            for (; i + 2 * W <= y.size(); i += 2 * W) {
                pack_t<T, W> const v = f(load<T, W>(x.data() + i)...), w = f(load<T, W>(x.data() + (i + W))...);
                give(i, v);
                give(i + W, w);
            }
            for (; i + W <= y.size(); i += W) give(i, f(load<T, W>(x.data() + i)...));
        }
    }
    for (; i < y.size(); ++i) y.give(i, T(f(x[i]...)), add);
}

// v as what p is: an element, or a pack that has it in every lane.
template <class P, class T>
XGRAD_DETAIL_INLINE P like(P const&, T const& v) { return detail::embed<P>(v); }

// The rule of an operation along axes, from lines to numbers (reduces: what reduce_with(op, x, axes) takes) or from lines to lines. It is about one line;
// which lines an array has, and how they lie in memory, is not its business. Specialise it to make a reduction of your own known:
//   static constexpr bool reduces
//   static void check(op, n)                   throws where a line of n elements has no result; may be left out
//   static std::size_t length(op, n)           the length of the result, where it is not that of the line
//   reduces:  static T value(op, line<T const> x)
//             static void pullback(op, line<T> xbar, bool add, T ybar, T y, line<T const> x)
//             static std::size_t most_kept<T>  may be left out: of arrays of no more elements a number for each is kept for the pullback, by
//             static T value(op, line<T const> x, line<T> kept), and pullback with line<T const> kept as its last argument; those above are for bigger ones
//   else:     static void value(op, line<T> y, line<T const> x)
//             static void pullback(op, line<T> xbar, bool add, line<T const> ybar, line<T const> y, line<T const> x)
// T is a number, or a dual of one: bodies are generic, as those of scalar rules are. pullback gives every element of xbar, or adds to it where `add`
// says so: xbar.give(k, v, add), or transform for all. Nothing but check throws. Lines of no elements come to rules that reduce only.
template <class Op>
struct line_rule;

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
        line_layout const in(s.axes, x.shape, x.stride), dense = in.dense();
        auto kept = detail::memory_in<T>(scratch, n);
        detail::for_each_line<X, 2>(s.axes, x.shape, {x.stride, steps(s, x.shape, y)}, [&](auto const& at) {
            y.data[at[1]] = rule::value(s.op, line<T const>(x.data + at[0], in), line<T>(kept, dense));
            kept = kept + static_cast<std::ptrdiff_t>(in.size);
        });
    }
    template <int, class T, int X, int Y>
    static void pullback(state const& s, std::ptrdiff_t* scratch, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar,
                         array_ref<T const, Y> const& y, array_ref<T const, X> const& x) noexcept {
        std::size_t const n = element_count(x.shape);
        if constexpr (!always_keeps<T>)
            if (n > rule::template most_kept<T>) return pullback<0>(s, xbar, add, ybar, y, x);
        line_layout const in(s.axes, x.shape, x.stride), back(s.axes, xbar.shape, xbar.stride), dense = in.dense();
        if (in.size == 0) return;
        auto kept = detail::memory_in<T>(scratch, n);
        detail::for_each_line<X, 4>(s.axes, x.shape, {x.stride, xbar.stride, steps(s, x.shape, y), steps(s, x.shape, ybar)}, [&](auto const& at) {
            rule::pullback(s.op, line<T>(xbar.data + at[1], back), add, T(ybar.data[at[3]]), T(y.data[at[2]]), line<T const>(x.data + at[0], in),
                           line<T const>(kept, dense));
            kept = kept + static_cast<std::ptrdiff_t>(in.size);
        });
    }

    template <class T, int Y, int X>
    static void value(state const& s, array_ref<T, Y> const& y, array_ref<T const, X> const& x) noexcept {
        line_layout const in(s.axes, x.shape, x.stride);
        if constexpr (rule::reduces)
            detail::for_each_line<X, 2>(s.axes, x.shape, {x.stride, steps(s, x.shape, y)},
                                        [&](auto const& at) { y.data[at[1]] = rule::value(s.op, line<T const>(x.data + at[0], in)); });
        else {
            line_layout const out(s.axes, y.shape, y.stride);
            if (out.size != 0)
                detail::for_each_line<X, 2>(s.axes, x.shape, {x.stride, steps(s, x.shape, y)},
                                            [&](auto const& at) { rule::value(s.op, line<T>(y.data + at[1], out), line<T const>(x.data + at[0], in)); });
        }
    }

    template <int, class T, int X, int Y>
    static void pullback(state const& s, array_ref<T, X> const& xbar, bool add, array_ref<T const, Y> const& ybar, array_ref<T const, Y> const& y,
                         array_ref<T const, X> const& x) noexcept {
        line_layout const in(s.axes, x.shape, x.stride), back(s.axes, xbar.shape, xbar.stride);
        if (in.size == 0) return;
        std::array<strides<X>, 4> const all{x.stride, xbar.stride, steps(s, x.shape, y), steps(s, x.shape, ybar)};
        if constexpr (rule::reduces)
            detail::for_each_line<X, 4>(s.axes, x.shape, all, [&](auto const& at) {
                rule::pullback(s.op, line<T>(xbar.data + at[1], back), add, T(ybar.data[at[3]]), T(y.data[at[2]]), line<T const>(x.data + at[0], in));
            });
        else {
            line_layout const out(s.axes, y.shape, y.stride), seed(s.axes, ybar.shape, ybar.stride);
            detail::for_each_line<X, 4>(s.axes, x.shape, all, [&](auto const& at) {
                rule::pullback(s.op, line<T>(xbar.data + at[1], back), add, line<T const>(ybar.data + at[3], seed), line<T const>(y.data + at[2], out),
                               line<T const>(x.data + at[0], in));
            });
        }
    }

private:
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
