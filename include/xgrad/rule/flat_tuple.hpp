// Defines flat_tuple<T...>: a tuple that melts into its user: its special members are inlined, and copy member by member.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// As std::is_trivially_destructible, which takes far longer to compile.
template <class T>
#if defined(__has_builtin) && __has_builtin(__is_trivially_destructible)
inline constexpr bool is_trivially_destroyed = __is_trivially_destructible(T);
#else
inline constexpr bool is_trivially_destroyed = __has_trivial_destructor(T);
#endif

template <std::size_t I, class T>
struct flat_tuple_element {
    T value;
    XGRAD_DETAIL_INLINE constexpr flat_tuple_element() {}
    XGRAD_DETAIL_INLINE constexpr explicit flat_tuple_element(T&& v) : value(static_cast<T&&>(v)) {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_element(flat_tuple_element&& o) noexcept : value(static_cast<T&&>(o.value)) {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_element(flat_tuple_element const& o) : value(o.value) {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_element& operator=(flat_tuple_element const& o) {
        value = o.value;
        return *this;
    }
    ~flat_tuple_element()
        requires(is_trivially_destroyed<T>)
    = default;
    XGRAD_DETAIL_INLINE constexpr ~flat_tuple_element() {}
};
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T& element_at(flat_tuple_element<I, T>& e) noexcept { return e.value; }
template <std::size_t I, class T>
XGRAD_DETAIL_INLINE constexpr T const& element_at(flat_tuple_element<I, T> const& e) noexcept { return e.value; }

template <class I, class... T>
struct flat_tuple_elements;
template <std::size_t... I, class... T>
struct flat_tuple_elements<std::index_sequence<I...>, T...> : flat_tuple_element<I, T>... {
    XGRAD_DETAIL_INLINE constexpr flat_tuple_elements() {}
    XGRAD_DETAIL_INLINE constexpr explicit flat_tuple_elements(T&&... e)
        requires(sizeof...(T) > 0)
        : flat_tuple_element<I, T>(static_cast<T&&>(e))... {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_elements(flat_tuple_elements const& o)
        : flat_tuple_element<I, T>(static_cast<flat_tuple_element<I, T> const&>(o))... {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_elements(flat_tuple_elements&& o) noexcept
        : flat_tuple_element<I, T>(static_cast<flat_tuple_element<I, T>&&>(o))... {}
    XGRAD_DETAIL_INLINE constexpr flat_tuple_elements& operator=(flat_tuple_elements const& o) {
        ((static_cast<flat_tuple_element<I, T>&>(*this) = static_cast<flat_tuple_element<I, T> const&>(o)), ...);
        return *this;
    }
    // f of all elements.
    template <class F>
    XGRAD_DETAIL_INLINE constexpr decltype(auto) apply(F const& f) const {
        return f(static_cast<flat_tuple_element<I, T> const&>(*this).value...);
    }
    ~flat_tuple_elements()
        requires(is_trivially_destroyed<T> && ...)
    = default;
    XGRAD_DETAIL_INLINE constexpr ~flat_tuple_elements() {}
};

}

// item<I>(b) is the I-th element.
template <class... T>
using flat_tuple = detail::flat_tuple_elements<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class B>
XGRAD_DETAIL_INLINE constexpr auto& item(B& b) noexcept { return detail::element_at<I>(b); }

}
XGRAD_DETAIL_QUIET_END
