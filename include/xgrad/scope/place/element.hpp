// Defines element<T, R>: one element of an array variable of rank R: a number that a function reads and assigns to.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/operand/slot_view.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class P>
class variable;

// A debt to where the element's value is: in the slot of the whole array, at a place in its memory, or, once it was assigned to, in a slot of its
// own, as a variable of a number is. A slot does not change: what was read before an assignment keeps what it was.
template <class T, class R>
class element : public array_interface<element<T, R>, T, 0> {
public:
    using active_tag = void;
    using lifetime = counted;
    using value_type = T;
    using frame = T;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_off_stack = true, is_elementwise = false;
    using array_slot = slot<T, R>;
    using number_slot = slot<T, rank_c<0>>;

    XGRAD_DETAIL_INLINE element(array_slot* s, std::ptrdiff_t at) noexcept : slot_(s), at_(at) { ++s->owed; }
    XGRAD_DETAIL_INLINE element(element const& o) noexcept : slot_(o.slot_), at_(o.at_) {
        if (slot_) ++slot_->owed;
    }
    XGRAD_DETAIL_INLINE element(element&& o) noexcept : slot_(std::exchange(o.slot_, nullptr)), at_(o.at_) {}
    XGRAD_DETAIL_INLINE ~element() {
        if (slot_base* s = slot_)
            if (--s->owed == 0 && s->released) s->owner->ready(s);
    }
    element& operator=(element const& o) & noexcept { return *this = element(o); }
    element& operator=(element&& o) & noexcept {
        std::swap(slot_, o.slot_);
        std::swap(at_, o.at_);
        return *this;
    }
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
    element& operator=(E&&) && { return refuse_assignment<E>(); }
    template <class E>
    element& operator+=(E&&) && { return refuse_assignment<E>(); }
    template <class E>
    element& operator-=(E&&) && { return refuse_assignment<E>(); }
    template <class E>
    element& operator*=(E&&) && { return refuse_assignment<E>(); }
    template <class E>
    element& operator/=(E&&) && { return refuse_assignment<E>(); }
    element& operator++() & { return *this += T(1); }
    element& operator--() & { return *this -= T(1); }
    element operator++(int) & { return std::exchange(*this, element(variable<T>(*this + T(1)).operand())); }
    element operator--(int) & { return std::exchange(*this, element(variable<T>(*this - T(1)).operand())); }

    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_ ? slot_->owner : nullptr; }
    XGRAD_DETAIL_INLINE extents<0> extent() const { return {}; }
    bool is_empty() const noexcept { return slot_ == nullptr; }
    XGRAD_DETAIL_INLINE element operand() const& {
        check();
        if (slot_->owner->plain) [[unlikely]] return on_this_thread();
        return *this;
    }
    XGRAD_DETAIL_INLINE element operand() && {
        check();
        return std::move(*this);
    }
    XGRAD_DETAIL_INLINE element share() const { return operand(); }

    // Whether this is what lies there in the slot of the whole.
    bool lies_at(array_slot const* s, std::ptrdiff_t at) const noexcept { return slot_ == s && at_ == at; }
    // The slot of its own, if it has one.
    number_slot* own_slot() const noexcept { return is_number() ? static_cast<number_slot*>(slot_) : nullptr; }

    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    XGRAD_DETAIL_INLINE T forward() const {
        if (is_number()) return static_cast<number_slot*>(slot_)->value;
        return T(static_cast<array_slot*>(slot_)->value[at_]);
    }
    XGRAD_DETAIL_INLINE void forward(T& f) const { f = forward(); }
    XGRAD_DETAIL_INLINE void backward(T const&, T const& g) const noexcept { add(g); }
    XGRAD_DETAIL_INLINE void add(T const& g) const noexcept {
        if (is_number()) return static_cast<number_slot*>(slot_)->add(g);
        auto* s = static_cast<array_slot*>(slot_);
        s->ensure_cotangent();
        auto const a = s->cotangent + at_;
        *a = T(*a) + g;
    }
    T deliver(T const& seed, bool reverse) const {
        check();
        if (reverse) add(seed);
        return forward();
    }
    template <class Step>
    using cursor = scalar_cursor<T, Step, element>;
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

private:
    // In the place of a place in memory: the slot is the number's own.
    static constexpr std::ptrdiff_t number = std::numeric_limits<std::ptrdiff_t>::min();
    slot_base* slot_;
    std::ptrdiff_t at_;

    template <class M>
    XGRAD_DETAIL_INLINE explicit element(slot_ref<T, rank_c<0>, M> const& r) noexcept : slot_(r.get()), at_(number) { ++slot_->owed; }
    XGRAD_DETAIL_INLINE bool is_number() const noexcept { return at_ == number; }
    template <class E>
    element& refuse_assignment() {
        detail::refuse_assignment_to_part<E>();
        return *this;
    }
    void check() const {
        if (!slot_) [[unlikely]] detail::moved_from();
    }
    [[gnu::noinline]] element on_this_thread() const {
        if (slot_->owner == &plain_context()) return *this;
        return element(variable<T>(forward()).operand());
    }
};

namespace detail {
template <class E>
inline constexpr bool is_element = false;
template <class T, class R>
inline constexpr bool is_element<element<T, R>> = true;
}

}
XGRAD_DETAIL_QUIET_END
