// Defines eager_storage<N>: a number of a scoped function that is computed where it is made.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <xgrad/scope/memory/stack_slot.hpp>
#include <xgrad/scope/kernel/tree.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Whether a number is computed where it is made: of a scoped function, of operands whose values are there.
template <class N>
inline constexpr bool is_eager_node = false;
template <elementwise_node N>
inline constexpr bool is_eager_node<N> = N::is_eager;

// Scalars of a scoped function whose operands are scalars too. The value is there from the beginning, so there are no states: a copy
// or a moved-to formula has the same operands and the same value, and pulls what comes to itself; contributions are linear. Only debts to variables move on,
// where nobody knows the formula that they move from: counting up and down on one place in turn is slow.
template <class N>
class eager_storage {
public:
    using T = typename N::value_type;
    using M = typename N::lifetime;
    using slot_type = stack_slot<T, M>;
    using ref_type = stack_slot_ref<T, rank_c<0>, M>;
    static constexpr bool moves_debts = detail::holds_debt<N> && counts_on_stack<M>;

    template <class... X>
    XGRAD_DETAIL_INLINE explicit eager_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...) {
        slot_.open(node_.value_now());
        if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return slot_.value; }, extents<0>());
    }
    XGRAD_DETAIL_INLINE eager_storage(eager_storage const& o) noexcept : node_(o.node_) { slot_.open(o.slot_.value); }
    XGRAD_DETAIL_INLINE eager_storage(eager_storage&& o) noexcept : node_(o.take_node()) { slot_.open(o.slot_.value); }
    XGRAD_DETAIL_INLINE eager_storage& operator=(eager_storage const& o) noexcept {
        this->~eager_storage();
        return *new (this) eager_storage(o);
    }
    XGRAD_DETAIL_INLINE ~eager_storage() {
        if constexpr (counts_on_stack<M>)
            if (slot_.owed != 0) broken_promise();
        if constexpr (checks_finite)
            if (slot_.has_cotangent) detail::check_finite_cotangent<N>([&](std::size_t) { return slot_.cotangent; }, extents<0>());
        if (XGRAD_DETAIL_USUALLY(slot_.has_cotangent)) node_.pull_now(slot_.cotangent, slot_.value);
    }
    XGRAD_DETAIL_INLINE static void* operator new(std::size_t, void* p) noexcept { return p; }

    XGRAD_DETAIL_INLINE ref_type share() const {
        if (is_empty()) [[unlikely]] detail::moved_from();
        return ref_type(&slot_);
    }
    XGRAD_DETAIL_INLINE ref_type detach() const { return share(); }
    XGRAD_DETAIL_INLINE void materialise() const {}
    template <class Slot>
    static constexpr bool alias_cotangent(Slot const&) noexcept {
        return false;
    }
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return false; }
    static constexpr void prepare_name() noexcept {}
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept {
        if constexpr (moves_debts) return detail::are_given(node_);
        else return false;
    }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return &slot_; }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    static constexpr bool keeps_operands = false;
    XGRAD_DETAIL_INLINE N const& take_node() noexcept { return node_; }
    XGRAD_DETAIL_INLINE N take_node() noexcept
        requires moves_debts
    {
        if (slot_.owed == 0 && !slot_.has_cotangent) return N(static_cast<N&&>(node_));
        return N(node_);
    }
    XGRAD_DETAIL_INLINE context* owner() const {
        if constexpr (std::is_same_v<M, unchecked>) return running_call;
        else return slot_.owner;
    }

private:
    N node_;
    mutable slot_type slot_;
};

}
XGRAD_DETAIL_QUIET_END
