// Defines how a pack of items meets memory: its lanes are read and added to wherever they lie, one by one where they are not neighbours.
#pragma once

#include <cstddef>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/rule/pack.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A pack of these numbers.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE pack_t<T, W> load_lanes(T const* t) {
    if constexpr (W == 1) return *t;
    else if constexpr (number_dual<T>) {
        using P = typename T::primal_type;
        alignas(64) P one[W];
        for (std::size_t j = 0; j < W; ++j) one[j] = t[j].primal;
        pack_t<T, W> x(load_lanes<P, W>(one));
        for (std::size_t i = 0; i < T::count; ++i) {
            for (std::size_t j = 0; j < W; ++j) one[j] = t[j].direction(i);
            x.direction(i) = load_lanes<P, W>(one);
        }
        return x;
    } else return pack_t<T, W>::load_unaligned(t);
}

// A pack of the elements p[at(0)], p[at(1)], ...; is_row says that these are neighbours.
template <class T, std::size_t W, class Memory, class At>
XGRAD_DETAIL_INLINE pack_t<T, W> read_lanes(Memory const& p, bool is_row, At const& at) {
    if constexpr (W == 1) return T(p[at(0)]);
    else {
        if constexpr (std::is_same_v<Memory, memory_t<T const>>)
            if (is_row) return load<T, W>(p + at(0));
        T t[W];
        for (std::size_t j = 0; j < W; ++j) t[j] = T(p[at(j)]);
        return load_lanes<T, W>(t);
    }
}

// A pack becomes what they are.
template <class T, std::size_t W, class At>
XGRAD_DETAIL_INLINE void put_lanes(memory_t<T> const& p, bool is_row, pack_t<T, W> const& g, At const& at) {
    if (is_row) store<T, W>(p + at(0), g);
    else {
        T t[W];
        store_lanes<T, W>(t, g);
        for (std::size_t j = 0; j < W; ++j) p[at(j)] = t[j];
    }
}

// Adds a pack to them, the first lane first: two lanes may have one element.
template <class T, std::size_t W, class At>
XGRAD_DETAIL_INLINE void add_lanes(memory_t<T> const& p, bool is_row, pack_t<T, W> const& g, At const& at) {
    if constexpr (W == 1) p[at(0)] = T(T(p[at(0)]) + g);
    else if (is_row) {
        auto const to = p + at(0);
        store<T, W>(to, pack_t<T, W>(load<T, W>(memory_t<T const>(to)) + g));
    } else {
        T t[W];
        store_lanes<T, W>(t, g);
        for (std::size_t j = 0; j < W; ++j) p[at(j)] = T(T(p[at(j)]) + t[j]);
    }
}

// The sum of the lanes, the first one first.
template <class T, std::size_t W>
XGRAD_DETAIL_INLINE T sum_of_lanes(pack_t<T, W> const& x) {
    if constexpr (W == 1) return x;
    else {
        T t[W];
        store_lanes<T, W>(t, x);
        T s = t[0];
        for (std::size_t j = 1; j < W; ++j) s = s + t[j];
        return s;
    }
}

}
XGRAD_DETAIL_QUIET_END
