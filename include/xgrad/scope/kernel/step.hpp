// Defines kernel_step<W, Pair>: what a kernel computes at once: a pack, or two side by side; and masks, of what contributes nothing in it.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/few_lanes.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/kernel/conversions.hpp>
#include <xgrad/scope/kernel/pack_pair.hpp>
#include <xgrad/scope/kernel/stage.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T, int R, class Step>
class array_cursor;
template <class T, int R, class Step>
class const_cursor;

// Repeated: the types of operands that the tree has several times.
template <std::size_t W, bool Pair = false, class Repeated = type_list<>>
struct kernel_step {
    static constexpr std::size_t width = W, size = Pair ? 2 * W : W;
    static constexpr bool is_pair = Pair;
    using plan_type = seen_arrays;
    using repeated = Repeated;
    using unit = kernel_step<W, Pair>;  // what functions go by that do not depend on a tree
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
// Where a sum of contributions begins: at -0, which is what a compiler may leave out of it.
template <class T, class Step>
XGRAD_DETAIL_INLINE typename Step::template packs<T> nothing_given() {
    if constexpr (std::is_floating_point_v<T>) return spread_step<T, Step>(T(-0.0));
    else return spread_step<T, Step>(T(0));
}
// f of n numbers from the first on; of all of them in pairs.
template <std::size_t N, class T, class F>
[[gnu::noinline]] T fold_numbers(T* t, std::size_t first, std::size_t n, F f) {
    if (n == N) {
        for (std::size_t m = N / 2; m != 0; m /= 2)
            for (std::size_t i = 0; i < m; ++i) t[i] = f(t[i], t[i + m]);
        return t[0];
    }
    T y = t[first];
    for (std::size_t i = 1; i < n; ++i) y = f(y, t[first + i]);
    return y;
}
template <class T, class Step, class F>
XGRAD_DETAIL_INLINE T fold_step(typename Step::template packs<T> const& x, std::size_t first, std::size_t n, F f) {
    if constexpr (Step::size == 1) return x;
    else {
        if constexpr (std::is_same_v<F, add_values> && std::is_floating_point_v<T>)
            if (n == Step::size) {
                if constexpr (Step::is_pair) return xsimd::hadd(x.a + x.b);
                else return xsimd::hadd(x);
            }
        alignas(64) T t[Step::size];
        if constexpr (Step::is_pair) {
            store_lanes<T, Step::width>(t, x.a);
            store_lanes<T, Step::width>(t + Step::width, x.b);
        } else store_lanes<T, Step::width>(t, x);
        if constexpr (std::is_same_v<F, add_values> && std::is_floating_point_v<T> && !Step::is_pair)
            return xsimd::hadd(load_few<T, Step::width>(t + first, n, T(-0.0)));
        else return fold_numbers<Step::size>(t, first, n, f);
    }
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
// Some elements of a step contribute nothing, whatever is made of their cotangents on the way: 0 times an infinite derivative is no number.
struct no_mask {};

namespace detail {

struct either_of {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return a || b; }
};
struct both_of {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return a && b; }
};
struct find_something {
    XGRAD_DETAIL_INLINE auto operator()(auto const& g) const { return is_something(g); }
};
struct zero_unless {
    XGRAD_DETAIL_INLINE auto operator()(auto const& some, auto const& v) const { return choose_or_zero(some, v); }
};

template <class M, class N>
XGRAD_DETAIL_INLINE auto mask_too(M const& some, N const& more) {
    if constexpr (std::is_same_v<M, no_mask>) return more;
    else return map_packs(both_of(), some, more);
}
template <class M, class G>
XGRAD_DETAIL_INLINE G unmasked([[maybe_unused]] M const& some, G const& g) {
    if constexpr (std::is_same_v<M, no_mask>) return g;
    else return map_packs(zero_unless(), some, g);
}

// What the uses of an operand F that are the same have in common in a step: its value, the sum of what they were given so far, and which elements were given
// some.
template <class F, class Step>
class what_uses_have_in_common {
    using T = typename F::value_type;

public:
    using packs = typename Step::template packs<T>;
    packs y, g;
    decltype(map_packs(find_something(), std::declval<packs>())) some;
    int count;  // of them, as long as they are computed; then of those that have not given theirs

    XGRAD_DETAIL_INLINE what_uses_have_in_common() {}
    XGRAD_DETAIL_INLINE void clear() {
        g = nothing_given<T, Step>();
        some = map_packs(find_something(), g);
    }
    template <class M>
    XGRAD_DETAIL_INLINE void take(M const& of, packs const& given) {
        g = map_packs(add_values(), g, unmasked(of, given));
        if constexpr (std::is_same_v<M, no_mask>) some = map_packs(find_something(), spread_step<T, Step>(T(1)));
        else some = map_packs(either_of(), some, of);
    }
};
template <class Step, class Repeated = typename Step::repeated>
struct uses_of_repeated;
template <class Step, class... F>
struct uses_of_repeated<Step, type_list<F...>> : what_uses_have_in_common<F, Step>... {
    bool are_same;      // whether all of each type are
    bool is_only_read;  // what is computed now
    XGRAD_DETAIL_INLINE void begin(bool same) {
        are_same = same;
        is_only_read = false;
        ((what_uses_have_in_common<F, Step>::count = 0), ...);
    }
    XGRAD_DETAIL_INLINE void clear() { (what_uses_have_in_common<F, Step>::clear(), ...); }
};

}

// What the operands of a tree have in common in a step.
template <class Step, class Sum>
struct step_uses : detail::uses_of_repeated<Step> {
    Sum sum;
};

// Whether all of a tree's uses of arrays that take cotangents may be of one.
template <class Cursor>
inline constexpr bool may_take_one = Cursor::cotangents > 1 && std::is_same_v<typename Cursor::given_packs, typename Cursor::packs>;

// Whole: all of its uses are of one array.
template <class Cursor, bool Whole>
using sum_of_uses = std::conditional_t<Whole, whole_sum<typename Cursor::packs>,
                                       std::conditional_t<(Cursor::cotangents > 1), step_sum<typename Cursor::packs>, no_sum>>;

// Gives the tree the cotangent of a step.
template <class Step, class T, class Cursor, class M, class U>
XGRAD_DETAIL_INLINE void give_step(Cursor& c, M const& some, U& uses, std::size_t i, typename Cursor::frame const& f, typename Cursor::packs const& g) {
    uses.clear();
    if constexpr (!std::is_same_v<decltype(uses.sum), no_sum>) uses.sum.g = nothing_given<T, Step>();
    c.backward(some, uses, i, f, g);
    if constexpr (std::is_same_v<decltype(uses.sum), whole_sum<typename Cursor::packs>>) c.put(i, uses.sum.g);
}

}
XGRAD_DETAIL_QUIET_END
