// Defines stack_slot<T, M, R>: a slot on the stack, inside the formula whose value it is, of a scoped function.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/memory/context.hpp>
#include <xgrad/scope/memory/lifetime.hpp>

namespace xgrad {

// A slot on the stack, inside the formula whose value it is: of a number, or of few of them, in the shape R.
template <class T, class M, class R = rank_c<0>>
struct stack_slot {
    context* owner;  // first, a pointer between a union and the numbers: the union defect (rule/inline.hpp)
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

// A scoped value left its scope while an expression still uses it: the declared result type was a promise that this cannot be.
[[noreturn, gnu::cold, gnu::noinline]] inline void broken_promise() noexcept {
    std::fputs("xgrad[E219]: a function with a declared result type (real, result) requires that a value lives as long as what is computed from it, but a "
                      "local of a helper or of a loop's body, or a temporary, "
               "left its scope while an expression or a variable still uses it: declare the result auto, or name that "
               "value by xgrad::variable\n",
               stderr);
    std::terminate();
}

}
