// Defines with_forms<T, F, Form...>: f of structs as a function of the parts of these, which is what a map knows.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/lists.hpp>
#include <xgrad/lanes/slots.hpp>
#include <xgrad/lanes/sources.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What f is given of an argument: a row of each array of a struct, an element of a container, a struct that all items share, such a one that is plain, but
// whose derivatives are asked for.
enum class item_kind { row, element, shared, shared_input };

// With how many numbers f sees an array E that is a part of an element.
template <class E>
inline constexpr std::size_t length_of_element = 0;
template <plain_array E>
inline constexpr std::size_t length_of_element<E> = any_length;
template <class T, std::size_t N, xt::layout_type L, bool Sharable, class Tag>
inline constexpr std::size_t length_of_element<xt::xfixed_container<T, xt::fixed_shape<N>, L, Sharable, Tag>> = N;

// The handle of one part, with elements V and values of lifetime M: what the port of its source gives.
template <class V, class R, class M>
using lane_handle = decltype(std::declval<lane_slot<V, R, M>&>().handle());
template <class V, class M, class E, bool Active>
consteval auto find_element_handle() {
    constexpr std::size_t length = length_of_element<E>;
    // active arrays of duals do not say how long they are
    if constexpr (length == any_length || (Active && number_dual<V>)) return type_tag<lane_handle<V, rank_c<rank_of<E>>, M>>{};
    else return type_tag<lane_handle<V, row_shape<V, length>, M>>{};
}

// How a part P of a struct is seen: where Active says that it is one of active values, or where it is one by itself.
template <item_kind K, bool Active, class T, class V, class M>
struct to_item {
    template <class E>
    using lane_element = std::conditional_t<Active && !is_pack<V>, typename in_duals_of<V, E>::type, V>;
    template <class P>
    static consteval auto find() {
        if constexpr (K == item_kind::shared_input) return to_item<item_kind::shared, true, T, V, M>::template find<P>();
        else if constexpr (has_fields<P>) return type_tag<typename fields_of<P>::template mirror<to_item<K, Active || mirror<P>, T, V, M>>>{};
        else if constexpr (active<P>) return to_item<K, true, T, V, M>::template find_leaf<state_t<P>>();
        else if constexpr (K == item_kind::row && list_of_items<P> && !list_of_numbers_only<P>)
            return to_item<item_kind::element, Active, T, V, M>::template find<item_of_list<P>>();
        else if constexpr (struct_like<P>) return find_tuple(type_tag<P>{});
        else return find_leaf<P>();
    }
    template <class P>
    static consteval auto find_leaf() {
        if constexpr (K == item_kind::row && plain_array<P>) {
            using E = array_element_t<P>;
            if constexpr (!std::is_floating_point_v<E>) return type_tag<E>{};
            else if constexpr (rank_of<P> == 1 || rank_of<P> == dynamic_rank) return type_tag<lane_handle<lane_element<E>, rank_c<0>, M>>{};
            else return type_tag<lane_handle<lane_element<E>, rank_c<rank_of<P> - 1>, M>>{};
        } else if constexpr (K == item_kind::row && list_of_items<P>) {
            using E = item_of_list<P>;
            if constexpr (std::is_floating_point_v<E>) return type_tag<lane_handle<lane_element<E>, rank_c<0>, M>>{};
            else return type_tag<E>{};
        } else if constexpr (K == item_kind::element && number_array<P>) return find_element_handle<lane_element<array_element_t<P>>, M, P, Active>();
        else if constexpr (K == item_kind::element && perturbable_number<P>) return type_tag<lane_handle<lane_element<P>, rank_c<0>, M>>{};
        else if constexpr (Active && perturbable_number<P>) return type_tag<lane_handle<lane_element<P>, rank_c<0>, lifetime_of_shared<V, M>>>{};
        else if constexpr (Active && number_array<P>) {
            using E = lane_element<array_element_t<P>>;
            using R = std::conditional_t<number_dual<E>, rank_c<rank_of<P>>, typename known_shape<P, M, identity_lift>::shape_type>;
            return type_tag<lane_handle<E, R, lifetime_of_shared<V, M>>>{};
        } else return type_tag<P>{};
    }
    template <class... P>
    static consteval auto find_tuple(type_tag<std::tuple<P...>>) { return type_tag<std::tuple<type<P>...>>{}; }
    template <class P, class Q>
    static consteval auto find_tuple(type_tag<std::pair<P, Q>>) { return type_tag<std::pair<type<P>, type<Q>>>{}; }
    template <class P, std::size_t N>
    static consteval auto find_tuple(type_tag<std::array<P, N>>) { return type_tag<std::array<type<P>, N>>{}; }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <item_kind K, bool Active, class T, class V, class M>
inline constexpr bool makes_active<to_item<K, Active, T, V, M>> = true;
template <item_kind K, bool Active, class T, class V, class M>
inline constexpr bool stands_for_structs<to_item<K, Active, T, V, M>> = true;

// The same where all is plain.
template <item_kind K>
struct to_plain_item {
    template <class P>
    static consteval auto find() {
        if constexpr (K == item_kind::element) return type_tag<P>{};
        else if constexpr (plain_array<P>) {
            using E = std::remove_const_t<typename P::value_type>;
            if constexpr (rank_of<P> == 1 || rank_of<P> == dynamic_rank) return type_tag<E>{};
            else return type_tag<xt::xtensor<E, static_cast<std::size_t>(rank_of<P> - 1)>>{};
        } else if constexpr (list_of_items<P>) return type_tag<item_of_list<P>>{};
        else if constexpr (struct_like<P>) return type_tag<typename parts<P>::template rebind<to_plain_item>>{};
        else return type_tag<P>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

// Puts handles where they belong, from number I on; the number of the next.
template <std::size_t I, class M, class... H>
XGRAD_DETAIL_INLINE auto put_parts(M& to, std::tuple<H const&...> const& all) {
    if constexpr (!struct_like<M>) {
        to = std::get<I>(all);
        return std::integral_constant<std::size_t, I + 1>{};
    } else {
        auto const parts = parts_in_turn(to);
        auto next = [&]<std::size_t K, std::size_t J>(auto const& self, std::integral_constant<std::size_t, K>, std::integral_constant<std::size_t, J>)
                        XGRAD_DETAIL_LAMBDA {
                            if constexpr (K == std::tuple_size_v<std::remove_cvref_t<decltype(parts)>>) return std::integral_constant<std::size_t, J>{};
                            else return self(self, std::integral_constant<std::size_t, K + 1>{}, put_parts<J>(std::get<K>(parts), all));
                        };
        return next(next, std::integral_constant<std::size_t, 0>{}, std::integral_constant<std::size_t, I>{});
    }
}

// What f takes for an argument: the next handle as it is, or a struct of some of them. X is what the map was given, or an element of it.
struct one_handle {
    static constexpr std::size_t count = 1;
};
template <class X, item_kind K>
struct of_parts {
    static constexpr item_kind kind = K;
    using source = X;
};

template <class... H>
struct first_handle { using type = void; };
template <class H, class... R>
struct first_handle<H, R...> : first_handle<R...> {};
template <active H, class... R>
struct first_handle<H, R...> { using type = H; };

template <class Form, class H, class T>
struct form_type;
template <item_kind K, class X, class T>
struct form_type<of_parts<X, K>, void, T> { using type = typename to_plain_item<K>::template type<X>; };
template <item_kind K, class X, class H, class T>
struct form_type<of_parts<X, K>, H, T> {
    using type = typename to_item<K, false, T, typename H::value_type, lifetime_of_items<typename H::value_type, typename H::lifetime>>::template type<X>;
};

// The arguments of f, from handle number I on.
template <class T, std::size_t I, class... H>
XGRAD_DETAIL_INLINE std::tuple<> arguments_of(std::tuple<H const&...> const&, type_list<>) { return {}; }
template <class T, std::size_t I, class... H, class Form, class... Rest>
XGRAD_DETAIL_INLINE auto arguments_of(std::tuple<H const&...> const& all, type_list<Form, Rest...>) {
    if constexpr (std::is_same_v<Form, one_handle>) {
        auto& here = std::get<I>(all);
        return std::tuple_cat(std::tuple<decltype(here)>(here), arguments_of<T, I + 1>(all, type_list<Rest...>{}));
    } else {
        std::tuple<typename form_type<Form, typename first_handle<H...>::type, T>::type> here{};
        auto const next = put_parts<I>(std::get<0>(here), all);
        return std::tuple_cat(here, arguments_of<T, decltype(next)::value>(all, type_list<Rest...>{}));
    }
}
template <class F, class... A>
consteval bool can_take(type_tag<std::tuple<A...>>) { return std::is_invocable_v<F const&, std::remove_reference_t<A> const&...>; }

template <class T, class F, class... Form>
class with_forms {
public:
    explicit with_forms(F f) : f_(std::move(f)) {}
    template <class... H>
        requires(can_take<F>(type_tag<decltype(arguments_of<T, 0>(std::declval<std::tuple<H const&...> const&>(), type_list<Form...>{}))>{}))
    XGRAD_DETAIL_INLINE decltype(auto) operator()(H const&... h) const {
        auto const all = arguments_of<T, 0>(std::tuple<H const&...>(h...), type_list<Form...>{});
        return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA -> decltype(auto) {
            return f_(std::get<I>(all)...);
        }(std::make_index_sequence<sizeof...(Form)>{});
    }

private:
    F f_;
};

}
XGRAD_DETAIL_QUIET_END
