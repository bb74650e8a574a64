// Defines for_each_lines and lines_of: the lines of arrays one by one, or several at once, one in each lane of a pack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xgrad/ruleset/line.hpp>
#include <xgrad/ruleset/transpose_lines.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

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

// W lines, of which `count` are numbers `number`, `number` + 1 ... of all, and the others are the last of those again: where each begins in N arrays, and in
// which arrays each begins beside the one before.
template <std::size_t W, std::size_t N>
struct lines_at_once {
    static constexpr std::size_t width = W;
    std::size_t number = 0, count = 0;
    std::ptrdiff_t first[N][W];
    bool beside[N];

    void complete() {
        for (std::size_t n = 0; n < N; ++n) {
            for (std::size_t j = count; j < W; ++j) first[n][j] = first[n][count - 1];
            beside[n] = true;
            for (std::size_t j = 1; j < W; ++j) beside[n] &= first[n][j] - first[n][0] == static_cast<std::ptrdiff_t>(j);
        }
    }
    void next() { number += count, count = 0; }
    lines_at_once<1, N> one(std::size_t j) const {
        lines_at_once<1, N> l;
        l.number = number + j;
        for (std::size_t n = 0; n < N; ++n) l.first[n][0] = first[n][j];
        return l;
    }
};

// W elements T, const where that is, as a pack.
template <class T, std::size_t W>
using pack_like = std::conditional_t<std::is_const_v<T>, pack_t<std::remove_const_t<T>, W> const, pack_t<std::remove_const_t<T>, W>>;

// The lines of array n of those, with elements T, one by one or `most` at once. Where several do not begin side by side a copy of them does, if it is small.
template <class T, std::size_t most, std::size_t n>
class lines_of {
    using number = std::remove_const_t<T>;

public:
    lines_of(memory_t<T> data, line_layout const& l) : data_(data), layout_(l), beside_(l.size, most) {}

    template <class L>
    bool are_copied(L const& at) const { return L::width > 1 && !at.beside[n] && layout_.size <= most_copied && (!std::is_const_v<T> || layout_.size >= most); }
    // To be read. To be written, and `give` when they are.
    template <class L>
    auto read(L const& at) {
        if constexpr (L::width > 1)
            if (are_copied(at)) gather_lines<number, most>(data_, layout_, at.first[n], copy());
        return write(at);
    }
    template <class L>
    auto write(L const& at) {
        using E = pack_like<T, L::width>;
        if constexpr (L::width > 1) {
            if (are_copied(at)) return line<E>(copy(), beside_);
            if (!at.beside[n]) return line<E>(data_, layout_, at.first[n]);
        }
        return line<E>(data_ + at.first[n][0], layout_);
    }
    template <class L>
    void give(L const& at, bool add) {
        if constexpr (L::width > 1)
            if (are_copied(at)) scatter_lines<number, most>(copy(), data_, layout_, at.first[n], at.count, add);
    }

private:
    static constexpr std::size_t room = most == 1 ? 0 : 4096, most_copied = room / most / sizeof(number);
    memory_t<T> data_;
    line_layout const& layout_;
    line_layout beside_;
    alignas(64) std::byte room_[room + 1];

    memory_t<number> copy() { return memory_in<number>(room_, most * layout_.size); }
};

// What is kept of each line, a number for each of its elements, in one piece: line by line, or of `most` lines at once element by element.
template <class T, std::size_t most>
class kept_of_lines {
public:
    kept_of_lines(memory_t<T> data, std::size_t size) : data_(data), by_lines_(size, 1), by_elements_(size, most) {
        for (std::size_t j = 0; j < most; ++j) first_[j] = static_cast<std::ptrdiff_t>(j * size);
    }
    template <class L>
    auto of(L const& at) {
        using P = pack_like<T, L::width>;
        auto const p = data_ + at.number * by_lines_.size;
        if constexpr (L::width > 1) {
            if (at.count == most) return line<P>(p, by_elements_);
            for (std::size_t j = at.count; j < most; ++j) first_[j] = first_[at.count - 1];
            return line<P>(p, by_lines_, first_);
        } else return line<P>(p, by_lines_);
    }

private:
    memory_t<T> data_;
    line_layout by_lines_, by_elements_;
    std::ptrdiff_t first_[most];
};

// How many lines of T a rule takes at once.
template <class Rule, class T>
inline constexpr std::size_t most_at_once = [] {
    if constexpr (requires { Rule::template takes_packs<T>; }) return Rule::template takes_packs<T> ? lanes<T> : 1;
    else return std::size_t(1);
}();

// Whether so many lines of this layout are faster at once: where they leave no more than half of the lanes to others. In packs each by itself takes those that
// it fills, one for each element that is left over, and about six for what is done once; all at once take one for each element, and about two more to be
// brought side by side.
template <std::size_t W>
bool are_faster_at_once(std::size_t count, line_layout const& l, bool are_beside) {
    std::size_t const alone = l.is_dense() ? l.size / W + l.size % W : l.size;
    return 2 * count > W && count * (alone + 6) > l.size * (are_beside ? 1 : 3);
}

// f(lines), of lines in N arrays of these strides, W at once or one by one; l is how they lie in the first array, which alone decides about their order.
template <std::size_t W, int R, std::size_t N, class F>
void for_each_lines(line_layout const& l, std::uint32_t axes, extents<R> const& shape, std::array<strides<R>, N> const& stride, F const& f) {
    // along the axis that is the fastest in the first array they begin in regular steps
    int along = -1;
    auto const pace = [&](int d) { return static_cast<std::size_t>(stride[0][d] < 0 ? -stride[0][d] : stride[0][d]) - 1; };
    for (int d = 0; d < shape.rank(); ++d)
        if (!(axes >> d & 1u) && shape[d] != 1 && (along < 0 || pace(d) <= pace(along))) along = d;
    if constexpr (W > 1)
        if (along < 0 || !are_faster_at_once<W>(W, l, stride[0][along] == 1)) return for_each_lines<1, R, N>(l, axes, shape, stride, f);
    std::ptrdiff_t step[N], steps[N][W];
    for (std::size_t n = 0; n < N; ++n) {
        step[n] = along < 0 ? 0 : stride[n][along];
        for (std::size_t j = 0; j < W; ++j) steps[n][j] = static_cast<std::ptrdiff_t>(j) * step[n];
    }
    lines_at_once<W, N> lines;
    for_each_line<R, N>(along < 0 ? axes : axes | 1u << along, shape, stride, [&](std::array<std::ptrdiff_t, N> at) {
        for (std::size_t left = along < 0 ? 1 : shape[along]; left > 0;) {
            std::size_t const c = lines.count, more = left < W - c ? left : W - c;
            lines.count += more;
            left -= more;
            for (std::size_t n = 0; n < N; ++n) {
                if (more == W)
                    for (std::size_t j = 0; j < W; ++j) lines.first[n][j] = at[n] + steps[n][j];
                else
                    for (std::size_t j = 0; j < more; ++j) lines.first[n][c + j] = at[n] + steps[n][j];
                at[n] += static_cast<std::ptrdiff_t>(more) * step[n];
            }
            if (lines.count < W) continue;
            if (more == W)
                for (std::size_t n = 0; n < N; ++n) lines.beside[n] = step[n] == 1;
            else lines.complete();
            f(lines);
            lines.next();
        }
    });
    if constexpr (W > 1) {
        if (are_faster_at_once<W>(lines.count, l, false)) {
            lines.complete();
            f(lines);
        } else
            for (std::size_t j = 0; j < lines.count; ++j) f(lines.one(j));
    }
}

}
XGRAD_DETAIL_QUIET_END
