// Defines check_result and check_cotangent: which results the verbs take apart that ask for no scalar, and which types of cotangents fit them.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/scope/call/operand_parts.hpp>
#include <xgrad/scope/call/variable.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// A number, an array, or a std::tuple, pair, array or vector of them.
template <class R>
inline constexpr bool is_result = active<R> || plain_scalar<R> || number_dual<R> || plain_array<R>;
template <class... E>
inline constexpr bool is_result<std::tuple<E...>> = (is_result<std::remove_cvref_t<E>> && ...);
template <class A, class B>
inline constexpr bool is_result<std::pair<A, B>> = is_result<std::remove_cvref_t<A>> && is_result<std::remove_cvref_t<B>>;
template <class E, std::size_t N>
inline constexpr bool is_result<std::array<E, N>> = is_result<E>;
template <class E>
inline constexpr bool is_result<std::vector<E>> = is_result<E>;

// What pull takes apart, by its base class, too, as handles of structs have one.
template <class... E>
type_tag<std::tuple<E...>> form_of(std::tuple<E...> const*);
template <class E>
type_tag<std::vector<E>> form_of(std::vector<E> const*);
template <class R>
consteval bool has_roots() {
    if constexpr (is_result<R>) return true;
    else if constexpr (requires(R const* r) { detail::form_of(r); }) return is_result<typename decltype(detail::form_of(std::declval<R const*>()))::type>;
    else return false;
}

// A struct in which nothing is active any more, as a function gives it that takes no other.
template <class R>
consteval bool is_plain_struct() {
    if constexpr (is_result<R> || !(has_fields<R> || plain_aggregate<R>) || !differentiable<R>) return false;
    else return !holds_active<R>;
}
template <class R>
consteval bool check_result() {
    constexpr bool good = is_result<R>, plain = is_plain_struct<R>();
    static_assert(!plain, "xgrad[E053]: jvp, vjp and jacobian require a function that computes its result from active values, but this one gives a struct of "
                          "plain numbers: write the struct's functions and operators as templates over what its fields hold, and return its parts as a "
                          "std::tuple");
    static_assert(good || plain, "xgrad[E053]: jvp, vjp and jacobian require a function that gives a number, an array, or a std::tuple, pair, array or "
                                 "vector of them, but this one gives something else: return its parts as a std::tuple");
    return good;
}

// The root of what is plain in a result, which takes no cotangent.
struct no_root {};

// Whether D is a cotangent of elements T and of rank R.
template <class T, int R, class D>
consteval bool is_cotangent_of() {
    if constexpr (R == 0) {
        if constexpr (std::is_arithmetic_v<D> || number_dual<D> || is_complex_number<D>) return requires(D const& d) { static_cast<T>(conjugate(d)); };
        else return false;
    } else if constexpr (plain_array<D>) {
        constexpr bool ranks = R == dynamic_rank || rank_of<D> == dynamic_rank || rank_of<D> == R;
        return ranks && requires(typename D::value_type const& d) { static_cast<T>(conjugate(d)); };
    } else return false;
}
// Whether D is a cotangent of a Root: of what a result is pulled by (pull.hpp), or of the type of a declared result.
template <class Root, class D>
inline constexpr bool is_cotangent = [] {
    if constexpr (requires { requires Root::is_active; }) return is_cotangent_of<typename Root::value_type, Root::rank, D>();
    else if constexpr (perturbable_number<Root>) return is_cotangent_of<Root, 0, D>();
    else if constexpr (number_array<Root>) return is_cotangent_of<array_element_t<Root>, rank_of<Root>, D>();
    else if constexpr (has_fields<Root> && has_fields<D>) return std::is_same_v<fields_of<Root>, fields_of<D>>;
    else if constexpr (!has_tangent_type<Root>) return false;
    else if constexpr (!differentiable<Root> && !requires { std::tuple_size<Root>::value; }) return true;
    else return std::is_same_v<D, tangent_type_t<Root>>;
}();
template <class... R, class... D>
    requires(sizeof...(R) == sizeof...(D))
inline constexpr bool is_cotangent<std::tuple<R...>, std::tuple<D...>> = (is_cotangent<R, std::remove_cvref_t<D>> && ...);
template <class A, class B, class C, class D>
inline constexpr bool is_cotangent<std::pair<A, B>, std::pair<C, D>> = is_cotangent<A, std::remove_cvref_t<C>> && is_cotangent<B, std::remove_cvref_t<D>>;
template <class R, class D, std::size_t N>
inline constexpr bool is_cotangent<std::array<R, N>, std::array<D, N>> = is_cotangent<R, D>;
template <class R, class D>
inline constexpr bool is_cotangent<std::vector<R>, std::vector<D>> = is_cotangent<R, D>;

template <class Root, class D>
consteval bool check_cotangent() {
    constexpr bool good = is_cotangent<Root, D>;
    static_assert(good, "xgrad[E185]: pull(y, ybar) and pullback(ybar) of vjp require a cotangent of the form of y, numbers for numbers and arrays of the same "
                        "rank for arrays, but this one has another: begin with zero_tangent(y), in pull zero_tangent(xgrad::primal(y))");
    return good;
}

}
XGRAD_DETAIL_QUIET_END
