// type_name<T>(): the name of a type as one writes it, the same from every compiler and standard library; numbered(name, i), of a value.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/fdata.hpp>
#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/rdata.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

template <class T>
[[nodiscard]] std::string type_name();

namespace detail {

// x0, v1: two strings are joined, as g++ 12 warns (-Wrestrict, its bug 105651) where a literal of one character comes before a string.
inline std::string numbered(std::string name, std::size_t i) { return std::move(name) + std::to_string(i); }

template <class T>
struct named;
template <template <class...> class C>
struct named_template;

template <class T>
constexpr std::string_view signature() {
    return __PRETTY_FUNCTION__;
}

// Compilers write `signature() [... T = xgrad::detail::named<app::thing> ...]`; an inline namespace may be there or not.
constexpr std::string_view find_unqualified(std::string_view text) {
    std::size_t const begin = text.find('<', text.find("named")) + 1;
    std::size_t const end = text.find_first_of("<>,;", begin);
    std::size_t const colon = text.rfind(':', end);
    return text.substr(colon == text.npos || colon < begin ? begin : colon + 1, end - (colon == text.npos || colon < begin ? begin : colon + 1));
}

template <class Named>
inline constexpr std::string_view unqualified = find_unqualified(signature<Named>());

template <class... P>
std::string names_of(type_list<P...>) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + type_name<P>()), ...);
    return text;
}

template <class Fn>
inline constexpr std::string_view name_of_mirror = "mirror";
template <>
inline constexpr std::string_view name_of_mirror<to_tangent> = "tangent";
template <>
inline constexpr std::string_view name_of_mirror<to_fdata> = "fdata";
template <>
inline constexpr std::string_view name_of_mirror<to_rdata> = "rdata";

// The name of a container: its own, and its parts'.
template <class T>
struct name_of_container {
    static std::string get() { return std::string(unqualified<named<T>>); }
};
template <template <class...> class C, class... A>
    requires has_parts<C<A...>>
struct name_of_container<C<A...>> {
    static std::string get() { return std::string(unqualified<named_template<C>>) + "<" + names_of(typename parts<C<A...>>::types{}) + ">"; }
};
template <class P, std::size_t N>
struct name_of_container<std::array<P, N>> {
    static std::string get() { return "array<" + type_name<P>() + ", " + std::to_string(N) + ">"; }
};
template <class P, std::size_t N>
struct name_of_container<P[N]> {
    static std::string get() { return type_name<P>() + "[" + std::to_string(N) + "]"; }
};
template <class P, std::size_t N>
struct name_of_container<std::span<P, N>> {
    static std::string get() { return "span<" + type_name<P>() + ">"; }
};
template <class E, std::size_t N, xt::layout_type L, class Tag>
struct name_of_container<xt::xtensor_container<E, N, L, Tag>> {
    static std::string get() { return "xtensor<" + type_name<typename E::value_type>() + ", " + std::to_string(N) + ">"; }
};
template <class E, xt::layout_type L, class S, class Tag>
struct name_of_container<xt::xarray_container<E, L, S, Tag>> {
    static std::string get() { return "xarray<" + type_name<typename E::value_type>() + ">"; }
};
template <class P, std::size_t... N, xt::layout_type L, bool Sharable, class Tag>
struct name_of_container<xt::xfixed_container<P, xt::fixed_shape<N...>, L, Sharable, Tag>> {
    static std::string get() { return "xtensor_fixed<" + type_name<P>() + (... + (", " + std::to_string(N))) + ">"; }
};
template <class X, class... S>
struct name_of_container<xt::xview<X&, S...>> {
    static std::string get() { return "view<" + type_name<X>() + ">"; }
};
template <class T>
struct name_of_container<std::complex<T>> {
    static std::string get() { return "complex<" + type_name<T>() + ">"; }
};

inline std::string name_of_integer(bool is_signed, std::size_t bytes) { return (is_signed ? "int" : "uint") + std::to_string(8 * bytes); }

}  // namespace detail

template <class T>
std::string type_name() {
    if constexpr (std::is_const_v<T>)
        return type_name<std::remove_const_t<T>>() + " const";
    else if constexpr (absent<T>)
        return "none";
    else if constexpr (is_shadow_ref<T>)
        return "reference to " + type_name<typename T::shadow_type>();
    else if constexpr (mirror<T>)
        return std::string(detail::name_of_mirror<mirror_function_t<T>>) + "<" + type_name<mirrored_t<T>>() + ">";
    else if constexpr (reflected<T>)
        return std::string(struct_name<T>);
    else if constexpr (std::is_same_v<T, int>)
        return "int";
    else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char> || std::is_floating_point_v<T>)
        return std::is_same_v<T, bool>     ? "bool"
               : std::is_same_v<T, char>   ? "char"
               : std::is_same_v<T, float>  ? "float"
               : std::is_same_v<T, double> ? "double"
                                           : "long double";
    else if constexpr (std::is_integral_v<T>)
        return detail::name_of_integer(std::is_signed_v<T>, sizeof(T));
    else if constexpr (detail::is_string<T>)
        return "string";
    else if constexpr (std::is_pointer_v<T>)
        return type_name<std::remove_pointer_t<T>>() + "*";
    else
        return detail::name_of_container<T>::get();
}

}  // namespace xgrad
