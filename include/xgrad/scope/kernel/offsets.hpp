// Defines offsets: how one array of a kernel lies in the kernel's iteration space.
#pragma once

#include <cstddef>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The most elements of a tile where some array is copied: they lie in the first level of the cache.
inline constexpr std::size_t staged_tile = 256;
// Of a copy of one. Where copies lie a power of two apart, a processor that compares the last bits of addresses takes what is read from one for what was
// just written to another, and waits.
template <class T>
inline constexpr std::size_t staged_bytes = staged_tile * sizeof(T) + 192;

// The shape of what a kernel goes through.
struct iteration_space {
    std::size_t const* n;
    int rank;
};
// And that of an array which broadcasts to it.
struct strided_shape {
    std::size_t const* n;
    std::ptrdiff_t const* stride;
    int rank;
    template <int R>
    XGRAD_DETAIL_INLINE strided_shape(extents<R> const& s, strides<R> const& t) : n(s.n.data()), stride(t.n.data()), rank(s.rank()) {}
    XGRAD_DETAIL_INLINE strided_shape(iteration_space s, std::ptrdiff_t const* t) : n(s.n), stride(t), rank(s.rank) {}
};

// In the place of a rank.
inline constexpr int whole_space = -1;

// How one array lies in the iteration space.
struct offsets {
    std::size_t const* shape;     // of the array
    std::ptrdiff_t const* stride;
    int rank;
    bool is_of_root;                        // of a result, which needs no copy where a tile is one element of it
    bool in_place;                          // its tiles, but for a last one that fills no step, are contiguous where they are
    bool repeats;                           // each of its tiles is the same, and no place
    bool stays;                             // each of its tiles is one element
    std::ptrdiff_t at;                      // where the row begins, if tiles are parts of rows
    std::ptrdiff_t step[max_dynamic_rank];  // from one index to the next along each axis; 0 where it is broadcast
    // of an array that takes a cotangent: all the memory that it is a part of, where it begins there, and its copies of tiles
    void const* memory;
    std::ptrdiff_t begin;
    std::byte* room;
    offsets* same;                          // the first array that is this one, too, with others between them; that takes all
    offsets* next_part;                     // that takes a cotangent in this kernel
    bool is_shared;                         // there are several
    bool is_first_part;
    bool covers;                            // nothing has been given to its memory, and it is all of that
    bool is_first;                          // what it gives comes before all else that its memory is given in this kernel
    int uses;                               // of it, one right after the other
    int met;                                // those that know their place among them

    XGRAD_DETAIL_INLINE bool is(void const* m, std::ptrdiff_t b, std::size_t const* s, std::ptrdiff_t const* t, int r) const noexcept {
        if (memory != m || begin != b || rank != r) return false;
        return (shape == s && stride == t) || lies_as(s, t);
    }
    bool lies_as(std::size_t const* s, std::ptrdiff_t const* t) const noexcept {
        for (int d = 0; d < rank; ++d)
            if (shape[d] != s[d] || stride[d] != t[d]) return false;
        return true;
    }
    bool is_broadcast(std::size_t const* space, int space_rank) const noexcept {
        for (int d = 0; d < space_rank; ++d)
            if (step[d] == 0 && space[d] != 1) return true;
        return false;
    }
    // Of an array of this rank, or of the whole space in row-major order.
    void find_steps(std::size_t const* space, int space_rank) noexcept {
        if (rank == whole_space) {
            std::ptrdiff_t size = 1;
            for (int d = space_rank - 1; d >= 0; --d) {
                step[d] = size;
                size *= static_cast<std::ptrdiff_t>(space[d]);
            }
            return;
        }
        int const lead = space_rank - rank;
        for (int d = 0; d < space_rank; ++d) step[d] = d < lead || shape[d - lead] == 1 ? 0 : stride[d - lead];
    }
};

// Of an array that is the space: f(offset, step, first, n, rows, between) of all that plan::for_each_stretch would tell of a tile that is all of it. The number
// of its elements.
template <class F>
XGRAD_DETAIL_INLINE std::size_t for_each_stretch_of(iteration_space space, strided_shape array, F f) {
    int const lead = space.rank - array.rank;
    auto const step = [&](int d) XGRAD_DETAIL_LAMBDA { return d < lead || array.n[d - lead] == 1 ? 0 : array.stride[d - lead]; };
    int const outer = space.rank - 2;
    std::size_t const n = outer > -2 ? space.n[outer + 1] : 1, rows = outer >= 0 ? space.n[outer] : 1;
    std::ptrdiff_t const inner = outer > -2 ? step(outer + 1) : 1, between = outer >= 0 ? step(outer) : 0;
    if (outer < 1) {
        f(0, inner, 0, n, rows, between);
        return n * rows;
    }
    std::size_t index[max_dynamic_rank] = {};
    std::ptrdiff_t at = 0;
    for (std::size_t done = 0;;) {
        f(at, inner, done, n, rows, between);
        done += n * rows;
        int d = outer - 1;
        for (; d >= 0 && ++index[d] == space.n[d]; --d) {
            at -= step(d) * (static_cast<std::ptrdiff_t>(space.n[d]) - 1);
            index[d] = 0;
        }
        if (d < 0) return done;
        at += step(d);
    }
}

}
XGRAD_DETAIL_QUIET_END
