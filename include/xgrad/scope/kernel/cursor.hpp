// Defines the cursors of a kernel: how each leaf of an elementwise tree is read, element by element, and takes its cotangent.
#pragma once

#include <array>
#include <cstddef>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/twin.hpp>
#include <xgrad/scope/memory/slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// How the iteration space lies to the leaves. flat: every leaf is all of it, contiguous: one long row. rows: every leaf has unit
// stride along the last dimension. general: anything else (broadcast columns, other layouts, strided views). collected: flat, of constant length, and
// cotangents are written behind the loop.
enum class layout { flat, rows, general, collected };

constexpr layout worst(layout a, layout b) { return a > b ? a : b; }

// A step inside a row. Hot: W elements of unit stride, or twice as many. Cold: k <= W elements of any stride.
struct hot {
    static constexpr bool is_hot = true, is_double = false;
};
struct hot_double {
    static constexpr bool is_hot = true, is_double = true;
};
struct cold {
    static constexpr bool is_hot = false, is_double = false;
    std::size_t k;
};
// What a kernel holds of an operand in such a step.
template <class S, class P>
using held_t = std::conditional_t<S::is_double, twin<P>, P>;

// The elements of a hot step.
template <class T, std::size_t W, class S>
XGRAD_DETAIL_INLINE held_t<S, pack_t<T, W>> load_hot(S, memory_t<T const> p) {
    if constexpr (S::is_double) return {load<T, W>(p), load<T, W>(p + W)};
    else return load<T, W>(p);
}
template <class T, std::size_t W, class S>
XGRAD_DETAIL_INLINE void store_hot(S, memory_t<T> p, held_t<S, pack_t<T, W>> const& x) {
    if constexpr (S::is_double) {
        store<T, W>(p, x.a);
        store<T, W>(p + W, x.b);
    } else store<T, W>(p, x);
}

// A step in which some elements contribute nothing, whatever is made of their cotangents on the way: 0 times an infinite derivative is no number.
template <class S, class M>
struct masked_step : S {
    M none;
};
template <class S, class M>
XGRAD_DETAIL_INLINE auto masked(S const& s, M const& none) {
    if constexpr (requires { s.none; }) {
        S r = s;
        r.none = by_halves([](auto const& a, auto const& b) XGRAD_DETAIL_LAMBDA { return a || b; }, r.none, none);
        return r;
    } else return masked_step<S, M>{s, none};
}
template <class S, class G>
XGRAD_DETAIL_INLINE G unmasked([[maybe_unused]] S const& s, G const& g) {
    if constexpr (requires { s.none; }) return by_halves([](auto const& n, auto const& v) XGRAD_DETAIL_LAMBDA { return choose(n, zero(v), v); }, s.none, g);
    else return g;
}

// The offsets of one leaf in an iteration space of at most N dimensions.
template <int N>
struct walk {
    std::array<std::ptrdiff_t, (N > 0 ? N : 1)> step{};
    std::ptrdiff_t inner = 1, at = 0;

    template <layout L, int S, int R>
    XGRAD_DETAIL_INLINE void align(extents<S> const& space, extents<R> const& shape, strides<R> const& stride) {
        int lead = space.rank() - shape.rank();
        for (int d = 0; d < space.rank(); ++d) step[static_cast<std::size_t>(d)] = d < lead || shape[d - lead] == 1 ? 0 : stride[d - lead];
        // a flat walk is one row of unit stride, also where the last dimension is one element
        if constexpr (L != layout::flat) inner = space.rank() == 0 ? 0 : step[static_cast<std::size_t>(space.rank() - 1)];
    }
    XGRAD_DETAIL_INLINE void advance(int d) { at += step[static_cast<std::size_t>(d)]; }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) { at -= step[static_cast<std::size_t>(d)] * static_cast<std::ptrdiff_t>(n); }
};

// An array in memory that is only read.
template <class T, std::size_t W, int N>
struct const_cursor {
    memory_t<T const> v;
    walk<N> w;
    template <class S>
    using frame = held_t<S, pack_t<T, W>>;
    XGRAD_DETAIL_INLINE void advance(int d) { w.advance(d); }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) { w.rewind(d, n); }
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S s, std::size_t i, frame<S>& f) const {
        auto p = v + w.at;
        if constexpr (S::is_hot) f = load_hot<T, W>(s, p + i);
        else f = load<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k);
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S, std::size_t, frame<S> const&, frame<S> const&) {}
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// An array in memory and its cotangent. `assign`: this is the first contribution, and it covers everything.
template <class T, std::size_t W, int N>
struct array_cursor {
    memory_t<T const> v;
    memory_t<T> a;
    bool assign;
    walk<N> w;
    template <class S>
    using frame = held_t<S, pack_t<T, W>>;
    XGRAD_DETAIL_INLINE void advance(int d) { w.advance(d); }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) { w.rewind(d, n); }
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S s, std::size_t i, frame<S>& f) const {
        auto p = v + w.at;
        if constexpr (S::is_hot) f = load_hot<T, W>(s, p + i);
        else f = load<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k);
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S s, std::size_t i, frame<S> const&, frame<S> const& given) {
        auto g = unmasked(s, given);
        auto p = a + w.at;
        if constexpr (S::is_hot) {
            if (assign) store_hot<T, W>(s, p + i, g);
            else store_hot<T, W>(s, p + i, by_halves([](auto const& before, auto const& more) XGRAD_DETAIL_LAMBDA { return pack_t<T, W>(before + more); }, load_hot<T, W>(s, memory_t<T const>(p + i)), g));
        } else store<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k, g, !assign);
    }
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// All of an array of N elements, one by one: what comes to them is collected, in registers where the loop is unrolled, and contributed once.
template <class T, std::size_t N>
struct static_cursor {
    T const* v;
    T* a;
    bool assign;
    T sum[N];
    template <class S>
    using frame = held_t<S, T>;
    XGRAD_DETAIL_INLINE static_cursor(T const* value, T* cotangent, bool first) : v(value), a(cotangent), assign(first) {}
    // it moves before it collects
    XGRAD_DETAIL_INLINE static_cursor(static_cursor const& o) : v(o.v), a(o.a), assign(o.assign) {}
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t i, frame<S>& f) const { f = v[i]; }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S s, std::size_t i, frame<S> const&, frame<S> const& given) { sum[i] = unmasked(s, given); }
    // before any cursor finishes
    XGRAD_DETAIL_INLINE void write() noexcept {
        if (assign) detail::for_each_index<N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { a[i] = sum[i]; });
        else detail::for_each_index<N>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { a[i] += sum[i]; });
    }
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// The same of a constant.
template <class T>
struct static_const_cursor {
    T const* v;
    template <class S>
    using frame = held_t<S, T>;
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t i, frame<S>& f) const { f = v[i]; }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S, std::size_t, frame<S> const&, frame<S> const&) {}
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// A number: the same for every element, without a cotangent.
template <class T, std::size_t W>
struct number_cursor {
    pack_t<T, W> v;
    template <class S>
    using frame = held_t<S, pack_t<T, W>>;
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t, frame<S>& f) const {
        if constexpr (S::is_double) f = {v, v};
        else f = v;
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S, std::size_t, frame<S> const&, frame<S> const&) {}
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// An active scalar: its cotangent is summed in registers, and contributed once.
template <class T, std::size_t W, class Operand>
struct scalar_cursor {
    pack_t<T, W> v;
    Operand const* target;
    pack_t<T, W> sum = pack_t<T, W>(T(0));
    T rest{0};
    template <class S>
    using frame = held_t<S, pack_t<T, W>>;
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t, frame<S>& f) const {
        if constexpr (S::is_double) f = {v, v};
        else f = v;
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S s, std::size_t, frame<S> const&, frame<S> const& given) {
        auto g = unmasked(s, given);
        if constexpr (S::is_double) sum = sum + (g.a + g.b);
        else if constexpr (S::is_hot) sum = sum + g;
        else rest = rest + sum_lanes<T, W>(g, s.k);
    }
    XGRAD_DETAIL_INLINE void finish() noexcept { target->add(sum_lanes<T, W>(sum) + rest); }
};

}
XGRAD_DETAIL_QUIET_END
