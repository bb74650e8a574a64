// Defines stage_in and stage_out: how a tile that does not lie in one piece in an array comes to lie so in a kernel's own memory, and back.
#pragma once

#include <algorithm>
#include <cstddef>

#include <xgrad/rule/few_lanes.hpp>
#include <xgrad/rule/memory.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/kernel/plan.hpp>
#include <xgrad/scope/kernel/short_rows.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// n elements of an array, `step` apart, and those of `rows` rows, `between` apart, become n * rows neighbours in a copy; and the way back, of what is written
// or added.
template <class T, std::size_t W>
struct copy_stretch {
    T const* from;
    T* room;
    XGRAD_DETAIL_INLINE void operator()(std::ptrdiff_t at, std::ptrdiff_t step, std::size_t first, std::size_t n, std::size_t rows,
                                        std::ptrdiff_t between) const {
        T const* x = from + at;
        T* y = room + first;
        if (step == 0) return spread_rows<T, W>(y, n, rows, x, between, room + staged_tile);
        if (step == 1) return copy_rows<T, W>(y, n, rows, x, between, room + staged_tile);
        for (; rows != 0; --rows, x += between, y += n)
            for (std::size_t i = 0; i < n; ++i) y[i] = x[static_cast<std::ptrdiff_t>(i) * step];
    }
};
template <class T, std::size_t W>
struct give_stretch {
    T const* room;
    T* to;
    bool add;
    XGRAD_DETAIL_INLINE void operator()(std::ptrdiff_t at, std::ptrdiff_t step, std::size_t first, std::size_t n, std::size_t rows,
                                        std::ptrdiff_t between) const {
        T const* x = room + first;
        T* y = to + at;
        if (step == 0 && add) return fold_rows<T, W>(y, between, rows, x, n, T(0), add_values());
        if (step == 1 && add) return add_rows<T, W>(y, between, rows, x, n);
        for (; rows != 0; --rows, x += n, y += between)
            if (add)
                for (std::size_t i = 0; i < n; ++i) {
                    T& z = y[static_cast<std::ptrdiff_t>(i) * step];
                    z = z + x[i];
                }
            else
                for (std::size_t i = 0; i < n; ++i) y[static_cast<std::ptrdiff_t>(i) * step] = x[i];
    }
};

}

// What stage_in does, of tiles that lie in pieces.
template <class T, class Step>
[[gnu::noinline]] void stage_in_pieces(plan const& p, offsets const* o, memory_t<T const> from, memory_t<T> room, bool is_cotangent) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        stage_in<P, Step>(p, o, from.primal(), room.primal(), is_cotangent);
        for (std::size_t k = 0; k < T::count; ++k) stage_in<P, Step>(p, o, from.direction(k), room.direction(k), is_cotangent);
    } else {
        p.for_each_stretch(o, detail::copy_stretch<T, Step::width>{from, room});
        if (!p.partial) return;
        T const last = is_cotangent ? T(0) : T(room[p.size - 1]);
        for (std::size_t i = p.size; i < Step::size; ++i) room[i] = last;
    }
}
// Copies n elements that are fewer than a step takes. Behind them the last one is repeated, so that nothing is computed that the others do not compute; or, of
// a cotangent, comes 0: from there nothing is given. Small functions: of short arrays they are much of what is done.
template <class T, class Step>
XGRAD_DETAIL_INLINE void copy_few([[maybe_unused]] memory_t<T const> from, [[maybe_unused]] memory_t<T> to, [[maybe_unused]] std::size_t n,
                                  [[maybe_unused]] bool is_cotangent) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        copy_few<P, Step>(from.primal(), to.primal(), n, is_cotangent);
        for (std::size_t k = 0; k < T::count; ++k) copy_few<P, Step>(from.direction(k), to.direction(k), n, is_cotangent);
    } else if constexpr (Step::size != 1) {
        constexpr std::size_t w = Step::width;
        T const last = is_cotangent ? T(0) : from[n - 1];
        for (std::size_t i = 0; i < Step::size; i += w) {
            if (i + w <= n) store<T, w>(to + i, load<T, w>(from + i));
            else if (i < n) store<T, w>(to + i, load_few<T, w>(from + i, n - i, last));
            else store<T, w>(to + i, broadcast_lanes<T, w>(last));
        }
    }
}
// The way back: what is in `from` is written, or added.
template <class T, class Step>
XGRAD_DETAIL_INLINE void give_few([[maybe_unused]] memory_t<T const> from, [[maybe_unused]] memory_t<T> to, [[maybe_unused]] std::size_t n,
                                  [[maybe_unused]] bool add) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        give_few<P, Step>(from.primal(), to.primal(), n, add);
        for (std::size_t k = 0; k < T::count; ++k) give_few<P, Step>(from.direction(k), to.direction(k), n, add);
    } else if constexpr (Step::size != 1) {
        constexpr std::size_t w = Step::width;
        for (std::size_t i = 0; i < n; i += w) {
            auto x = load<T, w>(from + i);
            if (i + w <= n) {
                if (add) x = x + load<T, w>(memory_t<T const>(to + i));
                store<T, w>(to + i, x);
            } else {
                if (add) x = x + load_few<T, w>(to + i, n - i, T(0));
                store_few<T, w>(to + i, n - i, x);
            }
        }
    }
}

// Of the last step of a tile, in `from`, what it has of its own, to where the tile lies.
template <class T, class Step, class Plan>
XGRAD_DETAIL_INLINE void give_rest(Plan const& p, memory_t<T const> from, memory_t<T> to, bool add) {
    give_few<T, Step>(from + static_cast<std::ptrdiff_t>(Step::size - p.rest), to + static_cast<std::ptrdiff_t>(p.size - p.rest), p.rest, add);
}

// All of a tile is one element.
template <class T, class Step>
[[gnu::noinline]] void spread(plan const& p, T const& x, memory_t<T> to) {
    constexpr std::size_t w = Step::width;
    auto const all = broadcast_lanes<T, w>(x);
    std::size_t i = 0;
    std::size_t const n = p.partial ? Step::size : p.size;
    // there is room for some packs more
    for (; i < n; i += 4 * w)
        for (std::size_t k = 0; k < 4; ++k) store<T, w>(to + (i + k * w), all);
}
// Copies the tile to `room`; what fills no step goes by copy_few.
template <class T, class Step>
XGRAD_DETAIL_INLINE void stage_in(plan const& p, offsets const* o, memory_t<T const> from, memory_t<T> to, bool is_cotangent) {
    if (!is_cotangent && p.is_one_element(o)) spread<T, Step>(p, T(*(from + p.offset(o))), to);
    else if (p.partial && p.is_in_row(o)) copy_few<T, Step>(from + p.offset(o), to, p.size, is_cotangent);
    else stage_in_pieces<T, Step>(p, o, from, to, is_cotangent);
}

// What stage_out does, of tiles that lie in pieces.
template <class T, class Step>
[[gnu::noinline]] void stage_out_pieces(plan const& p, offsets const* o, memory_t<T const> room, memory_t<T> to, bool add) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        stage_out_pieces<P, Step>(p, o, room.primal(), to.primal(), add);
        for (std::size_t k = 0; k < T::count; ++k) stage_out_pieces<P, Step>(p, o, room.direction(k), to.direction(k), add);
    } else {
        p.for_each_stretch(o, detail::give_stretch<T, Step::width>{room, to, add});
    }
}
// Writes the tile in `room` to where it belongs, or adds it there.
template <class T, class Step>
XGRAD_DETAIL_INLINE void stage_out(plan const& p, offsets const* o, memory_t<T const> room, memory_t<T> to, bool add) {
    if (p.partial && p.is_in_row(o)) give_few<T, Step>(room, to + p.offset(o), p.size, add);
    else stage_out_pieces<T, Step>(p, o, room, to, add);
}

// What a short kernel does with an array of this shape that does not lie flat: copies all of it, and gives it what the copy was given.
template <class T, class Step>
[[gnu::noinline]] void copy_all(iteration_space space, strided_shape array, memory_t<T const> from, memory_t<T> room) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        copy_all<P, Step>(space, array, from.primal(), room.primal());
        for (std::size_t k = 0; k < T::count; ++k) copy_all<P, Step>(space, array, from.direction(k), room.direction(k));
    } else {
        std::size_t const n = for_each_stretch_of(space, array, detail::copy_stretch<T, Step::width>{from, room});
        for (std::size_t i = n; i % Step::size != 0; ++i) room[i] = room[n - 1];
    }
}
template <class T, class Step>
[[gnu::noinline]] void give_all(iteration_space space, strided_shape array, memory_t<T const> room, memory_t<T> to, bool add) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        give_all<P, Step>(space, array, room.primal(), to.primal(), add);
        for (std::size_t k = 0; k < T::count; ++k) give_all<P, Step>(space, array, room.direction(k), to.direction(k), add);
    } else for_each_stretch_of(space, array, detail::give_stretch<T, Step::width>{room, to, add});
}

// Adds the rows that were gathered in a copy of a tile to the one row that they are of.
template <class T>
[[gnu::noinline]] void stage_out_rows(plan const& p, offsets const* o, memory_t<T> room, memory_t<T> to) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        stage_out_rows<P>(p, o, room.primal(), to.primal());
        for (std::size_t k = 0; k < T::count; ++k) stage_out_rows<P>(p, o, room.direction(k), to.direction(k));
    } else {
        std::size_t const all = p.gathered(), n = std::min(p.row_length(), all);
        T* const x = room;
        for (std::size_t row = n; row < all; row += n) {
            std::size_t const length = std::min(n, all - row);
            for (std::size_t i = 0; i < length; ++i) x[i] = x[i] + x[row + i];
        }
        T* const y = to;
        if (p.step(o) == 0) *y = *y + detail::fold_run(x, n, add_values());
        else
            for (std::size_t i = 0; i < n; ++i) {
                T& z = y[static_cast<std::ptrdiff_t>(i) * p.step(o)];
                z = z + x[i];
            }
    }
}

namespace detail {

// Some copies of tiles of n elements, and where they belong in one memory, in ascending order.
template <class T, std::size_t W>
class parts_of_memory {
    static constexpr int most_at_once = 4;

public:
    explicit parts_of_memory(std::size_t n) : n_(static_cast<std::ptrdiff_t>(n)) {}
    // Those that do not overlap most of what is there are added first.
    void take(memory_t<T const> x, std::ptrdiff_t at, memory_t<T> to) {
        if (count_ == most_at_once) add(to);
        int k = count_++;
        for (; k > 0 && at_[k - 1] > at; --k) {
            at_[k] = at_[k - 1];
            x_[k] = x_[k - 1];
        }
        at_[k] = at;
        x_[k] = x;
    }
    bool is_near(std::ptrdiff_t at) const { return count_ == 0 || (at < at_[0] + n_ / 2 && at_[count_ - 1] < at + n_ / 2); }
    // One pass over what they have in common.
    void add(memory_t<T> to) {
        if (count_ == 0) return;
        std::ptrdiff_t const begin = at_[count_ - 1], end = at_[0] + n_;
        for (int k = 0; k < count_; ++k) {
            add_one(to, k, at_[k], begin);
            add_one(to, k, end, at_[k] + n_);
        }
        switch (count_) {
        case 1: add_all<1>(to, begin, end); break;
        case 2: add_all<2>(to, begin, end); break;
        case 3: add_all<3>(to, begin, end); break;
        default: add_all<most_at_once>(to, begin, end);
        }
        count_ = 0;
    }

private:
    std::ptrdiff_t n_, at_[most_at_once];
    memory_t<T const> x_[most_at_once];
    int count_ = 0;

    void add_one(memory_t<T> to, int k, std::ptrdiff_t begin, std::ptrdiff_t end) {
        memory_t<T const> const x = x_[k] + -at_[k];
        for (std::ptrdiff_t i = begin; i < end; ++i) to[i] = T(to[i]) + T(x[i]);
    }
    template <int K>
    void add_all(memory_t<T> to, std::ptrdiff_t i, std::ptrdiff_t end) {
        constexpr auto w = static_cast<std::ptrdiff_t>(W);
        memory_t<T const> x[K];
        for (int k = 0; k < K; ++k) x[k] = x_[k] + -at_[k];
        for (; i + w <= end; i += w) {
            auto s = load<T, W>(x[0] + i);
            if constexpr (K > 1) s = s + load<T, W>(x[1] + i);
            if constexpr (K > 2) s = s + load<T, W>(x[2] + i);
            if constexpr (K > 3) s = s + load<T, W>(x[3] + i);
            store<T, W>(to + i, load<T, W>(memory_t<T const>(to + i)) + s);
        }
        for (; i < end; ++i) {
            T s(x[0][i]);
            for (int k = 1; k < K; ++k) s = s + T(x[k][i]);
            to[i] = T(to[i]) + s;
        }
    }
};

}

// Adds the tiles of all parts of one memory to it, from the first part on. They are `room` bytes on in the memory of each.
template <class T, class Step>
[[gnu::noinline]] void stage_out_parts(plan const& p, offsets const* o, std::size_t room, memory_t<T> to) {
    auto const copy = [room](offsets const* part) { return detail::memory_in<T>(part->room + room, staged_tile); };
    if (p.partial || !p.are_in_row(o)) {
        for (; o; o = o->next_part) stage_out<T, Step>(p, o, memory_t<T const>(copy(o)), to + o->begin, true);
        return;
    }
    detail::parts_of_memory<T, Step::width> parts(p.size);
    for (; o; o = o->next_part) {
        std::ptrdiff_t const at = o->begin + p.offset(o);
        if (!parts.is_near(at)) parts.add(to);
        parts.take(copy(o), at, to);
    }
    parts.add(to);
}

}
XGRAD_DETAIL_QUIET_END
