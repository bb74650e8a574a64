// Defines valued_number<T>: a number of a call that never goes backward: an argument, an element, or what was computed of such.
#pragma once

#include <cstring>
#include <type_traits>

#include <xgrad/scope/memory/context.hpp>
#include <xgrad/scope/memory/lifetime.hpp>
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/leaf.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// A value that nobody gives a cotangent, as leaves ask for it.
template <class T>
struct value_slot {
    T value;
    XGRAD_DETAIL_INLINE void add(T const&) const noexcept {}
};
}

// It is where it is, and knows no other: a function of such numbers compiles to what it is on plain ones, or on duals.
template <class T>
class valued_number : public scalar_leaf<valued_number<T>, T>, public array_interface<valued_number<T>, T, 0> {
public:
    using active_tag = void;
    using lifetime = valued;
    using value_type = T;
    static constexpr int rank = 0;
    static constexpr bool is_off_stack = false;

    XGRAD_DETAIL_INLINE valued_number() : slot_{} {}
    XGRAD_DETAIL_INLINE explicit valued_number(T const& x) : slot_{x} {}
    valued_number(valued_number const&) = default;
    // so that compilers do not warn of a name that nobody reads, as they do not of a formula's
    XGRAD_DETAIL_INLINE ~valued_number() {}
    // A named one may become another, as may an element that has a name. Anything else is refused, as everywhere.
    valued_number& operator=(valued_number const&) & = default;
    template <class E>
        requires(!std::is_same_v<std::remove_cvref_t<E>, valued_number>)
    valued_number& operator=(E&&) & { return this->template refuse_assignment_of_another<E>(*this); }
    template <class E>
    valued_number& operator=(E&&) && { return this->template refuse_assignment_of_another<E>(*this); }

    // Of any call that does not go backward. In one that does, it would be a constant without a word.
    XGRAD_DETAIL_INLINE context* owner() const {
        context* const c = running_call;
        if (c && c->reverse) [[unlikely]] contexts_meet();
        return c;
    }
    XGRAD_DETAIL_INLINE detail::value_slot<T> const* get() const noexcept { return &slot_; }
    XGRAD_DETAIL_INLINE valued_number operand() const { return *this; }
    XGRAD_DETAIL_INLINE valued_number share() const { return *this; }
    static constexpr bool is_empty() noexcept { return false; }
    XGRAD_DETAIL_INLINE bool is_same(valued_number const& o) const noexcept {
        if constexpr (std::is_trivially_copyable_v<T>) return std::memcmp(&slot_.value, &o.slot_.value, sizeof(T)) == 0;
        else return false;
    }
    // Nobody asks: nothing goes backward.
    array_ref<T, 0> target(bool&) const noexcept { __builtin_unreachable(); }

private:
    detail::value_slot<T> slot_;
};

namespace detail {
template <class E>
inline constexpr bool is_valued_number = false;
template <class T>
inline constexpr bool is_valued_number<valued_number<T>> = true;

// Throws where the owner of what stands beside such a number is another call than the one that runs, or goes backward. A value of a forward derivative around
// this one is a constant here, told apart by its type.
template <class T>
XGRAD_DETAIL_INLINE void require_forward(context const* c) {
    if (!c || c->plain) return;
    if (c->reverse || c->keeps != context::keeping::nothing || (c != running_call && !number_dual<T>)) [[unlikely]] contexts_meet();
}
}

}
XGRAD_DETAIL_QUIET_END
