// Defines what a node is: an operation with its operands, as a formula holds it.
#pragma once

#include <concepts>

#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/operand/operand.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A node is an operation with its operands: what a formula holds until its value is in a slot. An elementwise one becomes part of a kernel
// (node/elementwise.hpp); any other has a slot of its own, and says
//   value_type, rank, lifetime, is_batch                as an operand does
//   takes_one_pass                                      whether its seed is known before its value, and value_and_pull is one pass over the operands
//   is_found_by_prepare                                 whether a scalar result is there as soon as the operands are
//   owner(), check()                                    the call that the operands belong to; throws where they belong to two
//   prepare()                                           evaluates the operands, as far as it needs them in memory; may throw, as extent and evaluate may
//   extent()                                            the shape
//   evaluate(y)                                         the value, into y.value, which has y.shape, y.stride and y.size elements
//   pull(y)                                             y.cotangent, on to the operands; cannot fail
//   value(), pull(g, y), value_and_pull(g)              the same of a number
//   pulls_without_value                                 where it is said and true: what pull reads of y.value does not count
// node/stack.hpp is the shortest of them. A node that keeps something beside its value in the slot names its type `kept`.

// Whether an operand is a reduction, or a linear expression of some: its seed is known before its value, so both take one pass.
template <class A>
inline constexpr bool takes_one_pass = false;

namespace detail {
// Whether an operand is a formula of numbers that has moved in, whose own operands are asked.
template <class A>
inline constexpr bool is_tree = false;
// Whether all active operands belong to one call, to that of c, if it is not null; then it is that of the first one.
struct belong_to_one {
    context*& c;
    template <class... A>
    XGRAD_DETAIL_INLINE bool operator()(A const&... a) const {
        return (belongs(a) && ...);
    }

private:
    template <class A>
    XGRAD_DETAIL_INLINE bool belongs(A const& a) const {
        if constexpr (!A::is_active) return true;
        else if constexpr (is_tree<A>) return a.node_at().belongs_to_one(c);
        else {
            context* const o = a.owner();
            if (!c) c = o;
            return o == c;
        }
    }
};
}

namespace detail {
// The same as prepare where the value is wanted once, and the cotangent, if any, with it: a node may have a way of its own. seed: the cotangent, where it is
// known already and what throws ends the call; null elsewhere.
template <class N, class T>
XGRAD_DETAIL_INLINE void prepare_delivery(N const& n, [[maybe_unused]] T const* seed) {
    if constexpr (requires { n.prepare_and_pull(*seed); }) {
        if (seed) n.prepare_and_pull(*seed);
        else n.prepare();
    } else if constexpr (requires { n.prepare_delivery(); }) n.prepare_delivery();
    else n.prepare();
}
}

// An operand whose value is there.
template <class A>
concept known_value = requires(A const& a) {
    { a.forward() } -> std::convertible_to<typename A::value_type>;
};

}
XGRAD_DETAIL_QUIET_END
