// Defines broadcast_into: the shape that operands broadcast to, and the refusal of those that do not.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

#include <xgrad/rule/extents.hpp>
#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// Whether this shape broadcasts with that one, which takes it in.
template <int R, int A>
XGRAD_DETAIL_INLINE bool broadcast_into(extents<R>& s, extents<A> const& a) {
    if constexpr (R == dynamic_rank) {
        if (a.rank() > s.rank()) {
            extents<R> wide{};
            int lead = a.rank() - s.rank();
            wide.set_rank(a.rank());
            for (int d = 0; d < a.rank(); ++d) wide[d] = d < lead ? 1 : s[d - lead];
            s = wide;
        }
    }
    int lead = s.rank() - a.rank();
    for (int d = 0; d < a.rank(); ++d) {
        auto& n = s[d + lead];
        if (n == a[d] || a[d] == 1) continue;
        if (n != 1) return false;
        n = a[d];
    }
    return true;
}
// The same of an operand; a number takes any shape.
template <int R, class A>
XGRAD_DETAIL_INLINE bool broadcast_operand_into(extents<R>& s, A const& a) {
    if constexpr (A::rank == 0) return true;
    else return broadcast_into(s, a.extent());
}

// Whether that shape broadcasts to this one, which stays as it is.
template <int R, int A>
bool broadcasts_to(extents<R> const& s, extents<A> const& a) {
    auto both = s;
    return a.rank() <= s.rank() && broadcast_into(both, a) && both == s;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_broadcast_of(char const* op, std::initializer_list<std::string> shapes) {
    std::string text;
    for (std::string const& s : shapes) text.append(text.empty() ? "" : " and ").append(s);
    throw std::invalid_argument(std::string("xgrad[E201]: ") + op + " requires operands whose shapes broadcast, found " + text + ": reshape one of them");
}
template <class... S>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_broadcast(char const* op, S const&... shapes) {
    refuse_broadcast_of(op, {to_string(shapes)...});
}
// The same of the shapes of operands. A function of its own: what is inlined twice in an operation would be twice twice in one that it is an operand of.
template <class... A>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_to_broadcast(char const* op, A const&... a) {
    refuse_broadcast(op, a.extent()...);
}
}

}
XGRAD_DETAIL_QUIET_END
