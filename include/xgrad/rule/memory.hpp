// Defines memory_t<T>: where elements of type T lie: T*, and for duals one array of primals and one of each tangent, as SIMD and BLAS want them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/inline.hpp>
#include <xgrad/tangent/dual_arithmetic.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T>
class dual_memory;

namespace detail {
template <class T>
struct memory_impl { using type = T*; };
template <class T>
    requires number_dual<T>
struct memory_impl<T> { using type = dual_memory<T>; };
}

// T may be const.
template <class T>
using memory_t = typename detail::memory_impl<T>::type;

// One element of an array of duals: it reads as T and is assigned T.
template <class T>
class dual_reference {
    using D = std::remove_const_t<T>;

public:
    XGRAD_DETAIL_INLINE constexpr explicit dual_reference(dual_memory<T> p) noexcept : p_(p) {}
    XGRAD_DETAIL_INLINE constexpr operator D() const {
        D x(typename D::primal_type(*p_.primal()));
        for (std::size_t k = 0; k < D::count; ++k) x.direction(k) = *p_.direction(k);
        return x;
    }
    XGRAD_DETAIL_INLINE constexpr dual_reference const& operator=(D const& x) const
        requires(!std::is_const_v<T>)
    {
        *p_.primal() = x.primal;
        for (std::size_t k = 0; k < D::count; ++k) *p_.direction(k) = x.direction(k);
        return *this;
    }
    // the element, not the place
    XGRAD_DETAIL_INLINE constexpr dual_reference const& operator=(dual_reference const& o) const { return *this = static_cast<D>(o); }
    constexpr dual_reference(dual_reference const&) = default;

private:
    dual_memory<T> p_;
};

// Like a pointer to T. The tangents lie `stride` elements apart.
template <class T>
class dual_memory {
    using D = std::remove_const_t<T>;
    using P = typename D::primal_type;

public:
    using part = memory_t<std::conditional_t<std::is_const_v<T>, P const, P>>;
    constexpr dual_memory() = default;
    constexpr dual_memory(std::nullptr_t) {}
    constexpr dual_memory(part primal, part tangent, std::ptrdiff_t stride) : primal_(primal), tangent_(tangent), stride_(stride) {}
    template <class U>
        requires(std::is_same_v<T, U const> && !std::is_same_v<T, U>)
    constexpr dual_memory(dual_memory<U> const& o) : primal_(o.primal()), tangent_(o.direction(0)), stride_(o.stride()) {}

    XGRAD_DETAIL_INLINE constexpr part primal() const { return primal_; }
    XGRAD_DETAIL_INLINE constexpr part direction(std::size_t k) const { return tangent_ + static_cast<std::ptrdiff_t>(k) * stride_; }
    constexpr std::ptrdiff_t stride() const { return stride_; }

    XGRAD_DETAIL_INLINE constexpr dual_reference<T> operator*() const { return dual_reference<T>(*this); }
    template <class I>
    XGRAD_DETAIL_INLINE constexpr dual_reference<T> operator[](I i) const { return *(*this + static_cast<std::ptrdiff_t>(i)); }
    template <class I>
    friend XGRAD_DETAIL_INLINE constexpr dual_memory operator+(dual_memory const& p, I i) {
        auto const n = static_cast<std::ptrdiff_t>(i);
        return {p.primal_ + n, p.tangent_ + n, p.stride_};
    }
    template <class I>
    friend XGRAD_DETAIL_INLINE constexpr dual_memory operator-(dual_memory const& p, I i) { return p + (-static_cast<std::ptrdiff_t>(i)); }
    template <class I>
    XGRAD_DETAIL_INLINE constexpr dual_memory& operator+=(I i) { return *this = *this + i; }
    XGRAD_DETAIL_INLINE constexpr dual_memory& operator++() { return *this += 1; }
    constexpr explicit operator bool() const { return static_cast<bool>(primal_); }

private:
    part primal_{};
    part tangent_{};
    std::ptrdiff_t stride_ = 0;
};

namespace detail {

// The address of the first primal.
template <class T>
constexpr T* address_of(T* p) noexcept { return p; }
template <class T>
constexpr auto* address_of(dual_memory<T> const& p) noexcept { return address_of(p.primal()); }

// One number as an array of one element, where it is.
template <class T>
constexpr memory_t<T> memory_of(T& x) noexcept {
    if constexpr (!number_dual<T>) return &x;
    else return {memory_of(x.primal), memory_of(x.direction(0)), 1};
}

// Room for `size` elements, in sizeof(T) * size bytes at p.
template <class T>
memory_t<T> memory_in(void* p, std::size_t size) noexcept {
    if constexpr (!number_dual<T>) return static_cast<T*>(p);
    else {
        using P = typename T::primal_type;
        auto const first = memory_in<P>(p, size);
        static_assert(sizeof(T) >= sizeof(P) * (1 + T::count));
        auto* rest = static_cast<std::byte*>(p) + sizeof(P) * size;
        // the tangents of each direction have their own block; those of a nested dual lie together in it
        if constexpr (number_dual<P>) {
            static_assert(T::count == 1, "xgrad: arrays of nested duals require one direction at the outer derivative");
            return {first, memory_in<P>(rest, size), 0};
        } else return {first, reinterpret_cast<P*>(rest), static_cast<std::ptrdiff_t>(size)};
    }
}

template <class T>
void copy_elements(memory_t<T const> from, std::size_t n, memory_t<T> to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = T(from[i]);
}
template <class T>
void swap_elements(memory_t<T> a, memory_t<T> b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        T const x = T(a[i]);
        a[i] = T(b[i]);
        b[i] = x;
    }
}
template <class T>
void fill_elements(memory_t<T> p, std::size_t n, T const& x) {
    for (std::size_t i = 0; i < n; ++i) p[i] = x;
}

}

}
XGRAD_DETAIL_QUIET_END
