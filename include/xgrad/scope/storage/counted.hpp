// Defines counted_storage<N>: a formula whose value, once it has a name, lies in a slot of the workspace and counts what is owed to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/workspace.hpp>
#include <xgrad/scope/operand/slot_ref.hpp>
#include <xgrad/scope/storage/formula_slot.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
struct as_alias {};
}

// A formula is *fresh* (it has operands), a *name* (its operands are in a slot of the workspace, which it owns until it leaves),
// an *alias* (a debt to a slot), or *empty* (moved from). Sharing turns fresh into a name, a copy is an alias, a move carries the state.
template <class N>
class counted_storage {
public:
    using T = typename N::value_type;
    using slot_type = slot<T, rank_c<N::rank>>;
    using ref_type = slot_ref<T, shape_or_rank_t<N>, detail::lifetime_in_workspace<N>>;

    XGRAD_DETAIL_INLINE counted_storage() : word_(empty) {}
    template <class... X>
    XGRAD_DETAIL_INLINE explicit counted_storage(std::in_place_t, X&&... x) : node_(std::forward<X>(x)...) {}
    XGRAD_DETAIL_INLINE counted_storage(counted_storage&& o) noexcept : word_(o.word_) {
        if (word_ == fresh) {
            if constexpr (big) move_node(&node_, o.node_);
            else {
                new (&node_) N(std::move(o.node_));
                o.node_.~N();
            }
        } else if constexpr (fixed) {  // the state defect (rule/inline.hpp)
            for (std::byte& b : reinterpret_cast<std::byte(&)[sizeof(N)]>(node_)) b = std::byte(0);
        }
        o.word_ = empty;
    }
    counted_storage(counted_storage const& o) : word_(0) {
        auto r = o.share();
        word_ = reinterpret_cast<std::uintptr_t>(r.get()) | alias;
        ++r.get()->owed;
    }
    // Of one that has a slot: nothing is evaluated, and no kernel of that compiled.
    XGRAD_DETAIL_INLINE counted_storage(detail::as_alias, counted_storage const& o) noexcept : word_(reinterpret_cast<std::uintptr_t>(o.slot_at()) | alias) {
        ++o.slot_at()->owed;
    }
    counted_storage& operator=(counted_storage o) noexcept {
        leave();
        new (this) counted_storage(std::move(o));
        return *this;
    }
    XGRAD_DETAIL_INLINE ~counted_storage() {
        if constexpr (big) leave_by_call();
        else leave();
    }

    // The value is in its slot from now on; whoever asks holds a debt to it. Throws what evaluating throws, and then nothing has changed.
    XGRAD_DETAIL_INLINE ref_type share() const { return ref_type(materialised()); }
    XGRAD_DETAIL_INLINE void materialise() const { static_cast<void>(materialised()); }
    // The same for what goes through all elements in their order: the name may be deferred. Throws what evaluating throws.
    ref_type share_deferred() const {
        return ref_type(named<true>());
    }
    // Of one that has moved in: a deferred value is evaluated.
    XGRAD_DETAIL_INLINE void prepare_name() const {
        if constexpr (may_defer)
            if (slot_type* const s = slot_at(); s && s->deferred) [[unlikely]] s->deferred->evaluate(s);
    }
    // Gives the name up: the slot settles when the returned debt, and all others, are paid. It does not keep the operands where nothing goes backward.
    XGRAD_DETAIL_INLINE ref_type detach() {
        if (word_ == fresh) [[likely]] {
            slot_type* const s = become_name<true>();
            word_ = empty;
            return ref_type::of_debt(s);
        }
        ref_type r = share();
        leave();
        word_ = empty;
        return r;
    }
    // For a bigger formula: the operands where they are fresh.
    XGRAD_DETAIL_INLINE N take_node() noexcept {
        N n(std::move(node_));
        node_.~N();
        word_ = empty;
        return n;
    }
    // The same of a name, too, whose operands stay with its slot: a copy of them.
    XGRAD_DETAIL_INLINE N take_operands() {
        if (word_ == fresh) [[likely]] return take_node();
        N n(static_cast<room*>(slot_at())->node);
        leave();
        word_ = empty;
        return n;
    }
    XGRAD_DETAIL_INLINE bool is_fresh() const noexcept { return word_ == fresh; }
    XGRAD_DETAIL_INLINE bool is_empty() const noexcept { return word_ == empty; }
    // Of an operand that nobody else knows: its cotangent comes to lie where that of y does, which is read before, element by element.
    template <class Slot>
    bool alias_cotangent(Slot const& y) const noexcept {
        if constexpr (!std::is_same_v<Slot, slot_type> || scalar) return false;
        else {
            if ((word_ & 3) != name) return false;
            slot_type* s = slot_at();
            if (s->owed != 0 || s->has_cotangent || s->deferred || !detail::covers(y.shape, s->shape)) return false;
            s->cotangent = y.cotangent;
            return true;
        }
    }
    XGRAD_DETAIL_INLINE slot_type* slot_at() const noexcept { return reinterpret_cast<slot_type*>(word_ & ~std::uintptr_t{3}); }
    XGRAD_DETAIL_INLINE N const& node_at() const noexcept { return node_; }
    // Of what is not empty: the operands stay in the workspace with the slot.
    static constexpr bool keeps_operands = true;
    XGRAD_DETAIL_INLINE N const& operands() const noexcept { return word_ == fresh ? node_ : static_cast<room*>(slot_at())->node; }
    XGRAD_DETAIL_INLINE context* owner() const {
        if (word_ == fresh) return node_.owner();
        return word_ == empty ? nullptr : slot_at()->owner;
    }

private:
    static constexpr std::uintptr_t fresh = 0, empty = 1, name = 2, alias = 3;
    static constexpr bool scalar = N::rank == 0, fixed = has_static_shape<N>, may_defer = detail::may_be_deferred<N>;
    union {
        mutable N node_;
    };
    mutable std::uintptr_t word_ = fresh;

    // An array of a dynamic shape leaves its slot by a call, and a tree of many expressions moves and is destroyed by one: inlined at every step of a statement
    // that would be most of a program, and of a map or a loop, which takes in all that its function calls.
    static constexpr bool big = !scalar && subtrees<N>::type::size >= 8;
    [[gnu::noinline]] static void move_node(N* to, N& from) noexcept {
        new (to) N(std::move(from));
        from.~N();
    }
    [[gnu::noinline]] void leave_by_call() noexcept { leave(); }

    using room = formula_slot<N>;

    template <bool Defers>
    XGRAD_DETAIL_INLINE slot_type* named() const {
        if (word_ == fresh) return become_name<false, Defers>();
        if (word_ == empty) detail::moved_from();
        return slot_at();
    }
    XGRAD_DETAIL_INLINE slot_type* materialised() const {
        slot_type* const s = named<false>();
        if constexpr (may_defer)
            if (s->deferred) [[unlikely]] s->deferred->evaluate(s);
        return s;
    }
    // GivesUp: nobody has the name, and the one debt is the caller's. Defers: the name may be deferred.
    template <bool GivesUp = false, bool Defers = false>
    XGRAD_DETAIL_INLINE slot_type* become_name() const {
        if constexpr (scalar) return become_name_here<GivesUp, false>();
        else return become_name_by_call<GivesUp, Defers>();
    }
    template <bool GivesUp, bool Defers>
    [[gnu::noinline]] slot_type* become_name_by_call() const { return become_name_here<GivesUp, Defers>(); }
    template <bool GivesUp, bool Defers>
    XGRAD_DETAIL_INLINE slot_type* become_name_here() const {
        if constexpr (!Defers) node_.prepare();
        context* c;
        if constexpr (scalar && elementwise_node<N>) c = node_.checked_owner();
        else c = node_.owner();
        if (!c) c = &plain_context();
        check_thread(*c);
        room* r;
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::begin();
        if constexpr (scalar) {
            T const v = node_.value();
            if constexpr (checks_finite) detail::check_finite_value<N>([&](std::size_t) { return v; }, extents<0>());
            r = new (c->memory.take(room::own_bytes())) room;
            r->value = v;
        } else r = room::template evaluate<Defers>(node_, *c);
        r->owner = c;
        r->owed = GivesUp;
        r->released = GivesUp;
        if constexpr (GivesUp && !detail::is_explained<N>)
            if (c->takes_values_only()) [[unlikely]] {
                r->settle = &room::settle_value;
                r->is_value = true;
                ++c->live;
                node_.~N();
                return r;
            }
        r->settle = &room::settle_all;
        if constexpr (detail::is_explained<N>) detail::hooks_of_explained<N>::evaluated(node_, *r, room::bytes_of(*r));
        ++c->live;
        if (c->keeps != context::keeping::nothing) [[unlikely]] c->keep(r);
        // by way of a local, which compilers know apart from both
        N n(std::move(node_));
        node_.~N();
        new (&r->node) N(std::move(n));
        word_ = reinterpret_cast<std::uintptr_t>(static_cast<slot_type*>(r)) | name;
        return r;
    }
    XGRAD_DETAIL_INLINE void leave() noexcept {
        if (word_ == fresh) node_.~N();
        else if (word_ != empty) {
            if constexpr (scalar || fixed) leave_slot_here();
            else leave_slot();
        }
    }
    [[gnu::noinline]] void leave_slot() noexcept { leave_slot_here(); }
    XGRAD_DETAIL_INLINE void leave_slot_here() noexcept {
        slot_type* s = slot_at();
        if ((word_ & 3) == name) {
            if constexpr (requires(N const& n) { n.leave(s); }) static_cast<room*>(s)->node.leave(s);
            if (s->owed != 0) s->released = true;
            // by the address that naming it has left: of a temporary, which only moves, no kernels of its own are compiled
            else if constexpr (!fixed && (!scalar || !elementwise_node<N>)) s->settle(s);
            else room::settle_all(s);
        } else if (--s->owed == 0 && s->released) s->owner->ready(s);
    }
};

}
XGRAD_DETAIL_QUIET_END
