// Defines scalar_leaf and array_leaf: what a kernel asks of an operand that is a value in a slot.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/scope/kernel/array_cursor.hpp>
#include <xgrad/scope/memory/slot.hpp>
#include <xgrad/scope/operand/operand.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <int S, int R>
XGRAD_DETAIL_INLINE bool covers(extents<S> const& space, extents<R> const& shape) noexcept {
    if constexpr (S != dynamic_rank && R != dynamic_rank && S != R) return false;
    else {
        if (space.rank() != shape.rank()) return false;
        for (int d = 0; d < space.rank(); ++d)
            if (space[d] != shape[d]) return false;
        return true;
    }
}
}

namespace detail {
// Where a rule adds to the cotangent of a scalar, which is always valid.
template <class S>
array_ref<decltype(S::cotangent), 0> scalar_target(S& slot, bool& add) noexcept {
    add = true;
    slot.has_cotangent = true;
    return {memory_of(slot.cotangent), {}, {}};
}
}

// The operand D is a scalar in a slot, D::get().
template <class D, class T>
struct scalar_leaf {
    using value_type = T;
    static constexpr int rank = 0;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_elementwise = false;
    using frame = T;

    XGRAD_DETAIL_INLINE T forward() const { return self().get()->value; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { f = self().get()->value; }
    XGRAD_DETAIL_INLINE void backward(frame const&, T const& g) const noexcept { self().get()->add(g); }
    XGRAD_DETAIL_INLINE void add(T const& g) const noexcept { self().get()->add(g); }
    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    XGRAD_DETAIL_INLINE bool is_same(D const& o) const noexcept { return self().get() == o.get(); }
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    // As the result of a call.
    XGRAD_DETAIL_INLINE T deliver(T const& seed, bool reverse) const {
        if (reverse) add(seed);
        return forward();
    }
    XGRAD_DETAIL_INLINE extents<0> extent() const { return {}; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <class Step>
    using cursor = scalar_cursor<T, Step, D>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return {self().get()->value, &self()}; }
    array_ref<T const, 0> source() const noexcept { return {detail::memory_of(std::as_const(self().get()->value)), {}, {}}; }
    array_ref<T, 0> target(bool& add) const noexcept { return detail::scalar_target(*self().get(), add); }

private:
    XGRAD_DETAIL_INLINE D const& self() const noexcept { return static_cast<D const&>(*this); }
};

// The operand D is an array: all of the slot D::get().
template <class D, class T, int R>
struct array_leaf {
    using value_type = T;
    static constexpr int rank = R;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_elementwise = false;
    using frame = T;

    XGRAD_DETAIL_INLINE void prepare() const {
        if constexpr (requires { self().get()->deferred; })
            if (auto* s = self().get(); s && s->deferred) [[unlikely]] s->deferred->evaluate(s);
    }
    XGRAD_DETAIL_INLINE void materialise() const { prepare(); }
    XGRAD_DETAIL_INLINE bool is_same(D const& o) const noexcept { return self().get() == o.get(); }
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    XGRAD_DETAIL_INLINE extents<R> extent() const { return self().get()->shape; }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const& space) const noexcept {
        auto* s = self().get();
        if (s->size == 0 || !detail::covers(space, s->shape)) s->ensure_cotangent();
    }
    template <class Step>
    using cursor = array_cursor<T, R, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(seen_arrays& p, bool reverse) const noexcept {
        auto* s = self().get();
        bool const first = reverse && !s->has_cotangent;
        if (reverse) s->has_cotangent = true;
        return {p, s->value, reverse ? s->cotangent : memory_t<T>(nullptr), 0, first, s->shape, s->stride, s->contiguous, s->filled};
    }
    array_ref<T const, R> source() const noexcept {
        auto* s = self().get();
        return {s->value, s->shape, s->stride};
    }
    // Where a rule that covers all of the cotangent puts it, and whether it adds.
    array_ref<T, R> target(bool& add) const noexcept {
        auto* s = self().get();
        add = s->has_cotangent;
        s->has_cotangent = true;
        return {s->cotangent, s->shape, s->stride};
    }

private:
    XGRAD_DETAIL_INLINE D const& self() const noexcept { return static_cast<D const&>(*this); }
};

}
XGRAD_DETAIL_QUIET_END
