// Defines nested<N> of small arrays of static shape in scoped functions.
#pragma once

#include <new>
#include <utility>

#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/small/kernel.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A small array of a scoped function inside a bigger formula: its operands, or a name that was moved in, which is set aside in the workspace. So no numbers lie
// in the bigger formula: the union defect (rule/inline.hpp).
template <class Op, class... A>
    requires(node<Op, A...>::rank != 0)
class nested<node<Op, A...>> {
    using N = node<Op, A...>;
    using whole = formula<Op, A...>;

public:
    using value_type = typename N::value_type;
    using lifetime = typename N::lifetime;
    using shape_type = typename N::shape_type;
    using frame = typename N::frame;
    static constexpr int rank = N::rank;
    static constexpr bool is_active = true, is_batch = N::is_batch, is_checked = false, is_off_stack = false;

    XGRAD_DETAIL_INLINE explicit nested(std::in_place_t, whole&& f) : is_name_(!f.is_fresh()) {
        if (is_name_) [[unlikely]] name_ = set_aside(std::move(f));
        else new (&node_) N(f.take_node());
    }
    XGRAD_DETAIL_INLINE nested(nested&& o) noexcept : is_name_(o.is_name_) {
        if (is_name_) [[unlikely]] name_ = std::exchange(o.name_, nullptr);
        else new (&node_) N(static_cast<N&&>(o.node_));
    }
    XGRAD_DETAIL_INLINE nested& operator=(nested&&) = delete;
    XGRAD_DETAIL_INLINE ~nested() {
        if (!is_name_) [[likely]] node_.~N();
        else if (name_) settle(name_);
    }

    XGRAD_DETAIL_INLINE context* owner() const { return is_name_ ? name_->owner() : node_.owner(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if (!is_name_) [[likely]] node_.prepare();
    }
    XGRAD_DETAIL_INLINE void materialise() const { prepare(); }
    template <class Slot>
    static constexpr bool offer_cotangent(Slot const&) noexcept {
        return false;
    }
    static constexpr bool is_same(nested const&) noexcept { return false; }
    XGRAD_DETAIL_INLINE static constexpr extents<rank> extent() { return shape_type::shape; }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const& space) const noexcept {
        if (!is_name_) [[likely]] node_.ensure_cotangents(space);
        else leaf().ensure_cotangents(space);
    }
    using leaf_type = detail::leaf_on_slot<typename storage_for<N>::slot_type, value_type, shape_type>;
    template <class Step>
    using cursor = detail::tree_or_leaf<typename N::template cursor<Step>, typename leaf_type::template cursor<Step>>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool reverse) const noexcept {
        if (!is_name_) [[likely]] return {&node_, leaf_type(), p, reverse};
        return {static_cast<N const*>(nullptr), leaf(), p, reverse};
    }

private:
    union {
        N node_;
        whole* name_;
    };
    bool is_name_;

    XGRAD_DETAIL_INLINE leaf_type leaf() const noexcept { return {{}, name_->slot_at()}; }

    static context& context_of(whole const& f) {
        context* c = f.owner();
        return c ? *c : plain_context();
    }
    [[gnu::cold, gnu::noinline]] static whole* set_aside(whole&& f) {
        context& c = context_of(f);
        auto* p = new (c.memory.take(sizeof(whole))) whole(std::move(f));
        ++c.live;
        return p;
    }
    [[gnu::cold, gnu::noinline]] static void settle(whole* p) noexcept {
        context& c = context_of(*p);
        p->~whole();
        --c.live;
        c.memory.give(p, sizeof(whole));
    }
};
namespace detail {

template <class Op, class... A>
inline constexpr bool is_cheap<formula<Op, A...>> = is_cheap<node<Op, A...>>;
template <class Op, class... A>
inline constexpr bool is_cheap<nested<node<Op, A...>>> = is_cheap<node<Op, A...>>;

template <class F, class... A>
    requires elementwise_node<node<F, A...>> && cheap_static_tree<formula<F, A...>> && lies_on_stack<node<F, A...>>
inline constexpr bool is_nestable<formula<F, A...>> = true;

}

}
XGRAD_DETAIL_QUIET_END
#endif
