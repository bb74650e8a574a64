// Defines slot<T, R>: where a shared value lives in the workspace: its value, its cotangent, and what is still owed to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/rule/memory.hpp>
#include <xgrad/scope/memory/context.hpp>
#include <xgrad/scope/memory/deferral.hpp>

namespace xgrad {

template <class T, class R>
struct slot : slot_base {
    memory_t<T> value = nullptr;
    memory_t<T> cotangent = nullptr;
    extents<R::value> shape;
    strides<R::value> stride;
    std::size_t size = 0;
    bool contiguous = true;
    bool was_deferred = false;  // its arrays, if it has them, lie apart
    // Of memory with room for whole packs: how many elements may be read, which is 0, or more than `size`. Those behind are what the last one is, and get no
    // cotangent that counts: what fills no step is computed where it is.
    std::size_t filled = 0;
    deferral const* deferred = nullptr;  // of a name that nobody has asked for as a whole: its value and cotangent are those of one stretch
    slot* version = nullptr;  // of an argument that was assigned to: its newest version; of a version: the one before

    // Makes the cotangent valid before the first contribution that does not cover all of it.
    XGRAD_DETAIL_INLINE void ensure_cotangent() noexcept {
        if (!has_cotangent) clear_cotangent();
    }

private:
    [[gnu::noinline]] void clear_cotangent() noexcept {
        has_cotangent = true;
        if (contiguous) {
            for (std::size_t i = 0, n = std::max(size, filled); i < n; ++i) cotangent[i] = T(0);
            return;
        }
        fill(cotangent, 0);
    }
    void fill(memory_t<T> p, int d) noexcept {
        if (d == shape.rank()) *p = T(0);
        else
            for (std::size_t i = 0; i < shape[d]; ++i) fill(p + static_cast<std::ptrdiff_t>(i) * stride[d], d + 1);
    }
};

template <class T>
struct slot<T, rank_c<0>> : slot_base {
    T value{};
    T cotangent{};
    XGRAD_DETAIL_INLINE void add(T const& g) noexcept {
        cotangent = cotangent + g;
        has_cotangent = true;
    }
};

}
