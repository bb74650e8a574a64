// Defines state_t<U>, the plain type of a loop's state or parameter, what a loop's call holds of one, and each_leaf, which goes through its parts.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/scope/call/operand_parts.hpp>
#include <xgrad/scope/call/result_slots.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// Around an output of a scan's body: those of all steps are added up, and not stacked.
template <class Y>
struct summed {
    Y value;
};
template <class Y>
summed(Y) -> summed<Y>;

namespace detail {

template <class Y>
inline constexpr bool is_summed = false;
template <class Y>
inline constexpr bool is_summed<summed<Y>> = true;
template <class R>
XGRAD_DETAIL_INLINE auto& behind_sum(R& r) {
    if constexpr (is_summed<std::remove_const_t<R>>) return r.value;
    else return r;
}

template <class T>
struct without_duals { using type = T; };
template <number_dual T>
struct without_duals<T> : without_duals<typename T::primal_type> {};
template <batch T>
struct without_duals<T> { using type = typename T::value_type; };

// A P as the elements of a loop are: duals of it, where the call around the loop computes with duals T, and the packs of a map.
template <class T, class P>
struct in_duals_of { using type = P; };
template <class T, class P>
    requires(is_pack<T> && !number_dual<T>)
struct in_duals_of<T, P> { using type = T; };
template <number_dual T, class P>
struct in_duals_of<T, P> { using type = dual<typename in_duals_of<typename T::primal_type, P>::type, T::count, typename T::tag>; };
template <class T>
struct duals_like {
    template <class P>
    using type = typename in_duals_of<T, P>::type;
    static constexpr bool are_dual = true;
};
// One type for duals of floats and of doubles.
template <class T>
using lift_like = std::conditional_t<number_dual<T> || is_pack<T>, duals_like<typename in_duals_of<T, double>::type>, identity_lift>;

// The element type of the active values in U, a dual if there is any; void where there are none.
template <class A, class B>
using dual_first = std::conditional_t<number_dual<A> || std::is_void_v<B>, A, B>;
template <class U>
consteval auto find_active_element();
// A tuple, in which sums may stand.
template <class U>
inline constexpr bool is_std_tuple = false;
template <class... U>
inline constexpr bool is_std_tuple<std::tuple<U...>> = true;
template <class... U>
consteval auto find_element_of(type_list<U...>) {
    type_tag<void> none;
    auto join = []<class A, class B>(type_tag<A>, type_tag<B>) { return type_tag<dual_first<A, B>>{}; };
    auto all = [&](auto const& self, auto so_far, auto... rest) {
        if constexpr (sizeof...(rest) == 0) return so_far;
        else return [&](auto next, auto... others) { return self(self, join(so_far, next), others...); }(rest...);
    };
    return all(all, none, find_active_element<U>()...);
}
template <class Fn, class... P>
consteval auto find_element_of_mirror(type_list<P...>) {
    return find_element_of(type_list<std::remove_cvref_t<typename Fn::template type<P>>...>{});
}
template <class... U>
consteval auto find_element_of_tuple(type_tag<std::tuple<U...>>) { return find_element_of(type_list<std::remove_cvref_t<U>...>{}); }
template <class U>
consteval auto find_active_element() {
    if constexpr (active<U>) return type_tag<typename U::value_type>{};
    else if constexpr (is_summed<U>) return find_active_element<decltype(U::value)>();
    else if constexpr (is_std_tuple<U>) return find_element_of_tuple(type_tag<U>{});
    else if constexpr (!holds_active<U>) return type_tag<void>{};
    else if constexpr (mirror<U>) return find_element_of_mirror<mirror_function_t<U>>(field_types<U>{});
    else return find_element_of(typename parts<U>::types{});
}
template <class... U>
using active_element_t = typename decltype(find_element_of(type_list<std::remove_cvref_t<U>...>{}))::type;

// The plain type of a state or a parameter: numbers and arrays without duals; small arrays keep their shape.
struct to_state {
    template <class U>
    static consteval auto find() {
        if constexpr (active<U>) {
            using T = typename without_duals<typename U::value_type>::type;
            if constexpr (U::rank > 0 && has_static_shape<U>) return type_tag<typename fixed_primal<T, typename U::shape_type>::type>{};
            else return type_tag<typename primal_of<T, U::rank>::type>{};
        } else if constexpr (!holds_active<U>) return type_tag<U>{};
        else if constexpr (mirror<U>) return type_tag<mirrored_t<U>>{};
        else return find_form(type_tag<U>{});
    }
    template <class U>
    static consteval auto find_form(type_tag<U>) { return type_tag<typename parts<U>::template rebind<to_state>>{}; }
    template <class U>
    using type = typename decltype(find<std::remove_cvref_t<U>>())::type;
};
template <class U>
using state_t = to_state::type<U>;

// Whether P is a part that a loop takes as a whole: a number, an array of numbers, or something without a derivative.
template <class P>
inline constexpr bool is_leaf = !differentiable<P> || perturbable_number<P> || number_array<P>;
// A struct of a fixed number of leaves.
template <class P>
consteval bool find_is_state() {
    if constexpr (!differentiable<P>) return std::is_trivially_copyable_v<P>;
    else if constexpr (is_leaf<P>) return true;
    else if constexpr (!fixed_form<P>) return false;
    else return []<class... Q>(type_list<Q...>) { return (find_is_state<std::remove_cv_t<Q>>() && ...); }(typename parts<P>::types{});
}

// What the loop holds of what it is given, and what it gives: a variable for each number and each array.
template <class L>
struct to_loop_variable {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<P>{};
        else if constexpr (perturbable_number<P>) return type_tag<variable<typename L::template type<P>>>{};
        else if constexpr (number_array<P>) return type_tag<variable<typename primal_of<typename L::template type<array_element_t<P>>, rank_of<P>>::type>>{};
        else return type_tag<typename parts<P>::template rebind<to_loop_variable>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};
template <class L>
inline constexpr bool makes_active<to_loop_variable<L>> = true;
template <class L>
inline constexpr bool stands_for_structs<to_loop_variable<L>> = true;
template <class P, class L>
using loop_variable_t = typename to_loop_variable<L>::template type<P>;

// Whether what a std::tuple or a std::pair refers to is somebody else's: of std::tie and std::forward_as_tuple.
template <class U>
inline constexpr bool holds_references = false;
template <template <class...> class S, class... P>
inline constexpr bool holds_references<S<P...>> = (std::is_reference_v<P> || ...);
// A temporary is moved from, and so are its parts (OfTemporary): in a function with a declared result these may be owed nothing that outlives them.
template <class L, bool OfTemporary = false>
struct make_loop_variable {
    template <class U>
    auto operator()(U&& u) const -> loop_variable_t<state_t<U>, L> {
        using P = state_t<U>;
        using V = loop_variable_t<P, L>;
        constexpr bool ends = (OfTemporary || !std::is_lvalue_reference_v<U>) && !holds_references<std::remove_cvref_t<U>>;
        if constexpr (!is_leaf<P>) return parts<P>::template make<V>(make_loop_variable<L, ends>{}, u);
        else if constexpr (OfTemporary) return V(std::move(u));
        else return V(std::forward<U>(u));
    }
};

// Of a struct of the fields Q..., from what stands for them in their order.
template <class S, class L, class... Q, class... E>
auto make_struct_of_variables(type_list<Q...>, E&&... e) {
    auto one = []<class P, class X>(type_tag<P>, X&& x) {
        if constexpr (is_leaf<P>) return loop_variable_t<P, L>(std::forward<X>(x));
        else return make_loop_variable<L>{}(std::forward<X>(x));
    };
    return loop_variable_t<S, L>{one(type_tag<std::remove_cv_t<Q>>{}, std::forward<E>(e))...};
}

// The slots of the parts of what the loop gives.
template <class L>
struct to_loop_result {
    template <class P>
    static consteval auto find() {
        if constexpr (!differentiable<P>) return type_tag<P>{};
        else if constexpr (perturbable_number<P>) return type_tag<result_slot<typename L::template type<P>, rank_c<0>>>{};
        else if constexpr (number_array<P>) return type_tag<result_slot<typename L::template type<array_element_t<P>>, rank_c<rank_of<P>>>>{};
        else return type_tag<typename parts<P>::template rebind<to_loop_result>>{};
    }
    template <class P>
    using type = typename decltype(find<std::remove_cvref_t<P>>())::type;
};

// A value of a struct's form as a tuple of its fields; a tuple, a pair or an array as it is.
template <class X>
auto& fields_in_turn(X& x)
    requires(!has_fields<X>)
{
    return x;
}
template <class X>
auto fields_in_turn(X& x)
    requires has_fields<X>
{
    return fields(x);
}
template <class X>
auto& parts_behind(X& x) {
    if constexpr (requires { x.parts_here; }) return x.parts_here;
    else return x;
}
// f(leaf, part of each x...) for each leaf of a tree whose nodes have their type as `primal`, and their parts as `parts_here`; the x... have its form, are
// tuples of as many parts, or other such trees.
template <class Fn, class Tree, class... X>
XGRAD_DETAIL_INLINE void each_leaf(Fn&& f, Tree& tree, X&&... x) {
    using P = typename std::remove_cvref_t<Tree>::primal;
    if constexpr (is_leaf<P>) f(tree, x...);
    else if constexpr (requires { std::tuple_size<std::remove_cvref_t<decltype(fields_in_turn(tree.parts_here))>>::value; }) {
        auto take = [&](auto& mine, auto&... others) {
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                auto one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
                    using std::get;
                    each_leaf(f, get<J>(mine), get<J>(others)...);
                };
                (one(std::integral_constant<std::size_t, I>{}), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(mine)>>>{});
        };
        auto bind = [&](auto&&... all) { take(all...); };
        bind(fields_in_turn(tree.parts_here), fields_in_turn(parts_behind(x))...);
    } else parts<P>::each([&f](auto& mine, auto&&... others) { each_leaf(f, mine, others...); }, tree.parts_here, x...);
}

}
}
XGRAD_DETAIL_QUIET_END
