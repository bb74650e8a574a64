// Defines slot_view<S, R>: a strided part of an active array: a view, a transpose, an element.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/leaf.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
template <class E, class X>
X& refuse_assignment_to_part(X& x) {
    static_assert(never<E>, "xgrad[E107]: x(i) = e and view(x, ...) = e (or +=, -=, *=, /=) require for x an array variable, but x is an argument, a field, an "
                            "expression, const, or a view that has a name: begin with xgrad::variable u = x, and assign to the parts of u");
    return x;
}

// How a part of an array lies. That of an element takes no room: formulas hold many.
template <int R>
struct lie {
    extents<R> shape;
    strides<R> stride;
    bool contiguous = true;
};
template <>
struct lie<0> {
    static constexpr extents<0> shape{};
    static constexpr strides<0> stride{};
    constexpr lie() = default;
    constexpr lie(extents<0> const&, strides<0> const&, bool) {}
};
}

// A strided part of a slot: a view, a transpose, an element (rank 0). It has no value and no pullback of its own.
template <class S, class R>
class slot_view : public array_interface<slot_view<S, R>, typename S::value_type, R::value> {
public:
    using active_tag = void;
    using lifetime = typename S::lifetime;
    using value_type = typename S::value_type;
    using T = value_type;
    static constexpr int rank = R::value;
    static constexpr bool is_active = true, is_batch = lanes<T> != 1, is_checked = false, is_off_stack = S::is_off_stack, is_elementwise = false;
    using frame = T;

    slot_view() = default;
    XGRAD_DETAIL_INLINE slot_view(S source, std::ptrdiff_t offset, extents<rank> shape, strides<rank> stride)
        : source_(std::move(source)), offset_(offset), lie_{shape, stride, is_contiguous(shape, stride)} {}

    // A named element may become another, as a number may. Anything else would be an assignment to the array behind it.
    slot_view(slot_view const&) = default;
    slot_view(slot_view&&) = default;
    XGRAD_DETAIL_INLINE ~slot_view() {}
    slot_view& operator=(slot_view const&) &
        requires(rank == 0)
    = default;
    slot_view& operator=(slot_view&&) &
        requires(rank == 0)
    = default;
    template <class E>
        requires(rank != 0 || !std::is_same_v<std::remove_cvref_t<E>, slot_view>)
    slot_view& operator=(E&&) & { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    slot_view& operator=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    slot_view& operator+=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    slot_view& operator-=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    slot_view& operator*=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }
    template <class E>
    slot_view& operator/=(E&&) && { return detail::refuse_assignment_to_part<E>(*this); }

    XGRAD_DETAIL_INLINE context* owner() const noexcept { return source_.owner(); }
    S const& viewed() const noexcept { return source_; }
    std::ptrdiff_t offset() const noexcept { return offset_; }
    strides<rank> const& steps() const noexcept { return lie_.stride; }
    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE void materialise() const {}
    template <class Slot>
    bool offer_cotangent(Slot const&) const noexcept {
        return false;
    }
    XGRAD_DETAIL_INLINE bool is_same(slot_view const& o) const noexcept {
        return source_.is_same(o.source_) && offset_ == o.offset_ && lie_.shape == o.lie_.shape && lie_.stride == o.lie_.stride;
    }
    XGRAD_DETAIL_INLINE extents<rank> extent() const { return lie_.shape; }
    extents<rank> const& stored_extent() const noexcept { return lie_.shape; }
    XGRAD_DETAIL_INLINE slot_view operand() const& { return *this; }
    XGRAD_DETAIL_INLINE slot_view operand() && { return std::move(*this); }
    XGRAD_DETAIL_INLINE slot_view share() const { return *this; }
    static constexpr bool is_empty() noexcept { return false; }

    XGRAD_DETAIL_INLINE void forward(T& f) const
        requires(rank == 0)
    {
        f = forward();
    }
    XGRAD_DETAIL_INLINE T forward() const
        requires(rank == 0)
    {
        return T(source_.get()->value[offset_]);
    }
    XGRAD_DETAIL_INLINE void backward(T const&, T const& g) const noexcept
        requires(rank == 0)
    {
        add(g);
    }
    T deliver(T const& seed, bool reverse) const
        requires(rank == 0)
    {
        if (reverse) add(seed);
        return forward();
    }
    // A one-hot contribution: it touches one element and builds nothing.
    XGRAD_DETAIL_INLINE void add(T const& g) const noexcept
        requires(rank == 0)
    {
        auto* s = source_.get();
        s->ensure_cotangent();
        auto const a = s->cotangent + offset_;
        *a = T(*a) + g;
    }

    template <int Q>
    void ensure_cotangents(extents<Q> const&) const noexcept {
        if constexpr (rank != 0) source_.get()->ensure_cotangent();
    }
    template <class Step>
    using cursor = std::conditional_t<rank == 0, scalar_cursor<T, Step, slot_view>, array_cursor<T, rank, Step>>;
    template <class Step>
    cursor<Step> open([[maybe_unused]] typename Step::plan_type& p, [[maybe_unused]] bool reverse) const noexcept {
        auto* s = source_.get();
        if constexpr (rank == 0) return {T(s->value[offset_]), this};
        else return {p, s->value, reverse ? s->cotangent : memory_t<T>(nullptr), offset_, false, lie_.shape, lie_.stride, lie_.contiguous, 0, true};
    }
    array_ref<T const, rank> source() const noexcept { return {source_.get()->value + offset_, lie_.shape, lie_.stride}; }
    array_ref<T, rank> target(bool& add) const noexcept {
        auto* s = source_.get();
        s->ensure_cotangent();
        add = true;
        return {s->cotangent + offset_, lie_.shape, lie_.stride};
    }

protected:
    // The same part of another value.
    void look_at(S source) noexcept { source_ = std::move(source); }

private:
    S source_;
    std::ptrdiff_t offset_ = 0;
    [[no_unique_address]] detail::lie<rank> lie_;
};

namespace detail {

template <class E>
inline constexpr bool is_slot_view = false;
template <class S, class R>
inline constexpr bool is_slot_view<slot_view<S, R>> = true;

// Of what lies in a slot, or of a part of that. A part of a part is a part of what is behind it.
template <class E, int R>
XGRAD_DETAIL_INLINE auto make_slot_view(E const& e, std::ptrdiff_t offset, extents<R> const& shape, strides<R> const& stride) {
    if constexpr (is_slot_view<E>) return make_slot_view(e.viewed(), e.offset() + offset, shape, stride);
    else return slot_view<E, rank_c<R>>(e, offset, shape, stride);
}
template <class E>
XGRAD_DETAIL_INLINE auto const& steps_of(E const& e) {
    if constexpr (is_slot_view<E>) return e.steps();
    else return e.get()->stride;
}

}

}
XGRAD_DETAIL_QUIET_END
