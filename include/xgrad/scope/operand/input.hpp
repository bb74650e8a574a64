// Defines input<T, R, M>: an argument of the call, or a part of one.
#pragma once

#include <cstdint>
#include <type_traits>

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/input_slot.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// An argument of the call, or a part of one: its slot outlives everything, so a scalar counts nothing. Nor does an array of fixed shape in a function with a
// declared result: only to what is counted can something be assigned.
template <class T, class R, class M>
class input : public detail::leaf_t<input<T, R, M>, T, R>, public array_interface<input<T, R, M>, T, R::value> {
public:
    using active_tag = void;
    using lifetime = M;
    static constexpr bool is_off_stack = true;
    using slot_type = input_slot_t<T, R, M>;
    static constexpr int rank = R::value;
    static constexpr bool is_counted = rank != 0 && std::is_base_of_v<slot_base, slot_type>;
    using value_type = T;

    XGRAD_DETAIL_INLINE input() {}
    XGRAD_DETAIL_INLINE explicit input(slot_type* s) noexcept : slot_(s) {
#ifndef NDEBUG
        if constexpr (knows_call) call_ = s->owner->calls;
#endif
    }
    template <class E>
        requires(!std::is_same_v<std::remove_cvref_t<E>, input>)
    input& operator=(E&&) { return this->template refuse_assignment_of_another<E>(*this); }
    XGRAD_DETAIL_INLINE context* owner() const noexcept { return slot_->owner; }
    // Of an array that is counted: the newest version, which may be a value of the call.
    XGRAD_DETAIL_INLINE slot_type* get() const noexcept {
        if constexpr (is_counted) return slot_->version ? slot_->version : slot_;
        else return slot_;
    }
    slot_type* argument() const noexcept { return slot_; }
    // Of a call that has not ended.
    XGRAD_DETAIL_INLINE input const& checked() const {
        check_call();
        return *this;
    }
    // What is counted is a debt to the version of now; anything else stays where it is for the whole call.
    XGRAD_DETAIL_INLINE auto share() const {
        check_call();
        if constexpr (is_counted) return slot_ref<T, R, M>(get());
        else return input(*this);
    }
    XGRAD_DETAIL_INLINE auto operand() const { return share(); }
    auto const& stored_extent() const noexcept { return get()->shape; }
    static constexpr bool is_empty() noexcept { return false; }

private:
    slot_type* slot_ = nullptr;
    // In a debug build a handle is found that was kept from an earlier call, whose slot is that of the next one.
    static constexpr bool knows_call = std::is_base_of_v<slot_base, slot_type>;
#ifndef NDEBUG
    std::uint64_t call_ = 0;
#endif
    XGRAD_DETAIL_INLINE void check_call() const {
#ifndef NDEBUG
        if constexpr (knows_call)
            if (slot_->owner->calls != call_) [[unlikely]] outlived();
#endif
    }
};

namespace detail {
// An array that is in its place for the whole call, and counts nothing.
template <class E>
inline constexpr bool is_bound_argument = false;
template <class T, class R, class M>
inline constexpr bool is_bound_argument<input<T, R, M>> = R::value != 0 && !input<T, R, M>::is_counted;
}

}
XGRAD_DETAIL_QUIET_END
