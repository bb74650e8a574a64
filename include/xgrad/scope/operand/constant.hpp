// Defines number and fixed_array: the constants of a formula: a plain number, and a plain array that stays as it was when it was captured.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/scope/operand/leaf.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T>
struct number {
    using value_type = T;
    using lifetime = void;
    static constexpr int rank = 0;
    static constexpr bool is_active = false, is_batch = lanes<T> != 1;
    using frame = T;
    T v{};

    XGRAD_DETAIL_INLINE context* owner() const noexcept { return nullptr; }
    XGRAD_DETAIL_INLINE T forward() const { return v; }
    XGRAD_DETAIL_INLINE void forward(frame& f) const { f = v; }
    XGRAD_DETAIL_INLINE void backward(frame const&, T const&) const noexcept {}
    XGRAD_DETAIL_INLINE void prepare() const {}
    extents<0> extent() const { return {}; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <class Step>
    using cursor = number_cursor<T, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return cursor<Step>(v); }
    array_ref<T const, 0> source() const noexcept { return {detail::memory_of(v), {}, {}}; }
};

// A plain array as a constant operand: a copy in the workspace, a temporary's own storage, or the author's array where that was promised.
template <class T, int R, class Store>
class constant_array {
public:
    using value_type = T;
    using lifetime = void;
    static constexpr int rank = R;
    static constexpr bool is_active = false, is_batch = lanes<T> != 1;
    using frame = T;

    constant_array() = default;
    constant_array(Store store, memory_t<T const> data, extents<R> shape, strides<R> stride)
        : store_(std::move(store)), data_(data), shape_(shape), stride_(stride), contiguous_(is_contiguous(shape, stride)) {}

    context* owner() const noexcept { return nullptr; }
    void prepare() const {}
    extents<R> extent() const { return shape_; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <class Step>
    using cursor = const_cursor<T, R, Step>;
    template <class Step>
    XGRAD_DETAIL_INLINE cursor<Step> open(plan& p, bool) const noexcept { return {p, data_, shape_, stride_, contiguous_}; }
    array_ref<T const, R> source() const noexcept { return {data_, shape_, stride_}; }

private:
    Store store_;
    memory_t<T const> data_ = nullptr;
    extents<R> shape_;
    strides<R> stride_;
    bool contiguous_ = true;
};

// A plain array of a known shape R as a constant operand: a copy that moves along, or the author's array where that was promised.
template <class T, class R>
class static_constant_array {
public:
    using value_type = T;
    using shape_type = R;
    using lifetime = void;
    static constexpr int rank = R::value;
    static constexpr bool is_active = false, is_batch = lanes<T> != 1;
    using frame = T;

    XGRAD_DETAIL_INLINE static_constant_array(T const* p, bool is_assumed_constant) : promised_(is_assumed_constant ? p : nullptr) { copy(p); }
    XGRAD_DETAIL_INLINE static_constant_array(static_constant_array const& o) : promised_(o.promised_) { copy(o.own_); }
    XGRAD_DETAIL_INLINE static_constant_array& operator=(static_constant_array const& o) {
        promised_ = o.promised_;
        copy(o.own_);
        return *this;
    }

    XGRAD_DETAIL_INLINE context* owner() const noexcept { return nullptr; }
    XGRAD_DETAIL_INLINE void prepare() const {}
    XGRAD_DETAIL_INLINE static constexpr extents<rank> extent() { return R::shape; }
    template <int S>
    XGRAD_DETAIL_INLINE void ensure_cotangents(extents<S> const&) const noexcept {}
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

// A block of a context's memory; none where the array belongs to somebody else.
class block {
public:
    block() = default;
    block(context& c, std::size_t bytes) : owner_(&c), p_(c.memory.take(bytes)), bytes_(bytes) { ++c.live; }
    XGRAD_DETAIL_INLINE block(block&& o) noexcept : owner_(std::exchange(o.owner_, nullptr)), p_(o.p_), bytes_(o.bytes_) {}
    block& operator=(block&&) = delete;
    XGRAD_DETAIL_INLINE ~block() {
        if (owner_) give_back(owner_, p_, bytes_);
    }
    // Takes another one in the place of this.
    void renew(context& c, std::size_t bytes) {
        if (owner_) give_back(owner_, p_, bytes_);
        owner_ = nullptr;  // none is left where the memory cannot be had
        p_ = c.memory.take(bytes);
        bytes_ = bytes;
        owner_ = &c;
        ++c.live;
    }
    XGRAD_DETAIL_INLINE void* get() const noexcept { return p_; }

private:
    // of what it has, not of itself, whose address stays unknown
    static void give_back(context* owner, void* p, std::size_t bytes) noexcept {
        --owner->live;
        owner->memory.give(p, bytes);
    }
    context* owner_ = nullptr;
    void* p_ = nullptr;
    std::size_t bytes_ = 0;
};

// The same, but here is only its address.
class distant_block {
public:
    distant_block() = default;
    distant_block(context& c, block b) : room_(new (c.memory.take(sizeof(room))) room{&c, std::move(b)}) {}
    XGRAD_DETAIL_INLINE distant_block(distant_block&& o) noexcept : room_(std::exchange(o.room_, nullptr)) {}
    XGRAD_DETAIL_INLINE distant_block& operator=(distant_block&& o) noexcept {
        std::swap(room_, o.room_);
        return *this;
    }
    XGRAD_DETAIL_INLINE ~distant_block() {
        if (room_) [[unlikely]] give_back(room_);
    }
    XGRAD_DETAIL_INLINE explicit operator bool() const noexcept { return room_; }
    XGRAD_DETAIL_INLINE void* get() const noexcept { return room_ ? room_->b.get() : nullptr; }

private:
    struct room {
        context* c;
        block b;
    };
    room* room_ = nullptr;
    [[gnu::cold, gnu::noinline]] static void give_back(room* r) noexcept {
        context* const c = r->c;
        r->~room();
        c->memory.give(r, sizeof(room));
    }
};
struct no_block {
    static constexpr void* get() noexcept { return nullptr; }
};

// A plain xtensor expression or container.
template <class T>
concept plain_array = xt::is_xexpression<std::remove_cvref_t<T>>::value;

namespace detail {
template <class S>
inline constexpr int rank_of_shape = dynamic_rank;
template <class I, std::size_t N>
inline constexpr int rank_of_shape<std::array<I, N>> = static_cast<int>(N);
template <std::size_t... N>
inline constexpr int rank_of_shape<xt::fixed_shape<N...>> = static_cast<int>(sizeof...(N));

template <class E>
concept contiguous_storage = requires(E const& e) {
    { e.data() };
    { e.strides() };
    { e.data_offset() };
};

// The shape of a small plain array of fixed shape in row-major order, as elements of type T.
template <class T, class E>
struct plain_static_shape {};
template <std::floating_point T, std::size_t... N, bool Sharable, class Tag>
    requires(sizeof...(N) != 0 && (N * ... * 1) - 1 < most_static_elements / 4)
struct plain_static_shape<T, xt::xfixed_container<T, xt::fixed_shape<N...>, xt::layout_type::row_major, Sharable, Tag>> { using shape_type = static_extents<N...>; };

template <class E>
inline constexpr bool owns_heap = false;
template <class C, xt::layout_type L, class S, class G>
inline constexpr bool owns_heap<xt::xarray_container<C, L, S, G>> = true;
template <class C, std::size_t N, xt::layout_type L, class G>
inline constexpr bool owns_heap<xt::xtensor_container<C, N, L, G>> = true;

template <int R, class E>
extents<R> shape_of(E const& e) {
    extents<R> s;
    s.set_rank(static_cast<int>(e.dimension()));
    int d = 0;
    for (auto n : e.shape()) s[d++] = static_cast<std::size_t>(n);
    return s;
}
template <int R, class E>
strides<R> strides_of(E const& e) {
    strides<R> s;
    s.set_rank(static_cast<int>(e.dimension()));
    int d = 0;
    for (auto n : e.strides()) s[d++] = static_cast<std::ptrdiff_t>(n);
    return s;
}
}

// The rank of a plain array, or dynamic_rank.
template <plain_array E>
inline constexpr int rank_of = detail::rank_of_shape<std::remove_cvref_t<typename std::remove_cvref_t<E>::shape_type>>;

// Captures a plain array as a constant of element type T.
template <class T, plain_array E>
auto as_constant_array(E&& e, context& c) {
    using D = std::remove_cvref_t<E>;
    constexpr int R = rank_of<D>;
    if constexpr (has_static_shape<detail::plain_static_shape<T, D>>) {
        return static_constant_array<T, typename detail::plain_static_shape<T, D>::shape_type>(e.data(), std::is_lvalue_reference_v<E> && c.is_assumed_constant(std::addressof(e)));
    } else if constexpr (!std::is_reference_v<E> && !std::is_const_v<E> && detail::owns_heap<D> && std::is_same_v<typename D::value_type, T>) {
        // the temporary's storage moves along; its elements stay where they are
        auto const shape = detail::shape_of<R>(e);
        auto const stride = detail::strides_of<R>(e);
        T const* p = e.data();
        return constant_array<T, R, D>(std::move(e), p, shape, stride);
    } else {
        auto const shape = detail::shape_of<R>(e);
        if constexpr (std::is_lvalue_reference_v<E> && detail::contiguous_storage<D>)
            if constexpr (std::is_same_v<typename D::value_type, T>)
                if (c.is_assumed_constant(std::addressof(e)))
                    return constant_array<T, R, block>(block(), e.data() + e.data_offset(), shape, detail::strides_of<R>(e));
        // a view of a constant lies in what the author has promised
        if constexpr (!std::is_reference_v<E> && detail::contiguous_storage<D> && requires { std::addressof(std::as_const(e).expression()); })
            if constexpr (std::is_same_v<typename D::value_type, T>)
                if (c.is_assumed_constant(std::addressof(std::as_const(e).expression())))
                    return constant_array<T, R, block>(block(), e.data() + e.data_offset(), shape, detail::strides_of<R>(e));
        std::size_t const n = element_count(shape);
        block b(c, n * sizeof(T));
        auto const p = detail::memory_in<T>(b.get(), n);
        std::size_t i = 0;
        for (auto it = e.template begin<xt::layout_type::row_major>(); i < n; ++it, ++i) {
            if constexpr (number_dual<T> || std::is_trivially_default_constructible_v<T>) p[i] = static_cast<T>(*it);
            else new (p + i) T(static_cast<T>(*it));
        }
        return constant_array<T, R, block>(std::move(b), p, shape, row_major_strides(shape));
    }
}

// std::cref(k): the author's promise that k stays as it is until the gradient is there.
template <class T, plain_array E>
auto as_constant_array(std::reference_wrapper<E> const& r, context& c) {
    using D = std::remove_cvref_t<E>;
    if constexpr (detail::contiguous_storage<D> && std::is_same_v<typename D::value_type, T>) {
        D const& e = r.get();
        return constant_array<T, rank_of<D>, block>(block(), e.data() + e.data_offset(), detail::shape_of<rank_of<D>>(e), detail::strides_of<rank_of<D>>(e));
    } else return as_constant_array<T>(r.get(), c);
}

}
XGRAD_DETAIL_QUIET_END
