// Defines the cursors of a kernel: how each leaf of an elementwise tree is read, element by element, and takes its cotangent.
#pragma once

#include <array>
#include <cstddef>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/scope/slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// How the iteration space lies to the leaves. flat: every leaf is all of it, contiguous: one long row. rows: every leaf has unit
// stride along the last dimension. general: anything else (broadcast columns, other layouts, strided views).
enum class layout { flat, rows, general };

constexpr layout worst(layout a, layout b) { return a > b ? a : b; }

// A step inside a row. Hot: W elements of unit stride. Cold: k <= W elements of any stride.
struct hot {
    static constexpr bool is_hot = true;
};
struct cold {
    static constexpr bool is_hot = false;
    std::size_t k;
};

// A step in which some elements contribute nothing, whatever is made of their cotangents on the way: 0 times an infinite derivative is no number.
template <class S, class M>
struct masked_step : S {
    M none;
};
template <class S, class M>
XGRAD_DETAIL_INLINE auto masked(S const& s, M const& none) {
    if constexpr (requires { s.none; }) {
        S r = s;
        r.none = r.none || none;
        return r;
    } else return masked_step<S, M>{s, none};
}
template <class S, class G>
XGRAD_DETAIL_INLINE G unmasked([[maybe_unused]] S const& s, G const& g) {
    if constexpr (requires { s.none; }) return choose(s.none, zero(g), g);
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
    using frame = pack_t<T, W>;
    XGRAD_DETAIL_INLINE void advance(int d) { w.advance(d); }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) { w.rewind(d, n); }
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S s, std::size_t i, frame& f) const {
        auto const p = v + w.at;
        if constexpr (S::is_hot) f = load<T, W>(p + i);
        else f = load<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k);
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S, std::size_t, frame const&, frame const&) {}
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// An array in memory and its cotangent. `assign`: this is the first contribution, and it covers everything.
template <class T, std::size_t W, int N>
struct array_cursor {
    memory_t<T const> v;
    memory_t<T> a;
    bool assign;
    walk<N> w;
    using frame = pack_t<T, W>;
    XGRAD_DETAIL_INLINE void advance(int d) { w.advance(d); }
    XGRAD_DETAIL_INLINE void rewind(int d, std::size_t n) { w.rewind(d, n); }
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S s, std::size_t i, frame& f) const {
        auto const p = v + w.at;
        if constexpr (S::is_hot) f = load<T, W>(p + i);
        else f = load<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k);
    }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S s, std::size_t i, frame const&, frame const& given) {
        auto const g = unmasked(s, given);
        auto const p = a + w.at;
        if constexpr (S::is_hot) {
            if (assign) store<T, W>(p + i, g);
            else store<T, W>(p + i, load<T, W>(p + i) + g);
        } else store<T, W>(p + static_cast<std::ptrdiff_t>(i) * w.inner, w.inner, s.k, g, !assign);
    }
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// A number: the same for every element, without a cotangent.
template <class T, std::size_t W>
struct number_cursor {
    pack_t<T, W> v;
    using frame = pack_t<T, W>;
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t, frame& f) const { f = v; }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S, std::size_t, frame const&, frame const&) {}
    XGRAD_DETAIL_INLINE void finish() noexcept {}
};

// An active scalar: its cotangent is summed in registers, and contributed once.
template <class T, std::size_t W, class Operand>
struct scalar_cursor {
    pack_t<T, W> v;
    Operand const* target;
    pack_t<T, W> sum = pack_t<T, W>(T(0));
    T rest{0};
    using frame = pack_t<T, W>;
    XGRAD_DETAIL_INLINE void advance(int) {}
    XGRAD_DETAIL_INLINE void rewind(int, std::size_t) {}
    template <class S>
    XGRAD_DETAIL_INLINE void forward(S, std::size_t, frame& f) const { f = v; }
    template <class S>
    XGRAD_DETAIL_INLINE void backward(S s, std::size_t, frame const&, frame const& given) {
        auto const g = unmasked(s, given);
        if constexpr (S::is_hot) sum = sum + g;
        else rest = rest + sum_lanes<T, W>(g, s.k);
    }
    XGRAD_DETAIL_INLINE void finish() noexcept { target->add(sum_lanes<T, W>(sum) + rest); }
};

}
XGRAD_DETAIL_QUIET_END
