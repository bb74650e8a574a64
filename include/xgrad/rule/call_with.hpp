// Defines call_with: a function of the elements of a tuple. std::apply asks more of its types than most functions take to compile.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/rule/inline.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class F, class T, std::size_t... I>
XGRAD_DETAIL_INLINE constexpr decltype(auto) call_with_elements(F&& f, [[maybe_unused]] T&& t, std::index_sequence<I...>) {
    return static_cast<F&&>(f)(std::get<I>(static_cast<T&&>(t))...);
}
// f(e...) of the elements e of t: a std::tuple, a std::pair or a std::array.
template <class F, class T>
XGRAD_DETAIL_INLINE constexpr decltype(auto) call_with(F&& f, T&& t) {
    return call_with_elements(static_cast<F&&>(f), static_cast<T&&>(t), std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<T>>>());
}

}
XGRAD_DETAIL_QUIET_END
