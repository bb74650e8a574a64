// Defines complete_parts<P> and refuse_parts<P>: whether a specialisation of parts has all of its members, and which it lacks.
#pragma once

#include <concepts>
#include <type_traits>

#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/type_list.hpp>

namespace xgrad::detail {

template <class L>
inline constexpr bool is_type_list = false;
template <class... T>
inline constexpr bool is_type_list<type_list<T...>> = true;

// What each and make are asked with: no body is compiled that declares what it returns.
struct same_type {
    template <class T>
    using type = T;
};
struct any_visitor {
    template <class X, class... Rest>
    std::remove_cvref_t<X> operator()(X&&, Rest&&...) const;
};

// The library's own are complete, and are not asked; those of a struct are by its reflection.
template <class P>
concept specialises_parts = !requires { typename parts<P>::of_xgrad; } && !has_fields<P> && requires { sizeof(parts<P>); };
template <class P>
inline constexpr bool has_part_types = requires { requires is_type_list<typename parts<P>::types>; };
template <class P>
inline constexpr bool has_rebind = requires { type_tag<rebind_t<P, same_type>>{}; };
template <class P>
inline constexpr bool has_identity = requires { { parts<P>::identity } -> std::convertible_to<identified>; };
template <class P>
inline constexpr bool has_may_collapse = requires { { parts<P>::may_collapse } -> std::convertible_to<bool>; };
template <class P>
inline constexpr bool has_each = requires(P const& x, any_visitor f) { parts<P>::each(f, x); parts<P>::each(f, x, x); };
template <class P>
inline constexpr bool has_make = requires(P const& x, any_visitor f) { parts<P>::template make<P>(f, x); parts<P>::template make<P>(f, x, x); };

template <class P>
inline constexpr bool complete_parts =
    !specialises_parts<P> || (has_part_types<P> && has_rebind<P> && has_identity<P> && has_may_collapse<P> && has_each<P> && has_make<P>);

template <class P>
consteval bool refuse_parts() {
    static_assert(has_part_types<P>, "xgrad[E187]: a specialisation of parts<P> requires types, but it has none: write using types = xgrad::type_list<T>, the "
                                     "types of the parts, of a container its one element type");
    static_assert(has_rebind<P>, "xgrad[E187]: a specialisation of parts<P> requires a member template rebind, but it has none: write template <class Fn> "
                                 "using rebind, the type of the same form whose parts have the types Fn::template type<T>");
    static_assert(has_identity<P>, "xgrad[E187]: a specialisation of parts<P> requires identity, but it has none: write static constexpr xgrad::identified "
                                   "identity = xgrad::identified::by_parts, or by_address where it owns memory for its parts");
    static_assert(has_may_collapse<P>, "xgrad[E187]: a specialisation of parts<P> requires may_collapse, but it has none: write static constexpr bool "
                                       "may_collapse = true, or false where it owns by a pointer");
    static_assert(has_each<P>, "xgrad[E187]: a specialisation of parts<P> requires each(f, x...), which calls f(part of each x...) for each part, but it has "
                               "none that takes P const&, one or several: write it as template <class F, class... X> static void each(F&& f, X&&... x)");
    static_assert(has_make<P>, "xgrad[E187]: a specialisation of parts<P> requires make<M>(f, x...), the M whose parts are f(part of each x...), but it has "
                               "none that takes P const&, one or several: write it as template <class M, class F, class... X> static M make(F&& f, X&&... x)");
    return true;
}

}  // namespace xgrad::detail
