// Defines join_lifetime, common_owner, check_owners and check_running_call: to which call the operands of an expression belong, and that it is one.
#pragma once

#include <type_traits>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/scope/memory/lifetime.hpp>
#include <xgrad/scope/memory/workspace.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// The lifetime of an expression: what any of its operands says; constants say nothing.
template <class... M>
struct join_lifetime { using type = void; };
template <class M, class... N>
struct join_lifetime<M, N...> { using type = M; };
template <class... N>
struct join_lifetime<void, N...> : join_lifetime<N...> {};
template <class... N>
struct join_lifetime<counted, N...> {
    using rest = typename join_lifetime<N...>::type;
    using type = std::conditional_t<std::is_void_v<rest>, counted, std::conditional_t<std::is_same_v<rest, in_common>, scoped, rest>>;
};
template <class... N>
struct join_lifetime<valued, N...> { using type = valued; };
template <class... N>
struct join_lifetime<scoped, N...> {
    using rest = typename join_lifetime<N...>::type;
    using type = std::conditional_t<std::is_same_v<rest, unchecked>, unchecked, scoped>;
};
template <class... N>
struct join_lifetime<in_common, N...> {
    using rest = typename join_lifetime<N...>::type;
    using type = std::conditional_t<std::is_void_v<rest> || std::is_same_v<rest, in_common>, in_common, typename join_lifetime<scoped, rest>::type>;
};

// The three below are objects, to be applied to a tuple of operands (flat_tuple).

// The context of an expression: that of any operand that has one, and of a call rather than of plain values.
struct find_common_owner {
    template <class... A>
    XGRAD_DETAIL_INLINE context* operator()(A const&... a) const {
        context* c = nullptr;
        (found(a, c) || ...);
        return c;
    }

private:
    template <class A>
    XGRAD_DETAIL_INLINE static bool found(A const& a, context*& c) {
        if constexpr (!A::is_active) return false;
        else {
            if (context* o = a.owner()) c = o;
            return c && !c->plain;
        }
    }
};
inline constexpr find_common_owner common_owner;

// The same of two contexts, each of which may be null. Throws where they are of two calls.
inline context* joint_owner(context* a, context* b) {
    if (a && b && !a->plain && !b->plain && a != b) contexts_meet();
    return b && (!a || a->plain) ? b : a;
}

// Throws where two operands belong to two calls.
struct refuse_two_owners {
    template <class A, class... B>
    XGRAD_DETAIL_INLINE void operator()(A const& a, B const&... b) const {
        if constexpr (!A::is_active) {
            if constexpr (sizeof...(B) > 1) (*this)(b...);
        } else if constexpr (sizeof...(B) != 0) {
            context* c = a.owner();
            (take(b, c), ...);
        }
    }

private:
    template <class B>
    XGRAD_DETAIL_INLINE static void take(B const& b, context*& c) {
        if constexpr (B::is_active) {
            context* o = b.owner();
            if (o == c) [[likely]] return;
            if (!o || o->plain) return;
            // a value of a forward derivative around this one is a constant here, told apart by its type
            if constexpr (number_dual<typename B::value_type>)
                if (!o->reverse && c && !c->reverse) return;
            if (c && !c->plain) contexts_meet();
            c = o;
        }
    }
};
inline constexpr refuse_two_owners check_owners;

// Throws where an operand belongs to another call than the one that runs. A part was itself made from what belongs to this one.
struct refuse_another_call {
    template <class... A>
    XGRAD_DETAIL_INLINE void operator()(A const&... a) const {
        (ask(a), ...);
    }

private:
    template <class A>
    XGRAD_DETAIL_INLINE static void ask(A const& a) {
        if constexpr (A::is_active && !A::is_checked) {
            context* o = a.owner();
            if (o != running_call && o && !o->plain) [[unlikely]] contexts_meet();
        }
    }
};
inline constexpr refuse_another_call check_running_call;
}

}
XGRAD_DETAIL_QUIET_END
