// Defines the slots of small arrays of static shape in scoped functions: stack_slot<T, M, R> of a formula's value, and bound_slot<T, R> of an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <xgrad/scope/memory/stack_slot.hpp>
#include <xgrad/scope/operand/input_slot.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

namespace xgrad {

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

namespace detail {
// Of scoped functions: an argument counts nothing, and nothing can be assigned to it.
template <class T, std::size_t... N, class M>
    requires is_stacked<M>
struct input_slot<T, static_extents<N...>, M> {
    using type = bound_slot<T, static_extents<N...>>;
};
}

}
#endif
