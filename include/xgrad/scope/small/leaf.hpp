// Defines static_leaf: an operand that is all of a small array of static shape in a slot.
#pragma once

#include <cstddef>

#include <xgrad/scope/operand/slot_ref.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// The operand D is all of the slot D::get(), an array whose shape is the constant R, in row-major order: the slot is asked for addresses alone.
template <class D, class T, class R>
struct static_leaf {
    using value_type = T;
    using shape_type = R;
    static constexpr int rank = R::value;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_elementwise = false;
    using frame = T;

    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    XGRAD_DETAIL_INLINE bool is_same(D const& o) const noexcept { return self().get() == o.get(); }
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    XGRAD_DETAIL_INLINE static constexpr extents<rank> extent() { return R::shape; }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const& space) const noexcept {
        if (!detail::covers(space, R::shape)) self().get()->ensure_cotangent();
    }
    template <class Step>
    using cursor = typename Step::template cursor_of_static<T, R>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool reverse) const noexcept {
        auto* s = self().get();
        bool const first = reverse && !s->has_cotangent;
        if (reverse) s->has_cotangent = true;
        return {p, s->value, reverse ? s->cotangent : nullptr, 0, first, R::shape, R::stride, true};
    }
    XGRAD_DETAIL_INLINE array_ref<T const, rank> source() const noexcept { return {self().get()->value, R::shape, R::stride}; }
    XGRAD_DETAIL_INLINE array_ref<T, rank> target(bool& add) const noexcept {
        auto* s = self().get();
        add = s->has_cotangent;
        s->has_cotangent = true;
        return {s->cotangent, R::shape, R::stride};
    }

private:
    XGRAD_DETAIL_INLINE D const& self() const noexcept { return static_cast<D const&>(*this); }
};

namespace detail {
template <class D, class T, std::size_t... N>
struct leaf_base<D, T, static_extents<N...>> { using type = static_leaf<D, T, static_extents<N...>>; };
}

}
XGRAD_DETAIL_QUIET_END
#endif
