// Defines kernel_step<W, Pair>: what a kernel computes at once: a pack, or two side by side; and masks, of what contributes nothing in it.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/kernel/pack_pair.hpp>
#include <xgrad/scope/kernel/stage.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T, int R, class Step>
class array_cursor;
template <class T, int R, class Step>
class const_cursor;

template <std::size_t W, bool Pair = false>
struct kernel_step {
    static constexpr std::size_t width = W, size = Pair ? 2 * W : W;
    static constexpr bool is_pair = Pair;
    using plan_type = plan;
    // size elements of T
    template <class T>
    using packs = std::conditional_t<Pair, pack_pair<pack_t<T, W>>, pack_t<T, W>>;
    // of an array of the shape R, and of one that is only read
    template <class T, class R>
    using cursor_of_static = array_cursor<T, R::value, kernel_step>;
    template <class T, class R>
    using cursor_of_static_constant = const_cursor<T, R::value, kernel_step>;
};

// What a cursor of operands in memory knows of one step; that of an operation also has the frames of its operands, so that nothing is computed twice.
template <class Y>
struct leaf_frame {
    Y y;
    XGRAD_DETAIL_INLINE leaf_frame() {}
};

template <class T, class Step>
XGRAD_DETAIL_INLINE typename Step::template packs<T> load_step(memory_t<T const> p) {
    constexpr std::size_t W = Step::width;
    if constexpr (Step::is_pair) return {load<T, W>(p), load<T, W>(p + W)};
    else return load<T, W>(p);
}
template <class T, class Step>
XGRAD_DETAIL_INLINE void store_step(memory_t<T> p, typename Step::template packs<T> const& x) {
    constexpr std::size_t W = Step::width;
    if constexpr (Step::is_pair) {
        store<T, W>(p, x.a);
        store<T, W>(p + W, x.b);
    } else store<T, W>(p, x);
}
// One number, everywhere.
template <class T, class Step>
XGRAD_DETAIL_INLINE typename Step::template packs<T> spread_step(T const& x) {
    auto const y = broadcast_lanes<T, Step::width>(x);
    if constexpr (Step::is_pair) return {y, y};
    else return y;
}
// f of the first n elements; of all of them in pairs.
template <class T, class Step, class F>
[[gnu::noinline]] T fold_step(typename Step::template packs<T> x, std::size_t n, F f) {
    alignas(64) T t[Step::size];
    if constexpr (Step::is_pair) {
        store_lanes<T, Step::width>(t, x.a);
        store_lanes<T, Step::width>(t + Step::width, x.b);
    } else store_lanes<T, Step::width>(t, x);
    if (n == Step::size)
        for (std::size_t m = n / 2; m != 0; m /= 2)
            for (std::size_t i = 0; i < m; ++i) t[i] = f(t[i], t[i + m]);
    else
        for (std::size_t i = 1; i < n; ++i) t[0] = f(t[0], t[i]);
    return t[0];
}
// What uses of one array, one right after the other, give it in a step: the last one adds it to the array's cotangent, and leaves 0.
template <class Packs>
struct step_sum {
    Packs g;
    XGRAD_DETAIL_INLINE step_sum() {}
};
// The same where all uses of a tree are such: what it gives in a step is put where it belongs afterwards.
template <class Packs>
struct whole_sum {
    Packs g;
};
// Of a tree with one use.
struct no_sum {};
// Whether all of a tree's uses of arrays that take cotangents may be of one.
template <class Cursor>
inline constexpr bool may_take_one = Cursor::cotangents > 1 && std::is_same_v<typename Cursor::given_packs, typename Cursor::packs>;

// Gives the tree the cotangent of a step. Whole: all of its uses are of one array.
template <bool Whole, class Step, class T, class Cursor, class M>
XGRAD_DETAIL_INLINE void give_step(Cursor& c, M const& none, std::size_t i, typename Cursor::frame const& f, typename Cursor::packs const& g) {
    if constexpr (Whole) {
        whole_sum<typename Cursor::packs> sum{spread_step<T, Step>(T(0))};
        c.backward(none, sum, i, f, g);
        c.put(i, sum.g);
    } else {
        std::conditional_t<(Cursor::cotangents > 1), step_sum<typename Cursor::packs>, no_sum> sum;
        if constexpr (Cursor::cotangents > 1) sum.g = spread_step<T, Step>(T(0));
        c.backward(none, sum, i, f, g);
    }
}

// Some elements of a step contribute nothing, whatever is made of their cotangents on the way: 0 times an infinite derivative is no number.
struct no_mask {};

namespace detail {

struct either_of {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return a || b; }
};
struct zero_where {
    XGRAD_DETAIL_INLINE auto operator()(auto const& none, auto const& v) const { return choose(none, zero(v), v); }
};

template <class M, class N>
XGRAD_DETAIL_INLINE auto mask_too(M const& none, N const& more) {
    if constexpr (std::is_same_v<M, no_mask>) return more;
    else return map_packs(either_of(), none, more);
}
template <class M, class G>
XGRAD_DETAIL_INLINE G unmasked([[maybe_unused]] M const& none, G const& g) {
    if constexpr (std::is_same_v<M, no_mask>) return g;
    else return map_packs(zero_where(), none, g);
}

}

}
XGRAD_DETAIL_QUIET_END
