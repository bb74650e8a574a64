// Defines as_element_operand: a name of few cheap operations is no array in what uses it elementwise, it is computed again there; and a long formula that is
// broadcast is computed once.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/cost.hpp>
#include <xgrad/scope/node/formula.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// How many operations on arrays a kernel computes for an operand. What is carried is computed, and compiled, at each use: names of names of names would grow
// without end.
inline constexpr int most_in_name = 6, most_in_kernel = 12;
template <class A>
inline constexpr int kernel_operations = 0;
template <class Op, class... A>
inline constexpr int kernel_operations<formula<Op, A...>> =
    formula<Op, A...>::rank == 0 || !formula<Op, A...>::is_elementwise ? 0 : (1 + ... + kernel_operations<A>);

// Whether a name U is: nothing that could be seen is computed twice.
template <class U>
inline constexpr bool is_carried = false;
template <class Op, class... A>
    requires elementwise_node<node<Op, A...>>
inline constexpr bool is_carried<formula<Op, A...>> = [] {
    using U = formula<Op, A...>;
    if constexpr (U::rank == 0 || has_static_shape<U> || is_stacked<typename U::lifetime>) return false;
    else return !tree_throws<U> && carried_cost<U> <= most_carried && kernel_operations<U> <= most_in_name;
}();

// Whether a name U, if long, is evaluated only where somebody asks for all of it.
template <class U>
inline constexpr bool is_deferrable = false;
template <class Op, class... A>
inline constexpr bool is_deferrable<formula<Op, A...>> = may_be_deferred<node<Op, A...>>;

template <class A>
A carry(A const& a) {
    return a;
}
// Throws what evaluating the name would throw.
template <class Op, class... A>
    requires is_carried<formula<Op, A...>>
formula<Op, A...> carry(formula<Op, A...> const& f) {
    if (f.is_empty()) moved_from();
    if (!f.is_fresh()) return formula<Op, A...>(as_alias(), f);
    static_cast<void>(f.extent());
    return f.node_at().each([](auto const&... a) { return formula<Op, A...>(std::in_place, carry(a)...); });
}

// Whether a formula U that moves into one of rank R, and is broadcast there, is evaluated before, as a name is: it is not cheap.
template <class U, int R>
inline constexpr bool is_evaluated_before = false;
template <class Op, class... A, int R>
    requires elementwise_node<node<Op, A...>>
inline constexpr bool is_evaluated_before<formula<Op, A...>, R> = [] {
    using U = formula<Op, A...>;
    if constexpr (U::rank <= 0 || R <= U::rank || has_static_shape<U> || is_stacked<typename U::lifetime>) return false;
    else return carried_cost<U> > most_carried;
}();

// An operand of what has rank R and goes through all elements once, or a few times, in their order. Carries: names among them are no arrays, where they can be.
template <int R, bool Carries = true, active E>
XGRAD_DETAIL_INLINE auto as_element_operand(E&& e) {
    using U = std::remove_cvref_t<E>;
    if constexpr (Carries && (std::is_reference_v<E> || std::is_const_v<E>) && is_carried<U> && U::rank == R) return carry(static_cast<U const&>(e));
    else if constexpr (!std::is_reference_v<E> && !std::is_const_v<E> && is_evaluated_before<U, R>) return e.detach();
    else if constexpr ((std::is_reference_v<E> || std::is_const_v<E>) && is_deferrable<U> && U::rank == R) return static_cast<U const&>(e).share_deferred();
    else return as_operand(std::forward<E>(e));
}

}

}
XGRAD_DETAIL_QUIET_END
