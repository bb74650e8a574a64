// Defines constant_number and constant_array: the constants of a formula: a plain number, and a plain array that stays as it was when it was taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include <xgrad/scope/memory/block.hpp>
#include <xgrad/scope/memory/lifetime.hpp>
#include <xgrad/scope/operand/leaf.hpp>
#include <xgrad/scope/operand/plain_array.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T>
struct constant_number : constant_operand<constant_number<T>> {
    using value_type = T;
    static constexpr int rank = 0;
    static constexpr bool is_batch = lanes<T> != 1;
    using frame = T;
    T v{};

    constant_number() = default;
    XGRAD_DETAIL_INLINE explicit constant_number(T const& x) : v(x) {}
    XGRAD_DETAIL_INLINE T forward() const { return v; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { f = v; }
    XGRAD_DETAIL_INLINE void backward(frame const&, T const&) const noexcept {}
    // Not by ==: 0 and -0 are two.
    XGRAD_DETAIL_INLINE bool is_same(constant_number const& o) const noexcept {
        if constexpr (std::is_trivially_copyable_v<T>) return std::memcmp(&v, &o.v, sizeof(T)) == 0;
        else return false;
    }
    extents<0> extent() const { return {}; }
    template <class Step>
    using cursor = number_cursor<T, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return cursor<Step>(v); }
    array_ref<T const, 0> source() const noexcept { return {detail::memory_of(v), {}, {}}; }
};

// A pack that is no number of all lanes.
template <batch T>
struct constant_lanes : constant_number<T> {
    using lifetime = counted;
    using constant_number<T>::constant_number;
};

// A plain array as a constant operand: a copy in the workspace, a temporary's own storage, or the author's array where that was promised.
template <class T, int R, class Store>
class constant_array : public constant_operand<constant_array<T, R, Store>> {
public:
    using value_type = T;
    static constexpr int rank = R;
    static constexpr bool is_batch = lanes<T> != 1;
    using frame = T;

    constant_array() = default;
    constant_array(Store store, memory_t<T const> data, extents<R> shape, strides<R> stride)
        : store_(std::move(store)), data_(data), shape_(shape), stride_(stride), contiguous_(is_contiguous(shape, stride)) {}
    // A copy of storage of its own has its elements elsewhere.
    constant_array(constant_array const& o)
        requires(!std::is_same_v<Store, block> && std::is_copy_constructible_v<Store>)
        : store_(o.store_), data_(store_.data() + (o.data_ - o.store_.data())), shape_(o.shape_), stride_(o.stride_), contiguous_(o.contiguous_) {}
    constant_array(constant_array const&) = default;
    constant_array(constant_array&&) = default;
    constant_array& operator=(constant_array&&) = default;

    extents<R> extent() const { return shape_; }
    XGRAD_DETAIL_INLINE bool is_same(constant_array const& o) const noexcept { return data_ == o.data_ && shape_ == o.shape_ && stride_ == o.stride_; }
    template <class Step>
    using cursor = const_cursor<T, R, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(seen_arrays& p, bool) const noexcept { return {p, data_, shape_, stride_, contiguous_}; }
    array_ref<T const, R> source() const noexcept { return {data_, shape_, stride_}; }
    // While a pass goes through it stretch by stretch: its elements begin n further on.
    void advance(std::ptrdiff_t n) const noexcept { data_ = data_ + n; }

private:
    Store store_;
    mutable memory_t<T const> data_ = nullptr;
    extents<R> shape_;
    strides<R> stride_;
    bool contiguous_ = true;
};

namespace detail {
// The room small/ says which arrays it takes, and how.
template <class T, class E>
struct small_constant {};
template <class T, class E>
concept is_small_constant = requires { small_constant<T, E>::take; };
// Whether the elements of a D can be read where they lie. Those of duals lie apart in active arrays.
template <class D, class T>
concept lies_as = std::is_same_v<typename D::value_type, T> && !number_dual<T>;
}

namespace detail {
// Of truths their bytes: g++ makes no SIMD of loads of bool.
template <class T>
auto const* readable(T const* p) {
    if constexpr (std::is_same_v<T, bool>) return reinterpret_cast<unsigned char const*>(p);
    else return p;
}

// Into memory that holds no objects yet. What lies in memory is read there; of numbers xtensor evaluates any expression; its iterators step through all others.
template <class T, class E, int R>
void copy_plain_array(E const& e, extents<R> const& shape, memory_t<T> to) {
    auto const put = [to](std::size_t i, auto const& x) {
        if constexpr (number_dual<T> || std::is_trivially_default_constructible_v<T>) to[i] = static_cast<T>(x);
        else new (to + i) T(static_cast<T>(x));
    };
    if constexpr (contiguous_storage<E>) {
        auto const* const from = readable(e.data() + e.data_offset());
        for_each_offset(shape, strides_of<R>(e), [&](std::size_t i, std::ptrdiff_t at) { put(i, from[at]); });
    } else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<typename E::value_type>) xt::noalias(container_on(to, shape)) = e;
    else {
        auto it = e.template begin<xt::layout_type::row_major>();
        for (std::size_t i = 0, n = element_count(shape); i < n; ++it, ++i) put(i, *it);
    }
}
}

// A plain array as a constant of element type T, as it is now.
template <class T, plain_array E>
auto as_constant_array(E&& e, context& c) {
    using D = std::remove_cvref_t<E>;
    constexpr int R = rank_of<D>;
    if constexpr (detail::is_small_constant<T, D>)
        return detail::small_constant<T, D>::take(e.data(), std::is_lvalue_reference_v<E> && c.is_assumed_constant(std::addressof(e)));
    else if constexpr (!std::is_reference_v<E> && !std::is_const_v<E> && detail::owns_heap<D> && detail::lies_as<D, T>) {
        // the temporary's storage moves along; its elements stay where they are
        auto const shape = detail::shape_of<R>(e);
        auto const stride = detail::strides_of<R>(e);
        T const* p = e.data();
        return constant_array<T, R, D>(std::move(e), p, shape, stride);
    } else {
        auto const shape = detail::shape_of<R>(e);
        if constexpr (std::is_lvalue_reference_v<E> && detail::contiguous_storage<D>)
            if constexpr (detail::lies_as<D, T>)
                if (c.is_assumed_constant(std::addressof(e)))
                    return constant_array<T, R, block>(block(), e.data() + e.data_offset(), shape, detail::strides_of<R>(e));
        // a view of a constant lies in what the author has promised
        if constexpr (!std::is_reference_v<E> && detail::contiguous_storage<D> && requires { std::addressof(std::as_const(e).expression()); })
            if constexpr (detail::lies_as<D, T>)
                if (c.is_assumed_constant(std::addressof(std::as_const(e).expression())))
                    return constant_array<T, R, block>(block(), e.data() + e.data_offset(), shape, detail::strides_of<R>(e));
        std::size_t const n = element_count(shape);
        block b(c, n * sizeof(T));
        auto const p = detail::memory_in<T>(b.get(), n);
        detail::copy_plain_array<T>(e, shape, p);
        return constant_array<T, R, block>(std::move(b), p, shape, row_major_strides(shape));
    }
}

// std::cref(k): the author's promise that k stays as it is until the gradient is there.
template <class T, plain_array E>
auto as_constant_array(std::reference_wrapper<E> const& r, context& c) {
    using D = std::remove_cvref_t<E>;
    if constexpr (detail::contiguous_storage<D> && detail::lies_as<D, T>) {
        D const& e = r.get();
        return constant_array<T, rank_of<D>, block>(block(), e.data() + e.data_offset(), detail::shape_of<rank_of<D>>(e), detail::strides_of<rank_of<D>>(e));
    } else return as_constant_array<T>(r.get(), c);
}

}
XGRAD_DETAIL_QUIET_END
