// Defines value_only<A>: an operand that is read and takes no cotangent, as the condition of a choice.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <xgrad/scope/kernel/tree_or_leaf.hpp>
#include <xgrad/scope/node/carried.hpp>
#include <xgrad/scope/operand/constant.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// Of what is read as A would be, or from an array instead.
template <class C, class Array>
class value_only_cursor : public tree_or_leaf<C, Array> {
public:
    using packs = typename C::packs;
    using given_packs = no_packs;
    static constexpr std::size_t cotangents = 0;

    template <class A, class B, class Plan>
    XGRAD_DETAIL_INLINE value_only_cursor(A const* a, B const& instead, Plan& p) : tree_or_leaf<C, Array>(a, instead, p, false) {}
    template <class Plan>
    XGRAD_DETAIL_INLINE void meet(moment m, Plan& p) {
        if (m == moment::tile_begins || m == moment::entered || m == moment::copies_begin) tree_or_leaf<C, Array>::meet(m, p);
    }
    XGRAD_DETAIL_INLINE void forward(std::size_t i, typename C::frame& f, uses_of_repeated<typename C::step_type>& uses) const {
        if constexpr (C::step_type::repeated::size == 0) tree_or_leaf<C, Array>::forward(i, f, uses);
        else {
            bool const was = std::exchange(uses.is_only_read, true);
            tree_or_leaf<C, Array>::forward(i, f, uses);
            uses.is_only_read = was;
        }
    }
    template <class M, class U>
    XGRAD_DETAIL_INLINE void backward(M const&, U&, std::size_t, typename C::frame const&, packs const&) {}
};

}

// Of an array's operand A, or of an array that stands for it. To the operation that it is part of it is a constant.
template <class A>
class value_only : public constant_operand<value_only<A>> {
public:
    using value_type = typename A::value_type;
    static constexpr int rank = A::rank;
    static constexpr bool is_batch = A::is_batch;
    using frame = value_type;
    using array = constant_array<value_type, rank, block>;

    XGRAD_DETAIL_INLINE explicit value_only(A&& a) : a_(static_cast<A&&>(a)) {}
    explicit value_only(array&& instead) : instead_(std::move(instead)) {}
    // Null where an array stands for it.
    A const* inner() const noexcept { return a_ ? &*a_ : nullptr; }
    array const& instead() const noexcept { return instead_; }
    XGRAD_DETAIL_INLINE extents<rank> extent() const { return a_ ? a_->extent() : instead_.extent(); }
    XGRAD_DETAIL_INLINE void prepare() const {
        if (a_) a_->prepare();
    }
    XGRAD_DETAIL_INLINE void materialise() const {
        if (a_) a_->materialise();
    }
    XGRAD_DETAIL_INLINE bool is_same(value_only const& o) const noexcept {
        return a_ && o.a_ ? a_->is_same(*o.a_) : !a_ && !o.a_ && instead_.is_same(o.instead_);
    }
    template <class Step>
    using cursor = detail::value_only_cursor<detail::operand_cursor_t<A, Step>, typename array::template cursor<Step>>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool) const noexcept {
        return cursor<Step>(inner(), instead_, p);
    }
    array_ref<value_type const, rank> source() const noexcept { return a_ ? a_->source() : instead_.source(); }

private:
    std::optional<A> a_;
    array instead_;
};

template <class A>
struct subtrees<value_only<A>> {
    using type = typename detail::subtree_and_itself<A>::type;
    template <class F>
    XGRAD_DETAIL_INLINE static void from_last(value_only<A> const& a, F& f) {
        if (a.inner()) f.only_read(*a.inner());
    }
};
template <class A>
inline constexpr bool tree_throws<value_only<A>> = tree_throws<A>;
template <class A>
inline constexpr int long_operations<value_only<A>> = long_operations<A>;

namespace detail {
template <class A>
inline constexpr bool holds_debt<value_only<A>> = holds_debt<A>;
template <class A>
inline constexpr int carried_cost<value_only<A>> = carried_cost<A>;
template <class A>
inline constexpr int kernel_operations<value_only<A>> = kernel_operations<A>;
template <class A>
inline constexpr bool goes_in_stretches<value_only<A>> = goes_in_stretches<A>;
template <class A>
struct kernel_leaves<value_only<A>> {
    template <class F>
    static bool all(value_only<A> const& a, F const& f) {
        return a.inner() ? kernel_leaves<A>::all(*a.inner(), f) : f(a.instead());
    }
};
template <class A>
value_only<A> carry(value_only<A> const& a) {
    return a.inner() ? value_only<A>(carry(*a.inner())) : value_only<A>(typename value_only<A>::array(a.instead()));
}
}

}
XGRAD_DETAIL_QUIET_END
