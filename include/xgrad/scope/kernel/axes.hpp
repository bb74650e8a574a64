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

    // The last axis is the one along which most arrays lie in one piece: of column-major arrays the first. Where it is short, and arrays would be copied in
    // pieces as short, it is a long one: whether it is.
    bool order() noexcept {
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
        for (int d = last + 1; d < rank; ++d)
            if (shape[d] != 1) {
                sort(last);
                last = rank - 1;
            }
        if (shape[last] >= 4 * unit) return false;
        float least = work_where_last(last) / 2;  // it is an estimate
        int long_one = -1;
        for (int d = last - 1; d >= 0; --d) {
            if (shape[d] < 4 * unit) continue;
            float const work = work_of_rows(d);
            if (work >= least) continue;
            least = work;
            long_one = d;
        }
        if (long_one < 0) return false;
        sort(long_one);
        return true;
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
    // About how many instructions an element takes to be copied: in pieces of n elements, and once more on the way back; or to be reduced to one of n.
    static float work_of_copy(offsets const& o, int d, std::size_t n) noexcept {
        float const rows = 1 / static_cast<float>(n);
        if (o.step[d] == 0) return 1 + (o.memory ? 20 : 10) * rows;  // by whole packs (short_rows.hpp)
        return (3 + 45 * rows) * (o.is_of_root || o.memory ? 2 : 1);
    }
    // How many all arrays take where the axis d is in rows, and where it is the last one, and short.
    float work_of_rows(int d) const noexcept {
        float work = 60 / static_cast<float>(shape[d]);
        for (int a = 0; a < count; ++a)
            if (arrays[a].step[d] != 0 && arrays[a].step[d] != 1) work += work_of_copy(arrays[a], d, shape[d]);
        return work;
    }
    float work_where_last(int d) const noexcept {
        float work = 0;
        for (int a = 0; a < count; ++a)
            if (lies_in_pieces(arrays[a], d)) work += work_of_copy(arrays[a], d, shape[d]);
        return work;
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
        return !is_one && !repeats;
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
