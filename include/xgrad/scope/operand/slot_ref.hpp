// Defines slot_ref and stack_slot_ref: what a formula holds of a value that is somewhere else: an argument of the call, or a slot to which it owes.
#pragma once

#include <utility>

#include <xgrad/scope/operand/debts.hpp>
#include <xgrad/scope/operand/leaf.hpp>
#include <xgrad/scope/memory/slot.hpp>
#include <xgrad/scope/memory/stack_slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void moved_from() {
    throw std::logic_error("xgrad[E212]: use of an active value that was moved from: name it once more, or do not move it");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void no_value() {
    throw std::logic_error("xgrad[E212]: use of an array variable that has no value yet, or was moved from: assign to it first");
}
template <class D, class T, class R>
struct leaf_base { using type = array_leaf<D, T, R::value>; };
template <class D, class T>
struct leaf_base<D, T, rank_c<0>> { using type = scalar_leaf<D, T>; };
template <class D, class T, class R>
using leaf_t = typename leaf_base<D, T, R>::type;
}

// A debt to a slot in the workspace. The destructor pays it; a copy incurs another, a move transfers it.
template <class T, class R, class M>
class slot_ref : public detail::leaf_t<slot_ref<T, R, M>, T, R> {
public:
    using lifetime = M;
    static constexpr bool is_off_stack = true;
    using slot_type = slot<T, rank_c<R::value>>;
    XGRAD_DETAIL_INLINE slot_ref() noexcept {}
    XGRAD_DETAIL_INLINE explicit slot_ref(slot_type* s) noexcept : slot_(s) { ++s->owed; }
    // One that is counted already.
    XGRAD_DETAIL_INLINE static slot_ref of_debt(slot_type* s) noexcept {
        slot_ref r;
        r.slot_ = s;
        return r;
    }
    XGRAD_DETAIL_INLINE slot_ref(slot_ref const& o) noexcept : slot_(o.slot_) {
        if (slot_) ++slot_->owed;
    }
    XGRAD_DETAIL_INLINE slot_ref(slot_ref&& o) noexcept : slot_(o.slot_) { o.slot_ = nullptr; }
    XGRAD_DETAIL_INLINE slot_ref& operator=(slot_ref o) noexcept {
        slot_type* const s = slot_;
        slot_ = o.slot_;
        o.slot_ = s;
        return *this;
    }
    XGRAD_DETAIL_INLINE ~slot_ref() {
        if (slot_type* s = slot_)
            if (--s->owed == 0 && s->released) s->owner->ready(s);
    }
    XGRAD_DETAIL_INLINE slot_type* get() const noexcept { return slot_; }
    // Of what was not moved from: nobody else has a formula's operands, and a handle is asked before it gives one.
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_->owner; }

private:
    slot_type* slot_ = nullptr;
};

namespace detail {
template <class T, class R, class M>
inline constexpr bool holds_debt<slot_ref<T, R, M>> = true;

template <class Slot>
Slot& nobody() {
    static thread_local Slot s;
    return s;
}
}

// A debt to a slot on the stack of a scoped function. It is never null, and a move is a copy: its address is compared with nothing (the address defect,
// rule/inline.hpp).
template <class T, class R, class M>
class stack_slot_ref : public detail::leaf_t<stack_slot_ref<T, R, M>, T, R> {
public:
    using lifetime = M;
    static constexpr bool is_off_stack = false;
    using slot_type = stack_slot<T, M, R>;
    // Of no value: what iterators are made of that are at no place yet.
    stack_slot_ref() noexcept : stack_slot_ref(&detail::nobody<slot_type>()) {}
    XGRAD_DETAIL_INLINE explicit stack_slot_ref(slot_type* s) noexcept : slot_(s) { ++s->owed; }
    XGRAD_DETAIL_INLINE stack_slot_ref(stack_slot_ref const& o) noexcept : slot_(o.slot_) { ++slot_->owed; }
    XGRAD_DETAIL_INLINE stack_slot_ref& operator=(stack_slot_ref o) noexcept {
        slot_type* const s = slot_;
        slot_ = o.slot_;
        o.slot_ = s;
        return *this;
    }
    XGRAD_DETAIL_INLINE ~stack_slot_ref() { --slot_->owed; }
    XGRAD_DETAIL_INLINE slot_type* get() const noexcept { return slot_; }
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_->owner; }

private:
    slot_type* slot_;
};

// The same where the author's promise is believed: nothing is counted.
template <class T, class R>
class stack_slot_ref<T, R, unchecked> : public detail::leaf_t<stack_slot_ref<T, R, unchecked>, T, R> {
public:
    using lifetime = unchecked;
    static constexpr bool is_off_stack = false;
    using slot_type = stack_slot<T, unchecked, R>;
    stack_slot_ref() noexcept : stack_slot_ref(&detail::nobody<slot_type>()) {}
    XGRAD_DETAIL_INLINE explicit stack_slot_ref(slot_type* s) noexcept : slot_(s) {}
    // written out: the address defect (rule/inline.hpp)
    XGRAD_DETAIL_INLINE stack_slot_ref(stack_slot_ref const& o) noexcept : slot_(o.slot_) {}
    XGRAD_DETAIL_INLINE stack_slot_ref& operator=(stack_slot_ref const& o) noexcept {
        slot_ = o.slot_;
        return *this;
    }
    XGRAD_DETAIL_INLINE ~stack_slot_ref() {}
    XGRAD_DETAIL_INLINE slot_type* get() const noexcept { return slot_; }
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return running_call; }

private:
    slot_type* slot_;
};

}
XGRAD_DETAIL_QUIET_END
