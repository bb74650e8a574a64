// Defines stack_storage<N>: a formula of a scoped function whose value lies inside of it, on the stack.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/stack_slot.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/storage/check_finite.hpp>
#include <xgrad/scope/storage/evaluate_slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The same for scalars and small arrays of a scoped function: the slot is inside the formula, on the stack. A move of a name that is owed
// something leaves the slot where it is and makes an alias.
template <class N>
class stack_storage {
public:
    using T = typename N::value_type;
    using M = typename N::lifetime;
    using slot_type = stack_slot<T, M, shape_or_rank_t<N>>;
    using ref_type = stack_slot_ref<T, shape_or_rank_t<N>, M>;

    XGRAD_DETAIL_INLINE stack_storage() : state_(empty) {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit stack_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...), state_(fresh) {}
    XGRAD_DETAIL_INLINE stack_storage(stack_storage&& o) noexcept : state_(o.state_) {
        if (state_ == empty) return;
        if (state_ == alias) new (&alias_) ref_type(o.alias_);
        else if (o.is_movable()) {
            new (&node_) N(std::move(o.node_));
            if (state_ != fresh) slot_ = o.slot_;
        } else {
            new (&alias_) ref_type(&o.slot_);
            state_ = alias;
            return;
        }
        o.give_up();
        o.state_ = empty;
    }
    XGRAD_DETAIL_INLINE stack_storage(stack_storage const& o) : alias_(o.share()), state_(alias) {}
    stack_storage& operator=(stack_storage o) noexcept {
        if (o.state_ == alias && o.alias_.get() == &slot_) return *this;
        this->~stack_storage();
        new (this) stack_storage(std::move(o));
        return *this;
    }
    // the split defect (rule/inline.hpp)
    XGRAD_DETAIL_INLINE ~stack_storage() {
        if (XGRAD_DETAIL_USUALLY(state_ == evaluated || state_ == name)) {
            if constexpr (counts_on_stack<M>)
                if (slot_.owed != 0) broken_promise();
            if (XGRAD_DETAIL_USUALLY(slot_.has_cotangent)) {
                if constexpr (checks_finite && scalar) detail::check_finite_cotangent<N>([&](std::size_t) { return slot_.cotangent; }, extents<0>());
                if constexpr (scalar) pull_by_call(node_, slot_.cotangent, slot_.value);
                else detail::pull_slot(node_, slot_);
            }
        }
        give_up();
    }

    XGRAD_DETAIL_INLINE ref_type share() const {
        if (state_ == alias) return alias_;
        materialise();
        state_ = name;
        return ref_type(&slot_);
    }
    XGRAD_DETAIL_INLINE void materialise() const {
        if (state_ == fresh) {
            node_.prepare();
            if constexpr (scalar) {
                slot_.open(node_.value());
                if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return slot_.value; }, extents<0>());
            } else {
                slot_.open(node_.owner());
                detail::evaluate_slot(node_, slot_);
            }
            state_ = evaluated;
        } else if (state_ == empty) detail::moved_from();
    }
    // The slot cannot stay without the name: a debt to it.
    XGRAD_DETAIL_INLINE ref_type detach() { return share(); }
    template <class Slot>
    static constexpr bool alias_cotangent(Slot const&) noexcept {
        return false;
    }
    // For a bigger formula: the operands of a fresh one.
    XGRAD_DETAIL_INLINE N take_node() noexcept {
        N n(std::move(node_));
        node_.~N();
        state_ = empty;
        return n;
    }
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return state_ == fresh; }
    static constexpr void prepare_name() noexcept {}
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept { return state_ == empty; }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return state_ == alias ? alias_.get() : &slot_; }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    static constexpr bool keeps_operands = false;
    XGRAD_DETAIL_INLINE context* owner() const {
        if constexpr (std::is_same_v<M, unchecked>) return running_call;
        else if (state_ == fresh) return node_.owner();
        else return state_ == empty ? nullptr : slot_at()->owner;
    }

private:
    static constexpr bool scalar = N::rank == 0;
    struct slot_and_kept : slot_type {
        detail::kept_with_t<N> kept;
    };
    // without an empty member, which would overlap with others: the union defect (rule/inline.hpp)
    using array_slot = std::conditional_t<std::is_empty_v<detail::kept_with_t<N>>, slot_type, slot_and_kept>;
    enum state : unsigned char { fresh, evaluated, name, alias, empty };  // evaluated: and nobody has a debt
    union {
        mutable N node_;
        ref_type alias_;
    };
    mutable std::conditional_t<scalar, slot_type, array_slot> slot_;
    mutable state state_;

    // A map would take it in at every end of the formula's life.
    [[gnu::noinline]] static void pull_by_call(N const& n, T const& g, T const& y) noexcept { n.pull(g, y); }
    XGRAD_DETAIL_INLINE bool is_movable() const noexcept {
        if constexpr (counts_on_stack<M>) return state_ != name || slot_.owed == 0;
        else return state_ != name;
    }
    XGRAD_DETAIL_INLINE void give_up() noexcept {
        if (state_ == alias) alias_.~ref_type();
        else if (state_ != empty) node_.~N();
    }
};

}
XGRAD_DETAIL_QUIET_END
