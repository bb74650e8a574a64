// zero_rdata<P>(): the zero of P's rdata, where the type alone says what it is: not where parts come and go, as an optional's.
#pragma once

#include <xgrad/tangent/rdata.hpp>

namespace xgrad {

namespace detail {

template <class P>
consteval bool find_zero_rdata();

template <class... P>
consteval bool find_zero_rdata_of(type_list<P...>) {
    return (true && ... && find_zero_rdata<std::remove_cvref_t<P>>());
}

template <class P>
consteval bool find_zero_rdata() {
    if constexpr (absent<rdata_type_t<P>> || !has_parts<P>)
        return true;
    else if constexpr (fixed_form<P>)
        return find_zero_rdata_of(typename parts<P>::types{});
    else
        return false;
}

}  // namespace detail

// The type of P says what the zero of its rdata is.
template <class P>
concept has_zero_rdata = detail::find_zero_rdata<std::remove_cvref_t<P>>();

template <has_zero_rdata P>
[[nodiscard]] constexpr rdata_type_t<P> zero_rdata() {
    return rdata_type_t<P>{};
}

}  // namespace xgrad
