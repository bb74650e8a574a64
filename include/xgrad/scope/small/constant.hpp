// Defines static_constant_array: a small plain array of static shape as a constant operand.
#pragma once

#include <concepts>
#include <cstddef>

#include <xgrad/scope/operand/constant.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A plain array of a known shape R as a constant operand: a copy that moves along, or the author's array where that was promised.
template <class T, class R>
class static_constant_array : public constant_operand<static_constant_array<T, R>> {
public:
    using value_type = T;
    using shape_type = R;
    static constexpr int rank = R::value;
    static constexpr bool is_batch = lanes<T> != 1;
    using frame = T;

    XGRAD_DETAIL_INLINE static_constant_array(T const* p, bool is_assumed_constant) : promised_(is_assumed_constant ? p : nullptr) { copy(p); }
    XGRAD_DETAIL_INLINE static_constant_array(static_constant_array const& o) : promised_(o.promised_) { copy(o.own_); }
    XGRAD_DETAIL_INLINE static_constant_array& operator=(static_constant_array const& o) {
        promised_ = o.promised_;
        copy(o.own_);
        return *this;
    }

    XGRAD_DETAIL_INLINE static constexpr extents<rank> extent() { return R::shape; }
    template <class Step>
    using cursor = typename Step::template cursor_of_static_constant<T, R>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type& p, bool) const noexcept { return {p, data(), R::shape, R::stride, true}; }
    XGRAD_DETAIL_INLINE array_ref<T const, rank> source() const noexcept { return {data(), R::shape, R::stride}; }

private:
    T const* promised_;
    T own_[R::size];
    XGRAD_DETAIL_INLINE T const* data() const noexcept { return promised_ ? promised_ : own_; }
    XGRAD_DETAIL_INLINE void copy(T const* p) noexcept {
        if (promised_) return;
        for (std::size_t i = 0; i < R::size; ++i) own_[i] = p[i];
    }
};

namespace detail {
template <std::floating_point T, std::size_t... N, bool Sharable, class Tag>
    requires(sizeof...(N) != 0 && (N * ... * 1) - 1 < most_static_elements / 4)
struct small_constant<T, xt::xfixed_container<T, xt::fixed_shape<N...>, xt::layout_type::row_major, Sharable, Tag>> {
    XGRAD_DETAIL_INLINE static auto take(T const* p, bool is_assumed_constant) {
        return static_constant_array<T, static_extents<N...>>(p, is_assumed_constant);
    }
};
}

}
XGRAD_DETAIL_QUIET_END
#endif
