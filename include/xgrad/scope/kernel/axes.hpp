// Defines axes: in which order a kernel goes along the axes of its iteration space, and which of them are one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <xgrad/scope/kernel/offsets.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Of a space of this shape, which `count` arrays lie in by their steps. `unit`: the elements of a step.
struct axes {
    std::size_t* shape;
    int rank;
    offsets* arrays;
    int count;
    std::size_t unit;

    // The last axis is the one along which most arrays lie in one piece: of column-major arrays the first.
    void order() noexcept {
        int last = rank - 1, most = -1;
        for (int d = rank - 1; d >= 0; --d) {
            int n = 0;
            for (int a = 0; a < count; ++a)
                if (arrays[a].step[d] == 1 && !arrays[a].is_broadcast(shape, rank)) ++n;
            if (shape[d] != 1 && n > most) {
                most = n;
                last = d;
            }
        }
        last = better_than_short(last);
        for (int d = last + 1; d < rank; ++d)
            if (shape[d] != 1) return sort(last);
    }
    // Axes of one element say nothing, and neighbours are one where every array goes on from the one to the other.
    void merge() noexcept {
        int merged = 0;
        for (int d = 0; d < rank; ++d) {
            if (shape[d] == 1) continue;
            bool goes_on = merged > 0;
            for (int a = 0; goes_on && a < count; ++a) goes_on = arrays[a].step[merged - 1] == arrays[a].step[d] * static_cast<std::ptrdiff_t>(shape[d]);
            std::size_t const n = shape[d];
            if (goes_on) shape[merged - 1] *= n;
            else shape[merged++] = n;
            for (int a = 0; a < count; ++a) arrays[a].step[merged - 1] = arrays[a].step[d];
        }
        if (merged == 0) {
            shape[merged++] = 1;
            for (int a = 0; a < count; ++a) arrays[a].step[0] = 0;
        }
        rank = merged;
    }

private:
    // Where a result is reduced along a few elements, arrays that lie in pieces would be copied in pieces as short: better along the result's own rows.
    int better_than_short(int last) const noexcept {
        bool in_pieces = false;
        for (int a = 0; a < count && shape[last] < 2 * unit; ++a) in_pieces = in_pieces || lies_in_pieces(arrays[a], last);
        for (int a = 0; a < count && in_pieces; ++a)
            if (arrays[a].is_of_root && arrays[a].step[last] == 0)
                for (int d = rank - 1; d >= 0; --d)
                    if (arrays[a].step[d] == 1 && shape[d] >= 2 * unit) return d;
        return last;
    }
    // Of an array that is the same in each row one copy is enough.
    bool lies_in_pieces(offsets const& o, int last) const noexcept {
        bool is_one = true, repeats = true;
        std::ptrdiff_t size = 1;
        for (int d = rank - 1; d >= 0; --d) {
            if (shape[d] == 1) continue;
            is_one = is_one && o.step[d] == size;
            repeats = repeats && (d == last || o.step[d] == 0);
            size *= static_cast<std::ptrdiff_t>(shape[d]);
        }
        return !o.is_of_root && !is_one && !repeats;
    }
    // Those before it by their steps, the longest first.
    [[gnu::noinline]] void sort(int last) noexcept {
        auto const swap = [this](int c, int d) {
            std::swap(shape[c], shape[d]);
            for (int a = 0; a < count; ++a) std::swap(arrays[a].step[c], arrays[a].step[d]);
        };
        auto const longest = [this](int d) {
            std::ptrdiff_t n = 0;
            for (int a = 0; a < count; ++a) n = std::max(n, arrays[a].step[d] < 0 ? -arrays[a].step[d] : arrays[a].step[d]);
            return n;
        };
        for (int d = last; d + 1 < rank; ++d) swap(d, d + 1);
        for (int d = 1; d + 1 < rank; ++d)
            for (int c = d; c > 0 && longest(c - 1) < longest(c); --c) swap(c - 1, c);
    }
};

}
XGRAD_DETAIL_QUIET_END
