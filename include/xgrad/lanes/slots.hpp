// Defines lane_number and lane_array: the slots of what f is given for one item, or for a pack of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <new>

#include <xgrad/scope/memory/block.hpp>
#include <xgrad/scope/operand/input.hpp>
#include <xgrad/scope/small/small.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// How long the values of packs live: what f has captured is found by its type. What all items share is the same in all of them.
#ifdef XGRAD_UNCHECKED_SCOPES
using pack_lifetime = unchecked;
#else
using pack_lifetime = scoped;
#endif
template <class V, class M>
using lifetime_of_shared = std::conditional_t<is_stacked<M>, in_common, M>;
template <class V, class M>
using lifetime_of_items = std::conditional_t<is_pack<V> && is_stacked<M>, pack_lifetime, M>;

// A number of f's, with elements V and values of lifetime M.
template <class V, class M>
class lane_number {
public:
    lane_number(context& c, extents<0> const&) { s_.owner = &c; }
    lane_number(lane_number const&) = delete;
    static constexpr std::size_t size() noexcept { return 1; }
    XGRAD_DETAIL_INLINE void set(std::size_t, V const& v) noexcept { s_.value = v; }
    V value(std::size_t) const noexcept { return s_.value; }
    XGRAD_DETAIL_INLINE void clear() noexcept {
        s_.cotangent = V(0);
        s_.has_cotangent = false;
    }
    XGRAD_DETAIL_INLINE bool came() const noexcept { return s_.has_cotangent; }
    XGRAD_DETAIL_INLINE V cotangent(std::size_t) const noexcept { return s_.cotangent; }
    input<V, rank_c<0>, M> handle() noexcept { return input<V, rank_c<0>, M>(&s_); }

private:
    slot<V, rank_c<0>> s_;
};

// An array of f's, whose shape R may say.
template <class V, class R, class M>
class lane_array {
public:
    lane_array(context& c, extents<R::value> const& shape) : room_(c, bytes_of_packs(2 * element_count(shape) * sizeof(V))), size_(element_count(shape)) {
        auto* const p = static_cast<std::byte*>(room_.get());
        for (std::size_t i = 0; i < 2 * size_; ++i) new (p + i * sizeof(V)) V(0);
        s_.owner = &c;
        s_.value = memory_in<V>(p, size_);
        s_.cotangent = memory_in<V>(p + size_ * sizeof(V), size_);
        s_.has_cotangent = false;
        if constexpr (requires { s_.version; }) {
            s_.shape = shape;
            s_.stride = row_major_strides(shape);
            s_.size = size_;
        }
    }
    lane_array(lane_array const&) = delete;
    std::size_t size() const noexcept { return size_; }
    XGRAD_DETAIL_INLINE void set(std::size_t k, V const& v) noexcept { s_.value[k] = v; }
    V value(std::size_t k) const noexcept { return V(s_.value[k]); }
    memory_t<V> values() const noexcept { return s_.value; }
    memory_t<V const> cotangents() const noexcept { return s_.cotangent; }
    XGRAD_DETAIL_INLINE void clear() noexcept { s_.has_cotangent = false; }
    XGRAD_DETAIL_INLINE bool came() const noexcept { return s_.has_cotangent; }
    XGRAD_DETAIL_INLINE V cotangent(std::size_t k) const noexcept { return V(s_.cotangent[k]); }
    input<V, R, M> handle() noexcept { return input<V, R, M>(&s_); }

private:
    block room_;
    std::size_t size_;
    input_slot_t<V, R, M> s_;
};

// How f sees a short row: as an array, of which each element that it reads is a number with a slot of its own.
template <class V, std::size_t N, class R, class M>
class row_handle : public input<V, R, M> {
public:
    using element_type = input<V, rank_c<0>, M>;
    row_handle() = default;
    row_handle(input<V, R, M> const& all, slot<V, rank_c<0>>* elements) noexcept : input<V, R, M>(all), elements_(elements) {}
    using input<V, R, M>::operator();
    template <std::integral I>
    XGRAD_DETAIL_INLINE element_type operator()(I i) const {
        auto const k = static_cast<std::size_t>(i);
        if (k >= N) [[unlikely]] static_cast<void>(input<V, R, M>::operator()(i));  // which says so
        return element_type(elements_ + k);
    }

private:
    slot<V, rank_c<0>>* elements_ = nullptr;
};

// A row of N numbers. Duals lie in memory in another way than small arrays do.
template <class V, std::size_t N, class M>
class lane_row {
    using R = std::conditional_t<number_dual<V>, rank_c<1>, static_extents<N>>;

public:
    lane_row(context& c, extents<1> const& shape) : all_(c, shape) {
        for (auto& e : elements_) e.owner = &c;
    }
    static constexpr std::size_t size() noexcept { return N; }
    XGRAD_DETAIL_INLINE void set(std::size_t k, V const& v) noexcept {
        all_.set(k, v);
        elements_[k].value = v;
    }
    V value(std::size_t k) const noexcept { return elements_[k].value; }
    XGRAD_DETAIL_INLINE void clear() noexcept {
        all_.clear();
        for (auto& e : elements_) {
            e.cotangent = V(0);
            e.has_cotangent = false;
        }
    }
    XGRAD_DETAIL_INLINE bool came() const noexcept {
        bool some = all_.came();
        for (auto const& e : elements_) some = some || e.has_cotangent;
        return some;
    }
    XGRAD_DETAIL_INLINE V cotangent(std::size_t k) const noexcept {
        V const own = elements_[k].cotangent;
        return all_.came() ? V(own + all_.cotangent(k)) : own;
    }
    auto handle() noexcept { return row_handle<V, N, R, M>(all_.handle(), elements_); }

private:
    lane_array<V, R, M> all_;
    slot<V, rank_c<0>> elements_[N];
};

// By its shape.
template <class V, class R, class M>
struct find_lane_slot { using type = lane_array<V, R, M>; };
template <class V, class M>
struct find_lane_slot<V, rank_c<0>, M> { using type = lane_number<V, M>; };
template <class V, std::size_t N, class M>
struct find_lane_slot<V, static_extents<N>, M> { using type = lane_row<V, N, M>; };
template <class V, class R, class M>
using lane_slot = typename find_lane_slot<V, R, M>::type;

// A row of N numbers, or for 0 a number.
template <class V, std::size_t N>
struct find_row_shape { using type = std::conditional_t<(N > most_static_elements), rank_c<1>, static_extents<N>>; };
template <class V>
struct find_row_shape<V, 0> { using type = rank_c<0>; };
#ifdef XGRAD_DETAIL_WITHOUT_SMALL
template <class V, std::size_t N>
    requires(N != 0)
struct find_row_shape<V, N> { using type = rank_c<1>; };
#endif
template <class V, std::size_t N>
using row_shape = typename find_row_shape<V, N>::type;

}
XGRAD_DETAIL_QUIET_END
