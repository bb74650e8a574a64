// Defines take_arguments: the arguments of map(f, a...) as what a map holds of them, and what each argument is to f; and refuses what a map does not know.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/forms.hpp>
#include <xgrad/lanes/ports.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class A>
inline constexpr bool is_each = false;
template <std::size_t N, class X>
inline constexpr bool is_each<each_of<N, X>> = true;
template <class A>
inline constexpr bool is_pick = false;
template <std::size_t N, class X, class I>
inline constexpr bool is_pick<pick_of<N, X, I>> = true;

// The argument behind each and pick.
template <class A>
struct behind { using type = A; };
template <std::size_t N, class X>
struct behind<each_of<N, X>> { using type = X; };
template <std::size_t N, class X, class I>
struct behind<pick_of<N, X, I>> { using type = X; };
template <class A>
struct index_behind { using type = void; };
template <std::size_t N, class X, class I>
struct index_behind<pick_of<N, X, I>> { using type = I; };
template <class A>
using index_of_pick = typename index_behind<A>::type;
template <class A>
using behind_t = typename behind<std::remove_cvref_t<A>>::type;

// std::cref(x) of a container, and what it refers to.
template <class X>
struct referred { using type = X; };
template <class X>
    requires(!plain_array<X>)
struct referred<std::reference_wrapper<X>> { using type = std::remove_const_t<X>; };
template <class X>
using referred_t = typename referred<std::remove_cvref_t<X>>::type;
template <class X>
auto const& behind_reference(X const& x) {
    if constexpr (std::is_same_v<referred_t<X>, X>) return x;
    else return x.get();
}

// Elements that lie one after the other, not of xtensor.
template <class X>
concept list_of_numbers =
    !plain_array<X> && !active<X> && std::ranges::contiguous_range<referred_t<X>> && std::is_arithmetic_v<std::ranges::range_value_t<referred_t<X>>>;
template <class X>
concept rows_operand = active<X> || plain_array<X> || is_cref<std::remove_cvref_t<X>> || list_of_numbers<X>;
template <class X>
consteval auto find_row_element() {
    if constexpr (list_of_numbers<X>) return std::type_identity<std::ranges::range_value_t<referred_t<X>>>{};
    else return std::type_identity<std::remove_const_t<element_type_t<X>>>{};
}
template <class X>
using row_element_t = typename decltype(find_row_element<X>())::type;

// The call that the active parts of an argument belong to.
template <class U>
context* owner_of_parts(U const& u) {
    if constexpr (active<U>) return u.owner();
    else if constexpr (is_each<U> || is_pick<U>) return owner_of_parts(u.x);
    else if constexpr (!holds_active<U>) return nullptr;
    else if constexpr (list_of_items<U>) {
        for (auto const& one : u)
            if (context* const c = owner_of_parts(one)) return c;
        return nullptr;
    } else if constexpr (struct_like<U>) {
        context* c = nullptr;
        detail::call_with([&c](auto const&... part) { ((c = c ? c : owner_of_parts(part)), ...); }, parts_in_turn(u));
        return c;
    } else return nullptr;
}

// What a map holds of an array: of an active one its operand, of a plain one a constant, as it is now, with numbers like those of T.
template <class T, class X>
auto operand_of_rows(X&& x, context& c, bool is_promised = false) {
    using E = row_element_t<X>;
    using U = std::conditional_t<std::is_floating_point_v<E>, scalar_of_t<T>, E>;
    if constexpr (active<X>) return as_operand(std::forward<X>(x));
    else if constexpr (list_of_numbers<X>) {
        auto const& list = behind_reference(x);
        extents<1> const n{{std::ranges::size(list)}};
        E const* const first = std::ranges::data(list);
        if constexpr (std::is_same_v<U, E> && std::is_lvalue_reference_v<X>)
            if (is_promised || c.is_assumed_constant(std::addressof(x))) return constant_array<U, 1, block>(block(), first, n, row_major_strides(n));
        if constexpr (std::is_same_v<U, E> && !std::is_same_v<referred_t<X>, std::remove_cvref_t<X>>)
            return constant_array<U, 1, block>(block(), first, n, row_major_strides(n));
        block b(c, n[0] * sizeof(U));
        U* const p = static_cast<U*>(b.get());
        for (std::size_t i = 0; i < n[0]; ++i) p[i] = static_cast<U>(first[i]);
        return constant_array<U, 1, block>(std::move(b), p, n, row_major_strides(n));
    } else return as_constant_array<U>(std::forward<X>(x), c);
}

// What a map holds of rows of x that are chosen by these.
template <std::size_t N, class O, class I>
auto rows_source(O x, row_choice<I> const& choice) {
    constexpr std::size_t length = N == 0 && O::rank > 1 ? any_length : N;
    if constexpr (std::is_floating_point_v<scalar_of_t<typename O::value_type>>) return std::tuple(rows_of<O, length, I>{std::move(x), choice});
    else return std::tuple(constants_of<O, I>(std::move(x), choice));
}
template <class U>
auto shared_source(U&& u) {
    using P = std::remove_cvref_t<U>;
    if constexpr (active<P>) {
        auto x = as_operand(std::forward<U>(u));
        return std::tuple(whole_of<decltype(x)>{std::move(x)});
    } else if constexpr (holds_active<P>) return detail::call_with([](auto&... part) { return std::tuple_cat(shared_source(part)...); }, parts_in_turn(u));
    else return std::tuple(plain_of<P>(std::forward<U>(u)));
}
// An active number is shared by the items of the struct of arrays that it is part of.
template <class U>
consteval bool is_number_of_struct() {
    if constexpr (active<U>) return U::rank == 0;
    else return false;
}
template <class T, std::size_t N, class X, class I>
auto row_sources(X&& x, row_choice<I> const& choice, context& c, bool is_promised = false) {
    using U = std::remove_cvref_t<X>;
    if constexpr (is_number_of_struct<U>()) return shared_source(std::forward<X>(x));
    else if constexpr (rows_operand<U>) return rows_source<N>(operand_of_rows<T>(std::forward<X>(x), c, is_promised), choice);
    else if constexpr (!std::is_same_v<referred_t<U>, U>) return row_sources<T, N>(x.get(), choice, c, true);
    else if constexpr (list_of_items<U>) {
        using E = item_of_list<U>;
        bool const stays = is_promised || (std::is_lvalue_reference_v<X> && c.is_assumed_constant(std::addressof(x)));
        auto part = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
            auto leaf = leaf_of_list<T, K>(x, c, stays);
            using L = leaf_at<E, K>;
            return rows_source<length_of_element<state_t<L>>>(std::move(leaf), choice);
        };
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return std::tuple_cat(part(std::integral_constant<std::size_t, K>{})...);
        }(std::make_index_sequence<count_of_leaves<E>>{});
    } else if constexpr (struct_like<U>) {
        bool const stays = is_promised || (!holds_active<U> && std::is_lvalue_reference_v<X> && c.is_assumed_constant(std::addressof(x)));
        return detail::call_with([&](auto&... part) { return std::tuple_cat(row_sources<T, N>(part, choice, c, stays)...); }, parts_in_turn(x));
    } else return shared_source(std::forward<X>(x));
}
template <class T, class A>
auto sources_of(A&& a, context& c) {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_each<U>) return row_sources<T, U::length>(static_cast<decltype(a.x)&&>(a.x), row_choice<void>{}, c);
    else if constexpr (is_pick<U>) {
        auto index = operand_of_rows<T>(static_cast<decltype(a.index)&&>(a.index), c);
        return row_sources<T, U::length>(static_cast<decltype(a.x)&&>(a.x), row_choice<decltype(index)>{std::move(index)}, c);
    } else return shared_source(std::forward<A>(a));
}

// What f takes for it.
template <class A>
consteval auto find_form() {
    using U = std::remove_cvref_t<A>;
    using X = referred_t<behind_t<A>>;
    if constexpr (is_each<U> || is_pick<U>) {
        if constexpr (rows_operand<X>) return type_tag<one_handle>{};
        else if constexpr (list_of_items<X>) {
            using E = item_of_list<X>;
            if constexpr (struct_like<E>) return type_tag<of_parts<E, item_kind::element>>{};
            else return type_tag<one_handle>{};
        } else return type_tag<of_parts<X, item_kind::row>>{};
    } else if constexpr (!active<U> && holds_active<U>) return type_tag<of_parts<U, item_kind::shared>>{};
    else return type_tag<one_handle>{};
}
template <class A>
using form_t = typename decltype(find_form<A>())::type;

// Whether an argument is one that a map knows.
template <class X>
consteval bool is_known_shared() {
    if constexpr (active<X> || !holds_active<X>) return true;
    else if constexpr (struct_like<X>)
        return []<class... P>(type_tag<std::tuple<P...>>) {
            return (is_known_shared<std::remove_cvref_t<P>>() && ...);
        }(type_tag<decltype(parts_in_turn(std::declval<X&>()))>{});
    else return false;
}
template <class X>
consteval bool is_known_rows(bool inside) {
    if constexpr (is_number_of_struct<X>()) return inside;
    else if constexpr (rows_operand<X>) return true;
    else if constexpr (list_of_items<X>) return is_item<item_of_list<X>>;
    else if constexpr (struct_like<X>)
        return []<class... P>(type_tag<std::tuple<P...>>) {
            return (is_known_rows<std::remove_cvref_t<P>>(true) && ...);
        }(type_tag<decltype(parts_in_turn(std::declval<X&>()))>{});
    else return inside && (!holds_active<X> && std::is_copy_constructible_v<X>);
}
template <class A>
consteval bool is_known_source() {
    using U = std::remove_cvref_t<A>;
    using X = referred_t<behind_t<A>>;
    if constexpr (is_each<U>) return is_known_rows<X>(false);
    else if constexpr (is_pick<U>)
        if constexpr (rows_operand<index_of_pick<U>> && !active<index_of_pick<U>>)
            return std::is_integral_v<row_element_t<index_of_pick<U>>> && is_known_rows<X>(false);
        else return false;
    else return is_known_shared<U>();
}

// The element type of a map's results: that of its active arguments; of floats and doubles double. Duals and plain numbers do not mix.
template <class A, class B>
struct joint_element { using type = void; };
template <class A>
struct joint_element<A, A> { using type = A; };
template <class A, class B>
    requires(!std::is_same_v<A, B> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
struct joint_element<A, B> { using type = std::common_type_t<A, B>; };
template <class A, class B, std::size_t N, class Tag>
    requires(!std::is_same_v<A, B>)
struct joint_element<dual<A, N, Tag>, dual<B, N, Tag>> { using type = dual<typename joint_element<A, B>::type, N, Tag>; };
struct no_element {};
template <class A>
struct joint_element<no_element, A> { using type = A; };
template <class A>
struct joint_element<A, no_element> { using type = A; };
template <>
struct joint_element<no_element, no_element> { using type = no_element; };
template <class U>
consteval auto find_joint_element();
template <class... U>
struct joint_of { using type = no_element; };
template <class U, class... R>
struct joint_of<U, R...> {
    using type = typename joint_element<typename decltype(find_joint_element<std::remove_cvref_t<U>>())::type, typename joint_of<R...>::type>::type;
};
template <class U>
consteval auto find_joint_element() {
    if constexpr (active<U>) return type_tag<typename U::value_type>{};
    else if constexpr (!holds_active<U>) return type_tag<no_element>{};
    else if constexpr (list_of_items<U>) return find_joint_element<item_of_list<U>>();
    else if constexpr (struct_like<U>)
        return []<class... P>(type_tag<std::tuple<P...>>) {
            return type_tag<typename joint_of<P...>::type>{};
        }(type_tag<decltype(parts_in_turn(std::declval<U&>()))>{});
    else return type_tag<no_element>{};
}
template <class... A>
using map_element = typename joint_of<behind_t<A>...>::type;

// Whether U has active complex numbers in it, which lanes are not made of.
template <class U>
consteval bool has_complex_numbers() {
    if constexpr (active<U>) return is_complex_number<typename U::value_type>;
    else if constexpr (!holds_active<U>) return false;
    else if constexpr (list_of_items<U>) return has_complex_numbers<item_of_list<U>>();
    else if constexpr (struct_like<U>)
        return []<class... P>(type_tag<std::tuple<P...>>) {
            return (has_complex_numbers<std::remove_cvref_t<P>>() || ...);
        }(type_tag<decltype(parts_in_turn(std::declval<U&>()))>{});
    else return false;
}
template <class... A>
consteval bool check_real() {
    constexpr bool real = (!has_complex_numbers<std::remove_cvref_t<behind_t<A>>>() && ...);
    static_assert(real, "xgrad[E192]: map(f, a...) requires active arguments of real numbers, and tabulate(shape, f, x...) of one type of numbers, but one has "
                        "complex ones: write a loop over the items, or pass real(z) and imag(z)");
    return real;
}

// True if there is nothing wrong with map(f, a...), whose elements are E.
template <class E, class... A>
consteval bool check_map() {
    constexpr bool known = (is_known_source<A>() && ...);
    constexpr bool items = ((is_each<std::remove_cvref_t<A>> || is_pick<std::remove_cvref_t<A>>) || ...);
    constexpr bool real = check_real<A...>(), same = !std::is_void_v<E> || !real;
    static_assert(known, "xgrad[E162]: map(f, a...) requires numbers, arrays and reflected structs of them, in each(x) and pick(x, index) arrays, structs of "
                         "arrays and containers of such structs, and integers as an index, but an argument is something else: pass its parts one by one");
    static_assert(items, "xgrad[E163]: map(f, a...) requires an argument that differs from item to item, but has none: write each(x) or pick(x, index)");
    static_assert(same, "xgrad[E164]: map(f, a...) requires active arguments of one call, but some belong to a derivative around another: write a loop over "
                        "the items");
    return known && items && real && same;
}

}
XGRAD_DETAIL_QUIET_END
