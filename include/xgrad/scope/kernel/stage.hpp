// Defines stage_in and stage_out: how a tile that does not lie in one piece in an array comes to lie so in a kernel's own memory, and back.
#pragma once

#include <algorithm>
#include <cstddef>

#include <xgrad/rule/memory.hpp>
#include <xgrad/scope/kernel/plan.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Copies the tile to `room`. Of one that fills no step of W elements (of two packs, if Pair) the last element is repeated, so that nothing is computed that the
// others do not compute; or, if Cotangent, 0: from there nothing comes.
template <class T, class Step, bool Cotangent = false>
[[gnu::noinline]] void stage_in(plan const& p, offsets const* o, memory_t<T const> from, memory_t<T> room) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        stage_in<P, Step, Cotangent>(p, o, from.primal(), room.primal());
        for (std::size_t k = 0; k < T::count; ++k) stage_in<P, Step, Cotangent>(p, o, from.direction(k), room.direction(k));
    } else {
        auto const copy = [&](std::ptrdiff_t at, std::ptrdiff_t step, std::size_t first, std::size_t n) XGRAD_DETAIL_LAMBDA {
            T const* x = from + at;
            T* y = room + first;
            if (step == 1)
                for (std::size_t i = 0; i < n; ++i) y[i] = x[i];
            else if (step == 0) std::fill(y, y + n, *x);
            else
                for (std::size_t i = 0; i < n; ++i) y[i] = x[static_cast<std::ptrdiff_t>(i) * step];
        };
        if (!p.partial) return p.for_each_stretch(o, copy);
        constexpr std::size_t unit = Step::size;
        if (p.is_in_row(o)) {
            // a loop that compilers turn into one masked load
            T const* x = from + p.offset(o);
            std::size_t const n = p.size;
            T const last = Cotangent ? T(0) : x[n - 1];
            for (std::size_t i = 0; i < unit; ++i) room[i] = i < n ? x[i] : last;
            return;
        }
        p.for_each_stretch(o, copy);
        T const last = Cotangent ? T(0) : T(room[p.size - 1]);
        for (std::size_t i = p.size; i < unit; ++i) room[i] = last;
    }
}

struct add_values {
    XGRAD_DETAIL_INLINE auto operator()(auto const& a, auto const& b) const { return a + b; }
};

// f of n > 0 neighbours: of several chains, so that none waits for the other.
template <class T, class F>
XGRAD_DETAIL_INLINE T fold_run(T const* x, std::size_t n, F f) {
    constexpr std::size_t chains = 8;
    if (n < 2 * chains) {
        T y = x[0];
        for (std::size_t i = 1; i < n; ++i) y = f(y, x[i]);
        return y;
    }
    T y[chains];
    for (std::size_t j = 0; j < chains; ++j) y[j] = x[j];
    std::size_t i = chains;
    for (; i + chains <= n; i += chains)
        for (std::size_t j = 0; j < chains; ++j) y[j] = f(y[j], x[i + j]);
    for (std::size_t j = 0; i < n; ++i, ++j) y[j] = f(y[j], x[i]);
    for (std::size_t m = chains / 2; m != 0; m /= 2)
        for (std::size_t j = 0; j < m; ++j) y[j] = f(y[j], y[j + m]);
    return y[0];
}

// Writes the tile in `room` to where it belongs, or adds it there.
template <class T, class Step>
[[gnu::noinline]] void stage_out(plan const& p, offsets const* o, memory_t<T const> room, memory_t<T> to, bool add) {
    if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        stage_out<P, Step>(p, o, room.primal(), to.primal(), add);
        for (std::size_t k = 0; k < T::count; ++k) stage_out<P, Step>(p, o, room.direction(k), to.direction(k), add);
    } else {
        if (p.partial && p.is_in_row(o)) {
            T* y = to + p.offset(o);
            std::size_t const n = p.size;
            if (add) {
                for (std::size_t i = 0; i < Step::size; ++i)
                    if (i < n) y[i] = y[i] + room[i];
            } else
                for (std::size_t i = 0; i < Step::size; ++i)
                    if (i < n) y[i] = room[i];
            return;
        }
        p.for_each_stretch(o, [&](std::ptrdiff_t at, std::ptrdiff_t step, std::size_t first, std::size_t n) XGRAD_DETAIL_LAMBDA {
            T const* x = room + first;
            T* y = to + at;
            if (step == 0 && add) *y = *y + fold_run(x, n, add_values());
            else if (add)
                for (std::size_t i = 0; i < n; ++i) {
                    T& z = y[static_cast<std::ptrdiff_t>(i) * step];
                    z = z + x[i];
                }
            else
                for (std::size_t i = 0; i < n; ++i) y[static_cast<std::ptrdiff_t>(i) * step] = x[i];
        });
    }
}

}
XGRAD_DETAIL_QUIET_END
