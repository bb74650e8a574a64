// Defines join_lifetime, common_owner, check_owners and check_call: to which call the operands of an expression belong, and that it is one.
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

// The context of an expression: that of any operand that has one, and of a call rather than of plain values.
template <class... A>
XGRAD_DETAIL_INLINE context* common_owner(A const&... a) {
    context* c = nullptr;
    auto found = [&c](auto const& x) XGRAD_DETAIL_LAMBDA {
        if constexpr (!std::remove_cvref_t<decltype(x)>::is_active) return false;
        else {
            if (context* o = x.owner()) c = o;
            return c && !c->plain;
        }
    };
    (found(a) || ...);
    return c;
}

// The same of two contexts, each of which may be null. Throws where they are of two calls.
inline context* joint_owner(context* a, context* b) {
    if (a && b && !a->plain && !b->plain && a != b) contexts_meet();
    return b && (!a || a->plain) ? b : a;
}

// Throws where two operands belong to two calls.
template <class A, class... B>
XGRAD_DETAIL_INLINE void check_owners(A const& a, B const&... b) {
    if constexpr (!A::is_active) {
        if constexpr (sizeof...(B) > 1) check_owners(b...);
    } else {
        context* c = a.owner();
        auto take = [&c](auto const& x) XGRAD_DETAIL_LAMBDA {
            if constexpr (std::remove_cvref_t<decltype(x)>::is_active) {
                context* o = x.owner();
                if (o == c) [[likely]] return;
                if (!o || o->plain) return;
                // a value of a forward derivative around this one is a constant here, told apart by its type
                if constexpr (number_dual<typename std::remove_cvref_t<decltype(x)>::value_type>)
                    if (!o->reverse && c && !c->reverse) return;
                if (c && !c->plain) contexts_meet();
                c = o;
            }
        };
        (take(b), ...);
    }
}

// Throws where an operand belongs to another call than the one that runs. A part was itself made from what belongs to this one.
template <class... A>
XGRAD_DETAIL_INLINE void check_call(A const&... a) {
    auto take = [](auto const& x) XGRAD_DETAIL_LAMBDA {
        using X = std::remove_cvref_t<decltype(x)>;
        if constexpr (X::is_active && !X::is_checked) {
            context* o = x.owner();
            if (o != running_call && o && !o->plain) [[unlikely]] contexts_meet();
        }
    };
    (take(a), ...);
}
}

}
XGRAD_DETAIL_QUIET_END
