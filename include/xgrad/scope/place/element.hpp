// Defines element<T, R>, one element of an array variable of rank R: a number that a function reads and assigns to, and element_ref<T, R>, what a formula holds
// of it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/operand/slot_view.hpp>
#include <xgrad/scope/place/interval.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class P>
class variable;

namespace detail {
// The place in memory of element i, in row-major order.
template <class Slot>
XGRAD_DETAIL_INLINE std::ptrdiff_t place_of_element(Slot const& s, std::size_t i) noexcept {
    if (s.contiguous) return static_cast<std::ptrdiff_t>(i);
    std::ptrdiff_t at = 0;
    for (int d = s.shape.rank() - 1; d >= 0; --d) {
        at += static_cast<std::ptrdiff_t>(i % s.shape[d]) * s.stride[d];
        i /= s.shape[d];
    }
    return at;
}
// What the elements of a variable that were not assigned to say of themselves: which they are, of the array that the variable is now.
template <class T, class R>
struct place_root {
    slot<T, R>* base;
    interval read;  // the places of which copies were taken
    void (*mark)(place_root&, std::size_t) noexcept;  // element i is assigned to
};
}

template <class T, class R>
class element;

// A debt to where an element's value is, as a formula has it: in the slot of the whole array, at a place in its memory, or, once it was assigned to, in a slot
// of its own, as a variable of a number is. It is moved often, so nothing out of line is given its address.
template <class T, class R>
class element_ref {
public:
    using lifetime = counted;
    using value_type = T;
    using frame = T;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_off_stack = true, is_elementwise = false;
    using array_slot = slot<T, R>;
    using number_slot = slot<T, rank_c<0>>;

    // Takes over a debt.
    XGRAD_DETAIL_INLINE element_ref(slot_base* s, std::ptrdiff_t at) noexcept : slot_(s), at_(at) {}
    XGRAD_DETAIL_INLINE element_ref(element_ref const& o) noexcept : slot_(o.slot_), at_(o.at_) { ++slot_->owed; }
    XGRAD_DETAIL_INLINE element_ref(element_ref&& o) noexcept : slot_(o.slot_), at_(o.at_) { o.slot_ = nullptr; }
    element_ref& operator=(element_ref&&) = delete;
    XGRAD_DETAIL_INLINE ~element_ref() {
        if (slot_base* s = slot_)
            if (--s->owed == 0 && s->released) s->owner->ready(s);
    }

    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_->owner; }
    XGRAD_DETAIL_INLINE extents<0> extent() const { return {}; }
    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    XGRAD_DETAIL_INLINE bool is_same(element_ref const& o) const noexcept { return slot_ == o.slot_ && at_ == o.at_; }
    XGRAD_DETAIL_INLINE T forward() const { return value_at(slot_, at_); }
    XGRAD_DETAIL_INLINE void forward(T& f) const { f = forward(); }
    XGRAD_DETAIL_INLINE void backward(T const&, T const& g) const noexcept { add(g); }
    XGRAD_DETAIL_INLINE void add(T const& g) const noexcept {
        if (is_number()) return static_cast<number_slot*>(slot_)->add(g);
        auto* s = static_cast<array_slot*>(slot_);
        s->ensure_cotangent();
        auto const a = s->cotangent + at_;
        *a = T(*a) + g;
    }
    template <class Step>
    using cursor = scalar_cursor<T, Step, element_ref>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return {forward(), this}; }
    array_ref<T const, 0> source() const noexcept {
        if (is_number()) return {detail::memory_of(std::as_const(static_cast<number_slot*>(slot_)->value)), {}, {}};
        return {static_cast<array_slot*>(slot_)->value + at_, {}, {}};
    }
    array_ref<T, 0> target(bool& add) const noexcept {
        if (is_number()) return detail::scalar_target(*static_cast<number_slot*>(slot_), add);
        auto* s = static_cast<array_slot*>(slot_);
        s->ensure_cotangent();
        add = true;
        return {s->cotangent + at_, {}, {}};
    }
    // Whether it owes to this slot.
    bool owes(slot_base const* s) const noexcept { return slot_ == s; }
    // The slot of its own, if it has one.
    number_slot* own_slot() const noexcept { return is_number() ? static_cast<number_slot*>(slot_) : nullptr; }

private:
    friend class element<T, R>;
    static constexpr std::ptrdiff_t number = -1;  // in the place of a place in memory: the slot is the number's own
    slot_base* slot_;
    std::ptrdiff_t at_;
    XGRAD_DETAIL_INLINE bool is_number() const noexcept { return at_ == number; }
    XGRAD_DETAIL_INLINE static T value_at(slot_base* s, std::ptrdiff_t at) {
        if (at == number) return static_cast<number_slot*>(s)->value;
        return T(static_cast<array_slot*>(s)->value[at]);
    }
};

// The same as a handle, which may also be that of a variable itself, that was not assigned to: it owes nothing, its copies do. What was read before an
// assignment keeps what it was.
template <class T, class R>
class element : public array_interface<element<T, R>, T, 0> {
public:
    using active_tag = void;
    using lifetime = counted;
    using value_type = T;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_off_stack = true, is_elementwise = false;
    using array_slot = slot<T, R>;
    using ref_type = element_ref<T, R>;

    XGRAD_DETAIL_INLINE element(array_slot* s, std::ptrdiff_t at) noexcept : slot_(s), at_(at) { ++s->owed; }
    XGRAD_DETAIL_INLINE element(ref_type debt) noexcept : slot_(debt.slot_), at_(debt.at_) { debt.slot_ = nullptr; }
    // The i-th of a variable.
    XGRAD_DETAIL_INLINE element(detail::place_root<T, R>* r, std::size_t i) noexcept : root_(r), at_(number - 1 - static_cast<std::ptrdiff_t>(i)) {}
    XGRAD_DETAIL_INLINE element(element const& o) : slot_(o.slot_), at_(o.at_) {
        if (o.is_place()) [[unlikely]] take_from_place();
        else if (slot_) ++slot_->owed;
    }
    XGRAD_DETAIL_INLINE element(element&& o) noexcept : slot_(o.slot_), at_(o.at_) {
        if (o.is_place()) [[unlikely]] take_from_place();
        else o.slot_ = nullptr;
    }
    XGRAD_DETAIL_INLINE ~element() {
        if (slot_base* s = slot_)
            if (--s->owed == 0 && s->released) s->owner->ready(s);
    }
    element& operator=(element const& o) & { return *this = element(o); }
    XGRAD_DETAIL_INLINE element& operator=(element&& o) & noexcept {
        if (o.is_place()) [[unlikely]] return take_copy(o);
        if (is_place()) {
            root_->mark(*root_, index());
            slot_ = nullptr;
            at_ = number;
        }
        std::swap(slot_, o.slot_);
        std::swap(at_, o.at_);
        return *this;
    }
    // Of a variable: as it was before it was assigned to.
    void become_place(detail::place_root<T, R>* r, std::size_t i) noexcept {
        this->~element();
        new (this) element(r, i);
    }
    XGRAD_DETAIL_INLINE bool is_place() const noexcept { return at_ < number; }
    template <class E>
    XGRAD_DETAIL_INLINE element& operator=(E&& e) & {
        return *this = element(variable<T>(std::forward<E>(e)).operand());
    }
    template <class E>
    XGRAD_DETAIL_INLINE element& operator+=(E&& e) & { return *this = *this + std::forward<E>(e); }
    template <class E>
    XGRAD_DETAIL_INLINE element& operator-=(E&& e) & { return *this = *this - std::forward<E>(e); }
    template <class E>
    XGRAD_DETAIL_INLINE element& operator*=(E&& e) & { return *this = *this * std::forward<E>(e); }
    template <class E>
    XGRAD_DETAIL_INLINE element& operator/=(E&& e) & { return *this = *this / std::forward<E>(e); }
    // That of a variable that is const, or goes, would be lost.
    template <class E>
    element& operator=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    element& operator+=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    element& operator-=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    element& operator*=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    element& operator/=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    element& operator++() & { return *this += T(1); }
    element& operator--() & { return *this -= T(1); }
    element operator++(int) & { return std::exchange(*this, element(variable<T>(*this + T(1)).operand())); }
    element operator--(int) & { return std::exchange(*this, element(variable<T>(*this - T(1)).operand())); }

    XGRAD_DETAIL_INLINE context* owner() const noexcept {
        if (is_place()) return root_->base->owner;
        return slot_ ? slot_->owner : nullptr;
    }
    XGRAD_DETAIL_INLINE extents<0> extent() const { return {}; }
    bool is_empty() const noexcept { return slot_ == nullptr; }
    XGRAD_DETAIL_INLINE ref_type operand() const& {
        check();
        if (is_place() || slot_->owner->plain) [[unlikely]] return apart();
        ++slot_->owed;
        return ref_type(slot_, at_);
    }
    XGRAD_DETAIL_INLINE ref_type operand() && {
        check();
        if (is_place()) [[unlikely]] return apart();
        slot_base* const s = slot_;
        slot_ = nullptr;
        return ref_type(s, at_);
    }
    XGRAD_DETAIL_INLINE ref_type share() const { return operand(); }

    T deliver(T const& seed, bool reverse) const {
        ref_type const r = operand();
        if (reverse) r.add(seed);
        return r.forward();
    }

private:
    // In the place of a place in memory: the slot is the number's own. Below that: the element of the variable with index number - 1 - at_.
    static constexpr std::ptrdiff_t number = -1;
    union {
        slot_base* slot_;
        detail::place_root<T, R>* root_;
    };
    std::ptrdiff_t at_;

    [[gnu::noinline]] element& take_copy(element& o) noexcept {
        if (this != &o) *this = element(std::move(o));
        return *this;
    }
    std::size_t index() const noexcept { return static_cast<std::size_t>(number - 1 - at_); }
    void take_from_place() {
        auto* const r = root_;
        array_slot* const s = r->base;
        at_ = detail::place_of_element(*s, index());
        slot_ = s;
        if (s->owner->plain && s->owner != &plain_context()) [[unlikely]] {
            T const x(s->value[at_]);
            slot_ = nullptr;
            *this = element(variable<T>(x).operand());
            return;
        }
        ++s->owed;
        r->read.add(at_, at_ + 1);
    }

    template <class M>
    XGRAD_DETAIL_INLINE explicit element(slot_ref<T, rank_c<0>, M> const& r) noexcept : slot_(r.get()), at_(number) { ++slot_->owed; }
    void check() const {
        if (!slot_) [[unlikely]] detail::moved_from();
    }
    // A debt of its own, in memory that this thread counts in.
    [[gnu::noinline]] ref_type apart() const {
        // another thread's is read, and not counted
        if (!is_place() && slot_->owner != &plain_context()) return element(variable<T>(ref_type::value_at(slot_, at_)).operand()).operand();
        return element(*this).operand();
    }
};

namespace detail {
template <class E>
inline constexpr bool is_element = false;
template <class T, class R>
inline constexpr bool is_element<element<T, R>> = true;
template <class A>
inline constexpr bool is_element_ref = false;
template <class T, class R>
inline constexpr bool is_element_ref<element_ref<T, R>> = true;
}

}
XGRAD_DETAIL_QUIET_END
