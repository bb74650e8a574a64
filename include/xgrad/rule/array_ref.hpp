// Defines array_ref<T, R>: where an array lies in memory: what array rules read, and what they write or add to.
#pragma once

#include <cstddef>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/memory.hpp>

namespace xgrad {

// T may be const. Strides count elements; R may be dynamic_rank.
template <class T, int R>
struct array_ref {
    using value_type = std::remove_const_t<T>;
    static constexpr int rank = R;
    memory_t<T> data;
    extents<R> shape;
    strides<R> stride;
};

// The rule of an operation on whole arrays, one struct an operation:
//   static constexpr int rank<Rx...>                        the rank of the result, or dynamic_rank
//   static extents<R> shape(extents<Rx> const&...)          throws std::invalid_argument with the shapes where they do not fit
//   static void value(array_ref<T, R> y, array_ref<T const, Rx>... x) noexcept
//   template <int I> static void pullback(array_ref<T, Rx_I> xbar, bool add, array_ref<T const, R> ybar, array_ref<T const, R> y,
//                                         array_ref<T const, Rx>... x) noexcept        assigns or adds to the cotangent of operand I
// y and xbar never share memory with an operand. Nothing is allocated.
// An Op that holds something (an axis) is the first argument of each, by const&. Indices and conditions are plain operands of an integer type.
// What value keeps for the pullbacks has room in the memory of the call, if the rule asks for it:
//   static constexpr bool has_scratch = true;   static std::size_t scratch(extents<Rx> const&...)   how many std::ptrdiff_t
// value and pullback then take a std::ptrdiff_t* before the other arguments.
template <class Op>
struct array_rule;

template <class Op>
concept has_array_rule = requires { sizeof(array_rule<Op>); };

// The rule of a reduction, which is computed element by element without a temporary:
//   static T identity<T>()             what the accumulation begins with
//   static auto combine(acc, x)        both packs or both scalars
//   static T finish(acc, count)        the result, from the accumulated value and the number of elements
//   static auto partial(y, x, count)   dy/dx
//   static constexpr bool linear       partial needs neither y nor x: value and pullback are one pass
//   static void check(count)           throws where the number of elements allows no result
template <class Op>
struct reduction;

template <class Op>
concept has_reduction = requires { sizeof(reduction<Op>); };

}
