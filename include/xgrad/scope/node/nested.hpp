// Defines nested<N>: a formula of numbers inside a bigger one.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/node.hpp>
#include <xgrad/scope/storage/storage_for.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// Whether an array's formula U that moves into a bigger one nests in it, as numbers do among numbers: the room small/ says so of its own.
template <class U>
inline constexpr bool is_nestable = false;

// What all numbers inside of a bigger formula are, whatever they keep.
template <class N>
struct number_in_formula {
    using lifetime = typename N::lifetime;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = N::is_batch, is_off_stack = false;
    template <class Slot>
    static constexpr bool offer_cotangent(Slot const&) noexcept {
        return false;
    }
    template <int S>
    static constexpr void ensure_cotangents(extents<S> const&) noexcept {}
    template <class Nested>
    static constexpr bool is_same(Nested const&) noexcept {
        return false;
    }
    extents<0> extent() const { return {}; }
};
}

// A scalar formula inside a bigger one: its operands, which a name that moves in leaves a copy of. So there is nothing to ask at run time, whatever moved in,
// and the value of such a name is computed once more.
template <class N>
class nested : public detail::number_in_formula<N> {
public:
    using value_type = typename N::value_type;
    static constexpr bool is_checked = false;
    using frame = typename N::frame;

    template <class F>
    XGRAD_DETAIL_INLINE explicit nested(std::in_place_t, F&& f) : node_(f.take_operands()) {}
    XGRAD_DETAIL_INLINE nested(nested const& o) : node_(o.node_) {}
    XGRAD_DETAIL_INLINE nested(nested&& o) noexcept : node_(static_cast<N&&>(o.node_)) {}
    XGRAD_DETAIL_INLINE nested& operator=(nested&&) = delete;
    XGRAD_DETAIL_INLINE ~nested() {}

    context* owner() const { return node_.checked_owner(); }
    static constexpr bool is_fresh() noexcept { return true; }
    N const& node_at() const noexcept { return node_; }
    XGRAD_DETAIL_INLINE void prepare() const { node_.prepare(); }
    XGRAD_DETAIL_INLINE void materialise() const { prepare(); }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { node_.forward(f); }
    XGRAD_DETAIL_INLINE void backward(frame const& f, value_type const& g) const noexcept { node_.backward(f, g); }
    void prepare_root(value_type const* seed) const {
        if constexpr (N::splits) node_.prepare_split(seed);
        else detail::prepare_delivery(node_, seed);
    }
    value_type deliver_root(value_type const& seed) const noexcept {
        if constexpr (N::splits) return node_.deliver_split(seed);
        else return node_.value_and_pull(seed);
    }

private:
    N node_;
};

namespace detail {
template <class N>
    requires(!lies_on_stack<N> && !is_eager_node<N>)
inline constexpr bool is_tree<nested<N>> = N::rank == 0;
}

// The same on the stack of a scoped function, where the slot of a name that moves in stays where it is: its operands, or a debt.
template <class N>
    requires(lies_on_stack<N> && !is_eager_node<N>)
class nested<N> : public detail::number_in_formula<N> {
public:
    using value_type = typename N::value_type;
    using ref_type = typename storage_for<N>::ref_type;
    static constexpr bool is_checked = false;
    using frame = typename N::frame;

    template <class F>
    XGRAD_DETAIL_INLINE explicit nested(std::in_place_t, F&& f) : is_name_(!f.is_fresh()) {
        if (is_name_) [[unlikely]] new (&name_) ref_type(f.detach());
        else new (&node_) N(f.take_node());
    }
    XGRAD_DETAIL_INLINE nested(nested&& o) noexcept : is_name_(o.is_name_) {
        if (is_name_) [[unlikely]] new (&name_) ref_type(static_cast<ref_type&&>(o.name_));
        else new (&node_) N(static_cast<N&&>(o.node_));
    }
    XGRAD_DETAIL_INLINE nested& operator=(nested&&) = delete;
    XGRAD_DETAIL_INLINE ~nested() {
        if (is_name_) [[unlikely]] name_.~ref_type();
        else node_.~N();
    }

    XGRAD_DETAIL_INLINE context* owner() const { return is_name_ ? name_.owner() : node_.owner(); }
    bool is_fresh() const noexcept { return !is_name_; }
    N const& node_at() const noexcept { return node_; }
    auto* slot_at() const noexcept { return name_.get(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if (!is_name_) [[likely]] node_.prepare();
    }
    XGRAD_DETAIL_INLINE void materialise() const { prepare(); }
    XGRAD_DETAIL_INLINE void forward(frame& f) const {
        if (!is_name_) [[likely]] node_.forward(f);
        else {
            f = frame{};
            f.y = name_.get()->value;
        }
    }
    XGRAD_DETAIL_INLINE void backward(frame const& f, value_type const& g) const noexcept {
        if (!is_name_) [[likely]] node_.backward(f, g);
        else name_.get()->add(g);
    }
    void prepare_root(value_type const* seed) const {
        if (is_name_) [[unlikely]] return;
        if constexpr (N::splits) node_.prepare_split(seed);
        else detail::prepare_delivery(node_, seed);
    }
    value_type deliver_root(value_type const& seed) const noexcept {
        if (is_name_) [[unlikely]] {
            name_.get()->add(seed);
            return name_.get()->value;
        }
        if constexpr (N::splits) return node_.deliver_split(seed);
        else return node_.value_and_pull(seed);
    }

private:
    union {
        N node_;
        ref_type name_;
    };
    bool is_name_;
};

// The same where it has its value.
template <class N>
    requires is_eager_node<N>
class nested<N> : public detail::number_in_formula<N> {
public:
    using value_type = typename N::value_type;
    static constexpr bool is_checked = true;
    using frame = value_type;

    template <class F>
    XGRAD_DETAIL_INLINE explicit nested(std::in_place_t, F&& f) : y_(f.slot_at()->value), node_(f.take_node()) {}
    XGRAD_DETAIL_INLINE nested(nested const& o) noexcept : y_(o.y_), node_(o.node_) {}
    XGRAD_DETAIL_INLINE nested(nested&& o) noexcept : y_(o.y_), node_(static_cast<N&&>(o.node_)) {}
    XGRAD_DETAIL_INLINE ~nested() {}

    XGRAD_DETAIL_INLINE context* owner() const { return node_.owner(); }
    N const& node_at() const noexcept { return node_; }
    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    XGRAD_DETAIL_INLINE value_type forward() const { return y_; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { f = y_; }
    XGRAD_DETAIL_INLINE void backward(frame const&, value_type const& g) const noexcept { add(g); }
    XGRAD_DETAIL_INLINE void add(value_type const& g) const noexcept { node_.pull_now(g, y_); }

private:
    value_type y_;
    N node_;
};

namespace detail {
template <class N>
    requires is_eager_node<N>
inline constexpr bool holds_debt<nested<N>> = holds_debt<N>;
}

}
XGRAD_DETAIL_QUIET_END
