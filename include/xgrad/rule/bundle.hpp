// Defines bundle<T...>: a tuple that melts into its user: its special members are inlined wherever they are not trivial.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>

namespace xgrad {

namespace detail {

template <std::size_t I, class T>
struct bundle_element {
    T value;
};
template <std::size_t I, class T>
    requires(!std::is_trivially_copyable_v<T>)
struct bundle_element<I, T> {
    T value;
    XGRAD_DETAIL_INLINE explicit bundle_element(T&& v) : value(static_cast<T&&>(v)) {}
    XGRAD_DETAIL_INLINE bundle_element(bundle_element&& o) noexcept : value(static_cast<T&&>(o.value)) {}
    XGRAD_DETAIL_INLINE ~bundle_element() {}
};
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T& element_at(bundle_element<I, T>& e) noexcept { return e.value; }
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T const& element_at(bundle_element<I, T> const& e) noexcept { return e.value; }

template <class I, class... T>
struct bundle_elements;
template <std::size_t... I, class... T>
struct bundle_elements<std::index_sequence<I...>, T...> : bundle_element<I, T>... {
    bundle_elements() = default;
    XGRAD_DETAIL_INLINE constexpr explicit bundle_elements(T&&... e)
        requires(sizeof...(T) > 0)
        : bundle_element<I, T>{static_cast<T&&>(e)}... {}
    bundle_elements(bundle_elements const&) = default;
    bundle_elements& operator=(bundle_elements const&) = default;
    bundle_elements(bundle_elements&&)
        requires(std::is_trivially_copyable_v<T> && ...)
    = default;
    XGRAD_DETAIL_INLINE bundle_elements(bundle_elements&& o) noexcept
        requires(!(std::is_trivially_copyable_v<T> && ...))
        : bundle_element<I, T>(static_cast<bundle_element<I, T>&&>(o))... {}
    ~bundle_elements()
        requires(std::is_trivially_copyable_v<T> && ...)
    = default;
    XGRAD_DETAIL_INLINE ~bundle_elements()
        requires(!(std::is_trivially_copyable_v<T> && ...))
    {}
};

}

// item<I>(b) is the I-th element.
template <class... T>
using bundle = detail::bundle_elements<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class B>
XGRAD_DETAIL_INLINE constexpr auto& item(B& b) noexcept { return detail::element_at<I>(b); }

}
