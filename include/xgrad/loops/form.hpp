// Defines gives_state<P, R>, whether an R can follow a state P, and loop_outputs<P, R>, what a body that gives an R gives beside the state.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/declared.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// The types of the parts of a state.
template <class P>
consteval auto find_part_types() {
    if constexpr (requires { std::tuple_size<P>::value; })
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return type_list<std::tuple_element_t<I, P>...>{};
        }(std::make_index_sequence<std::tuple_size_v<P>>{});
    else return typename parts<P>::types{};
}
template <class R>
using fields_of_result = std::remove_cvref_t<decltype(fields_in_turn(std::declval<R&>()))>;

// Whether an R can follow a state P.
template <class P, class R>
consteval bool gives_state();
template <class Parts, class... P>
consteval bool gives_parts(type_list<P...>) {
    if constexpr (!requires { std::tuple_size<Parts>::value; }) return false;
    else if constexpr (std::tuple_size_v<Parts> != sizeof...(P)) return false;
    else
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (gives_state<std::remove_cv_t<P>, std::remove_cvref_t<std::tuple_element_t<I, Parts>>>() && ...);
        }(std::index_sequence_for<P...>{});
}
template <class P, class R>
consteval bool gives_state() {
    if constexpr (declares_parts<R>) return gives_state<P, typename R::value_type>();
    else if constexpr (declared_result<R>) return perturbable_number<P>;
    else if constexpr (!differentiable<P>) return std::is_convertible_v<R, P> && !active<R>;
    else if constexpr (perturbable_number<P>) {
        if constexpr (active<R>) return R::rank == 0 || R::rank == dynamic_rank;
        else if constexpr (plain_array<R>) return rank_of<R> == 0 || rank_of<R> == dynamic_rank;
        else return perturbable_number<R> || std::is_arithmetic_v<R>;
    } else if constexpr (number_array<P>) {
        constexpr int rank = rank_of<P>;
        if constexpr (active<R>)
            return (R::rank == rank || R::rank == dynamic_rank || rank == dynamic_rank) &&
                   std::is_same_v<typename without_duals<typename R::value_type>::type, array_element_t<P>>;
        else if constexpr (plain_array<R>) return rank_of<R> == rank || rank_of<R> == dynamic_rank || rank == dynamic_rank;
        else return false;
    } else if constexpr (requires { typename fields_of_result<R>; }) return gives_parts<fields_of_result<R>>(find_part_types<P>());
    else return false;
}

// {next state, outputs}, where it is not a next state alone.
template <class P, class R>
consteval bool gives_more() {
    if constexpr (declares_parts<R>) return gives_more<P, typename R::value_type>();
    else if constexpr (declared_result<R> || gives_state<P, R>()) return false;
    else if constexpr (!requires { std::tuple_size<R>::value; }) return false;
    else if constexpr (std::tuple_size_v<R> != 2) return false;
    else return gives_state<P, std::remove_cvref_t<std::tuple_element_t<0, R>>>();
}
struct no_outputs {
    using types = type_list<>;
    static constexpr bool is_tuple = true;
};
template <class P, class R>
consteval auto find_outputs() {
    if constexpr (!gives_more<P, R>()) return type_tag<no_outputs>{};
    else if constexpr (declares_parts<R>) return find_outputs<P, typename R::value_type>();
    else return type_tag<outputs_of<std::remove_cvref_t<std::tuple_element_t<1, R>>>>{};
}

// Whether all are such as a scan can keep: of a declared result those whose type says their shape.
template <class O, bool Declared>
consteval bool are_outputs() {
    return []<class... Y>(type_list<Y...>) { return ((is_output<Y> && (!Declared || shape_by_type<Y>::is_known)) && ...); }(typename O::types{});
}

}
XGRAD_DETAIL_QUIET_END
