// mirror_t<S, Fn>: a struct with the field names of S and other field types; and what can be done with the fields of a struct and of its mirrors.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/type_list.hpp>

namespace xgrad {

template <class P>
struct parts;

namespace detail {

// A hint in the name of a type, and so in what compilers say of what it has no member for.
template <std::size_t N>
struct hint {
    char text[N] = {};
    consteval hint(char const (&s)[N]) {
        for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
    }
};

template <class S>
struct reflection_of {};

template <class S>
    requires requires { xgrad_reflect(type_tag<S>{}); }
struct reflection_of<S> {
    using type = decltype(xgrad_reflect(type_tag<S>{}));
};

template <class T, auto Field>
struct mirror_field {
    static_assert(!std::is_reference_v<T> || std::is_lvalue_reference_v<T>, "xgrad: a field of a mirror may not be an rvalue reference");
    using type = T;
};
template <class T, auto Field>
    requires is_none<T>
struct mirror_field<T, Field> {
    using type = absent_field<T, Field>;
};

// Whether the mirrors by Fn are what a differentiated function sees of structs. Such a mirror turns into no struct: its derivative would be lost.
template <class Fn>
inline constexpr bool stands_for_structs = false;
template <class S>
S refuse_struct() {
    static_assert(
        sizeof(S) == 0,
        "xgrad[E143]: a function of a struct S requires an S, but it is given what a differentiated function sees of one, whose fields are active: take it by "
        "auto const&, an operator as template <xgrad::mirror M> auto operator+(M const& a, M const& b)");
    __builtin_unreachable();
}

template <class S, class Fn>
struct mirror_of {
    using primal = S;
    using function = Fn;
};
// What a mirror of S takes field by field: an S, or another mirror of it.
template <class M, class S, class Mirror>
concept other_form_of = !std::is_same_v<M, Mirror> && (std::is_same_v<M, S> || std::is_same_v<typename M::xgrad_mirror_of::primal, S>);
// Containers in it take theirs element by element.
struct assign_field {
    template <class A, class B>
    constexpr void operator()(A& to, B const& from) const {
        if constexpr (is_absent<A>) return;
        else if constexpr (std::is_assignable_v<A&, B const&>) to = from;
        else if constexpr (requires { typename A::mapped_type; }) {
            to.clear();
            for (auto const& [key, value] : from) (*this)(to[key], value);
        } else if constexpr (requires { to.emplace_back(); }) {
            to.clear();
            for (auto const& value : from) (*this)(to.emplace_back(), value);
        } else if constexpr (requires { to.has_value(), to.reset(); }) {
            if (from) (*this)(to.emplace(), *from);
            else to.reset();
        } else if constexpr (requires { requires parts<A>::fixed_form; }) parts<A>::each(*this, to, from);
        else to = from;
    }
};

}  // namespace detail

// A struct with XGRAD_REFLECT. (const, volatile and references do not matter.)
template <class S>
concept reflected = requires { detail::reflection_of<std::remove_cvref_t<S>>::type::name(); };

template <reflected S>
using reflection = typename detail::reflection_of<std::remove_cvref_t<S>>::type;

// The mirror of S under Fn: an aggregate with the fields of S, of type `Fn::template type<P>` for a field of type P; one that is_none takes no room.
template <reflected S, class Fn>
using mirror_t = typename reflection<S>::template mirror<Fn>;

template <class M>
concept mirror = requires { typename std::remove_cvref_t<M>::xgrad_mirror_of; };

// The struct whose mirror M is, and the type function it was made with.
template <mirror M>
using mirrored_t = typename std::remove_cvref_t<M>::xgrad_mirror_of::primal;
template <mirror M>
using mirror_function_t = typename std::remove_cvref_t<M>::xgrad_mirror_of::function;

namespace detail {

template <class T>
struct shape_reflection : reflection_of<T> {};
template <mirror M>
struct shape_reflection<M> : reflection_of<mirrored_t<M>> {};

template <class T>
using fields_of = typename shape_reflection<std::remove_cvref_t<T>>::type;

}  // namespace detail

// A reflected struct or a mirror of one.
template <class T>
concept has_fields = reflected<T> || mirror<T>;

// The types of the fields as S declares them, as a type_list.
template <has_fields T>
using field_types = typename detail::fields_of<T>::types;

template <has_fields T>
inline constexpr std::size_t field_count = field_types<T>::size;

// The name of the struct, as it was reflected, and those of its fields, an array of std::string_view.
template <has_fields T>
inline constexpr std::string_view struct_name = detail::fields_of<T>::name();

template <has_fields T>
inline constexpr auto field_names = detail::fields_of<T>::names();

// The fields as a tuple of lvalue references, in order of declaration.
template <has_fields T>
[[nodiscard]] constexpr auto fields(T& s) noexcept {
    return detail::fields_of<T>::tie(s);
}

// f(s.a...), f(s.b...), ... over S and its mirrors side by side.
template <class F, has_fields S, has_fields... Rest>
constexpr void for_each_field(F&& f, S&& s, Rest&&... rest) {
    detail::fields_of<S>::each(f, s, rest...);
}

// M{f(s.a...), f(s.b...), ...}: M is S or a mirror of it. Nothing is moved: the fields are made in place.
template <has_fields M, class F, has_fields... S>
[[nodiscard]] constexpr M make_mirror(F&& f, S&&... s) {
    return detail::fields_of<M>::template make<M>(f, s...);
}

}  // namespace xgrad
