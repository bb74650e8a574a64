// Defines slot<T, R>: where a shared value lives: its value, its cotangent, and what is still owed to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <type_traits>
#include <utility>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/rule/memory.hpp>
#include <xgrad/scope/memory/context.hpp>

namespace xgrad {

// How a gradient call keeps numbers and small arrays: in the workspace (the default), or on the stack of a function that declares its result
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
inline constexpr bool is_explained = std::is_same_v<typename N::lifetime, explained>;
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
        if (has_cotangent) return;
        has_cotangent = true;
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
        has_cotangent = true;
    }
};

// A slot on the stack, inside the formula whose value it is: of a number, or of few of them, in the shape R.
template <class T, class M, class R = rank_c<0>>
struct stack_slot {
    context* owner;  // first: g++ takes numbers that lie beside a union for what may be addresses, but for a pointer between them
    T value;
    T cotangent;
    bool has_cotangent;
    std::uint32_t owed;
    XGRAD_DETAIL_INLINE void open(T const& v) noexcept {
        value = v;
        cotangent = T(-0.0);  // -0 + g is g
        has_cotangent = false;
        owed = 0;
        owner = running_call;
    }
    XGRAD_DETAIL_INLINE void add(T const& g) noexcept {
        cotangent = cotangent + g;
        has_cotangent = true;
    }
};

template <class T>
struct stack_slot<T, unchecked, rank_c<0>> {
    T value;
    T cotangent;
    bool has_cotangent;
    XGRAD_DETAIL_INLINE void open(T const& v) noexcept {
        value = v;
        cotangent = T(-0.0);  // -0 + g is g
        has_cotangent = false;
    }
    XGRAD_DETAIL_INLINE void add(T const& g) noexcept {
        cotangent = cotangent + g;
        has_cotangent = true;
    }
};

template <class T, class M, std::size_t... N>
struct stack_slot<T, M, static_extents<N...>> {
    using R = static_extents<N...>;
    static constexpr extents<R::value> shape = R::shape;
    static constexpr strides<R::value> stride = R::stride;
    static constexpr std::size_t size = R::size;
    static constexpr bool contiguous = true;
    context* owner = nullptr;
    T value[size];
    T cotangent[size];
    bool has_cotangent = false;
    std::uint32_t owed = 0;  // counted in scoped functions

    XGRAD_DETAIL_INLINE stack_slot() noexcept {}
    XGRAD_DETAIL_INLINE void open(context* c) noexcept {
        has_cotangent = false;
        owed = 0;
        owner = c;
    }
    XGRAD_DETAIL_INLINE stack_slot(stack_slot const& o) noexcept { *this = o; }
    XGRAD_DETAIL_INLINE stack_slot& operator=(stack_slot const& o) noexcept {
        detail::for_each_index<size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { value[i] = o.value[i]; });
        if ((has_cotangent = o.has_cotangent)) detail::for_each_index<size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { cotangent[i] = o.cotangent[i]; });
        owed = o.owed;
        owner = o.owner;
        return *this;
    }
    XGRAD_DETAIL_INLINE void ensure_cotangent() noexcept {
        if (std::exchange(has_cotangent, true)) return;
        detail::for_each_index<size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { cotangent[i] = T(0); });
    }
};

// The slot of an argument of fixed shape in such a function: the caller's elements, and the place of their gradient.
template <class T, class R>
struct bound_slot {
    static constexpr extents<R::value> shape = R::shape;
    static constexpr strides<R::value> stride = R::stride;
    static constexpr std::size_t size = R::size;
    static constexpr bool contiguous = true;
    T* value;
    T* cotangent;
    context* owner;
    bool has_cotangent;

    XGRAD_DETAIL_INLINE bound_slot() noexcept {}
    XGRAD_DETAIL_INLINE void ensure_cotangent() noexcept {
        if (std::exchange(has_cotangent, true)) return;
        detail::for_each_index<size>([&](std::size_t i) XGRAD_DETAIL_LAMBDA { cotangent[i] = T(0); });
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
