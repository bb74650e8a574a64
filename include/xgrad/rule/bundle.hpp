// Defines bundle<T...>: a tuple that melts into its user: its special members are inlined, and copy member by member.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <std::size_t I, class T>
struct bundle_element {
    T value;
    XGRAD_DETAIL_INLINE constexpr bundle_element() {}
    XGRAD_DETAIL_INLINE constexpr explicit bundle_element(T&& v) : value(static_cast<T&&>(v)) {}
    XGRAD_DETAIL_INLINE constexpr bundle_element(bundle_element&& o) noexcept : value(static_cast<T&&>(o.value)) {}
    XGRAD_DETAIL_INLINE constexpr bundle_element(bundle_element const& o) : value(o.value) {}
    XGRAD_DETAIL_INLINE constexpr bundle_element& operator=(bundle_element const& o) {
        value = o.value;
        return *this;
    }
    ~bundle_element()
        requires(std::is_trivially_destructible_v<T>)
    = default;
    XGRAD_DETAIL_INLINE constexpr ~bundle_element() {}
};
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T& element_at(bundle_element<I, T>& e) noexcept { return e.value; }
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T const& element_at(bundle_element<I, T> const& e) noexcept { return e.value; }

template <class I, class... T>
struct bundle_elements;
template <std::size_t... I, class... T>
struct bundle_elements<std::index_sequence<I...>, T...> : bundle_element<I, T>... {
    XGRAD_DETAIL_INLINE constexpr bundle_elements() {}
    XGRAD_DETAIL_INLINE constexpr explicit bundle_elements(T&&... e)
        requires(sizeof...(T) > 0)
        : bundle_element<I, T>(static_cast<T&&>(e))... {}
    XGRAD_DETAIL_INLINE constexpr bundle_elements(bundle_elements const& o) : bundle_element<I, T>(static_cast<bundle_element<I, T> const&>(o))... {}
    XGRAD_DETAIL_INLINE constexpr bundle_elements(bundle_elements&& o) noexcept : bundle_element<I, T>(static_cast<bundle_element<I, T>&&>(o))... {}
    XGRAD_DETAIL_INLINE constexpr bundle_elements& operator=(bundle_elements const& o) {
        ((static_cast<bundle_element<I, T>&>(*this) = static_cast<bundle_element<I, T> const&>(o)), ...);
        return *this;
    }
    ~bundle_elements()
        requires(std::is_trivially_destructible_v<T> && ...)
    = default;
    XGRAD_DETAIL_INLINE constexpr ~bundle_elements() {}
};

}

// item<I>(b) is the I-th element.
template <class... T>
using bundle = detail::bundle_elements<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class B>
XGRAD_DETAIL_INLINE constexpr auto& item(B& b) noexcept { return detail::element_at<I>(b); }

}
XGRAD_DETAIL_QUIET_END
