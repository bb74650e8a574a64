// Defines slot<T, R>: where a shared value lives: its value, its cotangent, and what is still owed to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <type_traits>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/rule/memory.hpp>
#include <xgrad/scope/context.hpp>

namespace xgrad {

// How a gradient call keeps scalar values: in the workspace (the default), or on the stack of a function that declares its result
// type, where they count what is owed (scoped) or do not (unchecked: the author's promise is believed).
struct counted {};
struct scoped {};
struct unchecked {};
// As counted, by explain(f, x...), which is told of everything that is computed: hooks_of_explained is defined by xgrad/explain.hpp.
struct explained {};
namespace detail {
template <class N>
struct hooks_of_explained;
template <class N>
inline constexpr bool is_explained = std::is_same_v<typename N::mode, explained>;
}

// Functions in these modes are only called to go backward.
template <class M>
inline constexpr bool is_stacked = std::is_same_v<M, scoped> || std::is_same_v<M, unchecked>;

template <class T, class R>
struct slot : slot_base {
    memory_t<T> value = nullptr;
    memory_t<T> cotangent = nullptr;
    extents<R::value> shape;
    strides<R::value> stride;
    std::size_t size = 0;
    bool contiguous = true;
    slot* version = nullptr;  // of an argument that was assigned to: the slot of its newest value

    // Makes the cotangent valid before the first contribution that does not cover all of it.
    void ensure_cotangent() noexcept {
        if (has) return;
        has = true;
        if (contiguous) {
            for (std::size_t i = 0; i < size; ++i) cotangent[i] = T(0);
            return;
        }
        fill(cotangent, 0);
    }

private:
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
        has = true;
    }
};

// A scalar slot on the stack, inside the formula whose value it is.
template <class T, class M>
struct stack_slot {
    T value;
    T cotangent;
    bool has;
    std::uint32_t owed;
    context* owner;
    XGRAD_DETAIL_INLINE void open(T const& v) noexcept {
        value = v;
        cotangent = T(-0.0);  // -0 + g is g
        has = false;
        owed = 0;
        owner = running_call;
    }
    XGRAD_DETAIL_INLINE void add(T const& g) noexcept {
        cotangent = cotangent + g;
        has = true;
    }
};

template <class T>
struct stack_slot<T, unchecked> {
    T value;
    T cotangent;
    bool has;
    XGRAD_DETAIL_INLINE void open(T const& v) noexcept {
        value = v;
        cotangent = T(-0.0);  // -0 + g is g
        has = false;
    }
    XGRAD_DETAIL_INLINE void add(T const& g) noexcept {
        cotangent = cotangent + g;
        has = true;
    }
};

// A scoped value left its scope while an expression still uses it: the declared result type was a promise that this cannot be.
[[noreturn, gnu::cold, gnu::noinline]] inline void broken_promise() noexcept {
    std::fputs(
        "xgrad: a function with a declared result type (real, result) requires that a value lives as long as what is computed from it, but a local of a helper "
        "or of a loop's body, or a temporary, left its scope while an expression or a variable still uses it: declare the result auto, or name that value by xgrad::variable\n",
        stderr);
    std::terminate();
}

}
