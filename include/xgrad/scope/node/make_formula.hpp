// Defines as_operand, as_constant and make_formula: how an expression takes its operands: a name is shared, a temporary moves in, a constant stays as it is
// now.
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include <xgrad/scope/node/carried.hpp>
#include <xgrad/scope/node/element_access.hpp>
#include <xgrad/scope/node/evaluated_number.hpp>
#include <xgrad/scope/node/value_only.hpp>
#include <xgrad/scope/operand/input.hpp>
#include <xgrad/scope/small/small.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class E>
inline constexpr bool is_cref = false;
template <class E>
inline constexpr bool is_cref<std::reference_wrapper<E>> = plain_array<E>;

// The element type that a plain operand brings along.
template <class E>
auto element_type() {
    using U = std::remove_cvref_t<E>;
    if constexpr (plain_scalar<U> || number_dual<U> || batch<U>) return std::type_identity<U>{};
    else if constexpr (is_cref<U>) return element_type<typename U::type>();
    else return std::type_identity<typename U::value_type>{};
}
template <class E>
using element_type_t = typename decltype(element_type<E>())::type;

// Constants take the type that plain C++ gives the expression, beside duals that of their primals; an element type of the user's own stays what it is.
template <class T, class U>
struct promote { using type = T; };
template <class T, class U>
    requires(std::is_arithmetic_v<scalar_of_t<T>> && std::is_arithmetic_v<U>)
struct promote<T, U> { using type = std::common_type_t<scalar_of_t<T>, U>; };
template <class T, number_dual U>
struct promote<T, U> { using type = U; };
// A real constant beside complex values stays real.
template <class T, class U>
    requires(is_complex_number<T> && std::is_arithmetic_v<U>)
struct promote<T, U> { using type = real_type_t<scalar_of_t<T>>; };
template <class T, class U>
    requires perturbable_number<T>
struct promote<T, std::complex<U>> { using type = std::complex<std::common_type_t<real_type_t<scalar_of_t<T>>, U>>; };

// A number of another derivative, or of none; or lanes of them.
template <class E>
concept plain_number = plain_scalar<E> || number_dual<E> || batch<E>;

template <class... E>
struct active_element;
template <class E, class... F>
struct active_element<E, F...> : active_element<F...> {};
template <active E, class... F>
struct active_element<E, F...> { using type = typename std::remove_cvref_t<E>::value_type; };

template <class E>
context* owner_of(E const& e) {
    if constexpr (active<E>) return e.owner();
    else return nullptr;
}

}

// A plain number or array, as it may stand beside an active value.
template <class E>
concept plain_operand = detail::plain_number<std::remove_cvref_t<E>> || plain_array<E> || detail::is_cref<std::remove_cvref_t<E>>;

namespace detail {
// A plain array that can only have one element, as the sum of one.
template <class E>
inline constexpr bool is_plain_scalar = false;
template <plain_array E>
inline constexpr bool is_plain_scalar<E> = rank_of<E> == 0;
}

// What an expression holds of an active value: a debt to what has a name, or the value itself where it moves in.
template <active E>
XGRAD_DETAIL_INLINE auto as_operand(E&& e) {
    return std::forward<E>(e).operand();
}

// A plain operand of an expression whose active operands have elements of type T.
template <class T, plain_operand E>
XGRAD_DETAIL_INLINE auto as_constant(E&& e, context* c) {
    using P = typename detail::promote<T, detail::element_type_t<E>>::type;
    if constexpr (batch<std::remove_cvref_t<E>> && batch<P>) return constant_lanes<P>{static_cast<P>(e)};
    else if constexpr (detail::plain_number<std::remove_cvref_t<E>>) return constant_number<P>{static_cast<P>(e)};
    else if constexpr (detail::is_plain_scalar<std::remove_cvref_t<E>>) return constant_number<P>{static_cast<P>(e())};
    else return as_constant_array<P>(std::forward<E>(e), c ? *c : plain_context());
}

namespace detail {
template <class E>
inline constexpr bool is_scalar_operand = plain_number<std::remove_cvref_t<E>> || is_plain_scalar<std::remove_cvref_t<E>>;
template <active E>
inline constexpr bool is_scalar_operand<E> = std::remove_cvref_t<E>::rank == 0;
template <class E>
inline constexpr bool is_valued_operand = false;
template <active E>
inline constexpr bool is_valued_operand<E> = is_valued<std::remove_cvref_t<E>>;
}

namespace detail {
// A plain array of truths that is none yet, and holds what it compares.
template <class C>
concept lazy_truth = requires { typename std::remove_cvref_t<C>::storage_type::formula_type; };
// What it compares: a formula by its name, or one that moves on.
template <lazy_truth C>
decltype(auto) compared(C&& c) {
    if constexpr (std::is_reference_v<C> || std::is_const_v<C>) return std::as_const(c.storage()).formula();
    else return std::move(c.storage()).formula();
}
template <lazy_truth C>
bool is_as_compared(C const& c) {
    return c.storage().is_as_compared(shape_of<rank_of<C>>(c));
}
// As an operand of what is elementwise in R dimensions, 1 where it holds and otherwise 0: what it compares, or the truths that somebody has written to.
template <int R, bool Carries, lazy_truth C>
auto as_truths(C&& c) {
    using A = decltype(as_element_operand<R, Carries>(compared(std::forward<C>(c))));
    if (!is_as_compared(c)) return value_only<A>(as_constant_array<typename A::value_type>(std::as_const(c), plain_context()));
    return value_only<A>(as_element_operand<R, Carries>(compared(std::forward<C>(c))));
}
}

namespace detail {
inline constexpr int no_rank = -2;
// The rank of what these make elementwise.
template <class E>
constexpr int rank_of_operand() {
    if constexpr (active<E>) return std::remove_cvref_t<E>::rank;
    else if constexpr (plain_number<std::remove_cvref_t<E>>) return 0;
    else if constexpr (is_cref<std::remove_cvref_t<E>>) return rank_of<std::remove_cvref_t<typename std::remove_cvref_t<E>::type>>;
    else return rank_of<std::remove_cvref_t<E>>;
}
template <class... E>
constexpr int rank_of_operands() {
    int r = 0;
    ((r = r == dynamic_rank || rank_of_operand<E>() == dynamic_rank ? dynamic_rank : std::max(r, rank_of_operand<E>())), ...);
    return r;
}
}

namespace detail {
template <class E>
inline constexpr int operations_of = 0;
template <active E>
inline constexpr int operations_of<E> = kernel_operations<std::remove_cvref_t<E>>;
template <lazy_truth E>
inline constexpr int operations_of<E> = kernel_operations<typename std::remove_cvref_t<E>::storage_type::formula_type>;
}

// The same for a formula that becomes part of one that is elementwise, or reduces, in R dimensions: where it nests, it leaves its slot behind.
template <bool Nests, int R, bool Carries = true, active E>
XGRAD_DETAIL_INLINE auto as_nested_operand(E&& e) {
    using U = std::remove_cvref_t<E>;
    if constexpr (Nests && U::is_elementwise && !std::is_reference_v<E> && !std::is_const_v<E>) {
        if constexpr (U::rank != 0 || !std::is_same_v<typename U::lifetime, unchecked>)
            if (e.is_empty()) detail::moved_from();
        return nested<typename U::node_type>(std::in_place, std::move(e));
    } else return detail::as_element_operand<R, Carries>(std::forward<E>(e));
}

namespace detail {
// Whether an operation on these is one on numbers in a call that never goes backward: its value is all that is asked for. One that may throw does where it is
// asked for, as everywhere.
template <class Op, class... E>
inline constexpr bool is_evaluated_at_once = false;
template <scalar_rule Op, class... E>
inline constexpr bool is_evaluated_at_once<Op, E...> = !operation_throws<Op> && (is_scalar_operand<E> && ...) && (is_valued_operand<E> || ...);
// Such an operand: of a variable its value, which nobody has to count. One that was computed for more than its value is asked to whom it belongs.
template <class E>
[[gnu::noinline]] void require_forward_of(E const& e) {
    require_forward<typename E::value_type>(e.owner());
}
template <class T, class E>
XGRAD_DETAIL_INLINE auto as_valued_operand(E&& e) {
    using U = std::remove_cvref_t<E>;
    if constexpr (!active<E>) return as_constant<T>(e, nullptr);
    else if constexpr (is_valued_number<U>) return e.operand();
    else if constexpr (requires { e.slot_of_number().is_value; }) {
        if (!e.slot_of_number().is_value) [[unlikely]] require_forward_of(std::as_const(e));
        return valued_number<typename U::value_type>(e.slot_of_number().value);
    } else {
        require_forward<typename U::value_type>(e.owner());
        return as_operand(std::forward<E>(e));
    }
}
}

namespace detail {
// What an operation in R dimensions, or on whole arrays, holds of one of its operands. Scalars: all of them are; arrays nest in operations that say when they
// are linear, as their own do. c: the call of those, where it is asked for.
template <class T, int R, bool Scalars, bool SaysWhenLinear, bool Carries, class X>
XGRAD_DETAIL_INLINE auto hold_operand(X&& x, [[maybe_unused]] context* c) {
    if constexpr (active<X>)
        return as_nested_operand<Scalars || (SaysWhenLinear && is_nestable<std::remove_cvref_t<X>>), R, Carries>(std::forward<X>(x));
    else if constexpr (plain_number<std::remove_cvref_t<X>>) return as_constant<T>(x, nullptr);
    else if constexpr (R != no_rank && lazy_truth<X>) return as_truths<R, Carries>(std::forward<X>(x));
    else return as_constant<T>(std::forward<X>(x), c);
}
}

// op(e...), unevaluated; of numbers in a call that never goes backward the value.
template <class Op, class... E>
XGRAD_DETAIL_INLINE auto make_formula(E&&... e) {
    using T = typename detail::active_element<E...>::type;
    // before any operand moves in, and takes its context with it
    [[maybe_unused]] context* c = nullptr;
    if constexpr (((!active<E> && !detail::plain_number<std::remove_cvref_t<E>>) || ...)) ((c = c ? c : detail::owner_of(e)), ...);
    constexpr int rank = scalar_rule<Op> ? detail::rank_of_operands<E...>() : detail::no_rank;
    constexpr bool scalars = (detail::is_scalar_operand<E> && ...), says_when_linear = requires { &Op::linear; };
    constexpr bool carries = (0 + ... + detail::operations_of<E>) <= detail::most_in_kernel;
    using F = formula<Op, decltype(detail::hold_operand<T, rank, scalars, says_when_linear, carries>(std::forward<E>(e), c))...>;
    F f{std::in_place, detail::hold_operand<T, rank, scalars, says_when_linear, carries>(std::forward<E>(e), c)...};
    if constexpr (sizeof...(E) > 1 && !F::is_checked_late && !std::is_same_v<typename F::lifetime, unchecked>) f.node_at().check();
    return f;
}
template <class Op, class... E>
    requires detail::is_evaluated_at_once<Op, E...>
XGRAD_DETAIL_INLINE auto make_formula(E&&... e) {
    using T = typename detail::active_element<E...>::type;
    using N = node<Op, decltype(detail::as_valued_operand<T>(std::forward<E>(e)))...>;
    return detail::evaluated_number(N(detail::as_valued_operand<T>(std::forward<E>(e))...));
}

}
XGRAD_DETAIL_QUIET_END
