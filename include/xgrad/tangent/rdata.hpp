// rdata_type_t<P>: the part of P's tangent that is identified by its value; it travels backwards only, returned by the pullback.
#pragma once

#include <type_traits>

#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

template <class P>
consteval auto find_rdata_type();

}  // namespace detail

template <class P>
using rdata_type_t = typename decltype(detail::find_rdata_type<std::remove_cvref_t<P>>())::type;

namespace detail {

struct to_rdata {
    template <class P>
    using type = rdata_type_t<P>;
};

template <class... P>
consteval bool have_no_rdata(type_list<P...>) {
    return (true && ... && std::is_same_v<rdata_type_t<P>, no_rdata>);
}

template <class P>
consteval auto find_rdata_type() {
    if constexpr (std::is_same_v<tangent_type_t<P>, no_tangent>) {
        return type_tag<no_rdata>{};
    } else if constexpr (!has_parts<P>) {
        return type_tag<P>{};
    } else if constexpr (parts<P>::identity != identified::by_parts) {
        return type_tag<no_rdata>{};
    } else if constexpr (have_no_rdata(typename parts<P>::types{})) {
        return type_tag<no_rdata>{};
    } else {
        return type_tag<rebind_t<P, to_rdata>>{};
    }
}

}  // namespace detail

// The rdata of a reflected struct: its mirror, with the same field names.
template <reflected S>
using rdata = rdata_type_t<S>;

}  // namespace xgrad
