// Defines line<T>, the elements along axes of an array, and what goes through them: fold, transform and line_rule<Op>.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/pairwise.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// How the lines along some axes lie in memory: one step, where that leads through all elements, or the extents and the steps, the fastest last.
struct line_layout {
    std::size_t size = 1;
    std::ptrdiff_t step = 1;
    int count = 0;
    std::array<std::size_t, max_dynamic_rank> extent;
    std::array<std::ptrdiff_t, max_dynamic_rank> steps;

    line_layout(std::size_t n, std::size_t s) : size(n), step(static_cast<std::ptrdiff_t>(s)) {}
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
    bool is_dense() const { return step == 1 && count == 0; }
    // Where element k lies.
    std::ptrdiff_t at(std::size_t k) const {
        if (count == 0) return static_cast<std::ptrdiff_t>(k) * step;
        std::ptrdiff_t offset = 0;
        for (auto i = static_cast<std::size_t>(count); i-- > 0;) {
            offset += static_cast<std::ptrdiff_t>(k % extent[i]) * steps[i];
            k /= extent[i];
        }
        return offset;
    }
};

// The elements along some axes, in row-major order. T may be const. Where it is a pack there is a line of this layout in each lane: that of lane j begins
// at data + first[j], and one element behind that of the lane before where there is no `first`.
template <class T>
class line {
public:
    using value_type = std::remove_const_t<T>;
    using number = lane_number_t<value_type>;
    static constexpr std::size_t width = is_pack<value_type> ? lanes<number> : 1;
    using memory = memory_t<std::conditional_t<std::is_const_v<T>, number const, number>>;
    line(memory data, line_layout const& l, std::ptrdiff_t const* first = nullptr) : data_(data), layout_(l), first_(first) {}
    line(line<value_type> const& o)
        requires(std::is_const_v<T>)
        : data_(o.data_), layout_(o.layout_), first_(o.first_) {}

    std::size_t size() const { return layout_.size; }
    value_type operator[](std::size_t k) const {
        auto const p = data_ + layout_.at(k);
        if constexpr (width > 1)
            if (first_) return load_lanes_at<number, width>(p, first_);
        return load<number, width>(p);
    }
    // Assigns v, or adds it.
    void give(std::size_t k, value_type const& v, bool add = false) const {
        auto const p = data_ + layout_.at(k);
        if constexpr (width > 1)
            if (first_) return store_lanes_at<number, width>(p, first_, add ? value_type((*this)[k] + v) : v);
        if (add) store<number, width>(p, value_type(load<number, width>(p) + v));
        else store<number, width>(p, v);
    }
    // Whether the elements of one line are neighbours in memory: then they are at data().
    bool is_dense() const { return width == 1 && layout_.is_dense(); }
    memory data() const { return data_; }
    // f(e), where e[k] is element k: the memory itself where elements are neighbours.
    template <class F>
    void with_elements(F f) const {
        if constexpr (width == 1)
            if (is_dense()) return f(data_);
        f(*this);
    }

private:
    friend class line<T const>;
    memory data_;
    line_layout const& layout_;
    std::ptrdiff_t const* first_;
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
    auto const at = [&](std::size_t k) { return T(map(x[k], more[k]...)); };
    if (i == begin) {
        r = at(i++);
        if (end - i >= 7) {
            T b = at(i), c = at(i + 1), d = at(i + 2);
            for (i += 3; i + 4 <= end; i += 4) {
                r = combine(r, at(i));
                b = combine(b, at(i + 1));
                c = combine(c, at(i + 2));
                d = combine(d, at(i + 3));
            }
            r = combine(combine(r, b), combine(c, d));
        }
    }
    for (; i < end; ++i) r = combine(r, at(i));
    return r;
}
// A line that is longer than `most`, in parts of that length, which meet pairwise.
template <class T, class Map, class Combine, class... X>
[[gnu::noinline]] T fold_parts(T const& first, std::size_t most, Map map, Combine combine, line<T const> const& x, X const&... more) {
    std::size_t const n = x.size();
    pairwise<T, Combine> all(combine);
    for (std::size_t i = 0; i < n; i += most) all.add(fold_some<T>(i, n - i < most ? n : i + most, map, combine, x, more...));
    return combine(first, all.value(first));
}
}

// first with map(x[0]...) with map(x[1]...) with ...
template <class T, class Map, class Combine, class... X>
T fold_lines(T const& first, Map map, Combine combine, line<T const> const& x, X const&... more) {
    std::size_t const n = x.size(), most = detail::longest_sum<T> * lanes<T>;
    if (n == 0) return first;
    if (n > most) [[unlikely]] return detail::fold_parts(first, most, map, combine, x, more...);
    return combine(first, detail::fold_some<T>(0, n, map, combine, x, more...));
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
//   static constexpr bool takes_packs<T>           may be left out: whether T may be a pack, too, which has one line in each lane. Then nothing but the
//             length of a line decides what is done: choose(c, a, b), not c ? a : b, and holds_everywhere(c) where a branch saves time
// T is a number, or a dual of one: bodies are generic, as those of scalar rules are. pullback gives every element of xbar, or adds to it where `add`
// says so: xbar.give(k, v, add), or transform for all. Nothing but check throws. Lines of no elements come to rules that reduce only.
template <class Op>
struct line_rule;

}
XGRAD_DETAIL_QUIET_END
