// Defines as_counted<A>: an operand, or a node, whose formula is counted in the workspace, whatever it is made of.
#pragma once

#include <xgrad/rule/inline.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/memory/lifetime.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// What is on a stack, or a constant, goes through a counted slot: an operand, or the node of a formula.
template <class A>
struct as_counted : A {
    using lifetime = counted;
    XGRAD_DETAIL_INLINE explicit as_counted(A&& a) : A(static_cast<A&&>(a)) {}
};
}
template <class A>
struct subtrees<detail::as_counted<A>> : subtrees<A> {};

}
XGRAD_DETAIL_QUIET_END
