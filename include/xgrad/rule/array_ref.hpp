// Defines array_ref<T, R>: where an array lies in memory: what array rules read, and what they write or add to.
#pragma once

#include <cstddef>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>
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
// y and xbar never share memory with an operand, but with one that a rule with places for its operands (scope/node/array.hpp) finds there already. Nothing is
// allocated.
// An Op that holds something (an axis) is the first argument of each, by const&. Indices and conditions are plain operands of an integer type.
// What value keeps for the pullbacks has room in the memory of the call, if the rule asks for it:
//   static constexpr bool has_scratch = true;   static std::size_t scratch(extents<Rx> const&...)   how many std::ptrdiff_t
// value and pullback then take a std::ptrdiff_t* before the other arguments.
template <class Op>
struct array_rule;

template <class Op>
concept has_array_rule = requires { sizeof(array_rule<Op>); };

// Beside an array_rule, the rule of the same operation on arrays of numbers T whose shapes X are known at compile time (static_extents), in row-major order.
// All memory is T*, so that nothing is left of a loop:
//   using shape_type                                        static_extents<...> of the result, or rank_c<0>
//   struct kept                                             what value keeps for pullback
//   static bool value(kept&, T* y, static_operands<T, n> const& x)        false: this is for the array_rule; std::true_type where nothing is
//   static void pullback(kept const&, T const* ybar, T const* y, static_operands<T, n> const& x, static_targets<T, n> const& xbar) noexcept
// The targets of a constant are null. Two may be one: they are written or added to one after the other.
template <class Op, class T, class... X>
struct static_rule;

// y = x, one of n numbers. Those that fill no vectors go to memory one by one: to pack them takes longer than the stores do.
template <std::size_t n, class T>
XGRAD_DETAIL_INLINE void put_one_of(T& y, T const& x, bool in_memory = true) noexcept {
    if (n * sizeof(T) % 16 != 0 && in_memory) *const_cast<T volatile*>(&y) = x;
    else y = x;
}
template <class T, std::size_t N>
struct static_operands {
    T const* data[N];
    constexpr T const* operator[](std::size_t i) const { return data[i]; }
};
template <class T, std::size_t N>
struct static_targets {
    T* data[N];
    bool add[N];
    bool is_off_stack[N];  // not on the stack
    // The I-th target, of n elements, is f(k) each, or has that added.
    template <std::size_t I, std::size_t n, class F>
    XGRAD_DETAIL_INLINE void give(F const& f) const {
        T* __restrict const p = data[I];
        [&]<std::size_t... k>(std::index_sequence<k...>) XGRAD_DETAIL_LAMBDA {
            if (add[I]) (put_one_of<n>(p[k], T(p[k] + f(k)), is_off_stack[I]), ...);
            else (put_one_of<n>(p[k], T(f(k)), is_off_stack[I]), ...);
        }(std::make_index_sequence<n>{});
    }
};

// The rule of a reduction that is computed element by element, in one loop with the formula that it reduces and without a temporary:
//   static T identity<T>()             what the accumulation begins with
//   static auto combine(a, b)          of elements and of what is accumulated, in any order: both packs or both scalars
//   static T finish(acc, count)        the result, from the accumulated value and the number of elements
//   static auto partial(y, x, count)   dy/dx
//   static constexpr bool linear       partial needs neither y nor x: value and pullback are one pass
//   static constexpr bool sums         combine is a + b, which lanes of a register have instructions for; it is not where this is left out
//   static auto map(x)                 what an element contributes; the element itself where it is left out
//   static auto weight(y, ybar)        what partial is multiplied with; ybar where it is left out
//   using scaled, static T scale(acc)  a rule whose map(x, c) takes c x, and its c where this sum lost its precision, otherwise 1: then c times the result
//                                      is computed by another pass; may be left out
//   static void check(count)           throws where the number of elements allows no result
template <class Op>
struct reduction;

template <class Op>
concept has_reduction = requires { sizeof(reduction<Op>); };

namespace detail {

template <class Rule, class P>
XGRAD_DETAIL_INLINE auto element_by(P const& x, [[maybe_unused]] P const& scale) {
    if constexpr (requires { Rule::map(x, scale); }) return Rule::map(x, scale);
    else if constexpr (requires { Rule::map(x); }) return Rule::map(x);
    else return x;
}
template <class Rule, class P>
XGRAD_DETAIL_INLINE P weight_of([[maybe_unused]] P const& y, P const& ybar) {
    if constexpr (requires { Rule::weight(y, ybar); }) return Rule::weight(y, ybar);
    else return ybar;
}
template <class Rule>
concept may_scale = requires { typename Rule::scaled; };

}

}
