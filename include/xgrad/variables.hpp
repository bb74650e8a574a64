// Defines number_like<A> and array_like<A, R>, numbers and arrays beside A in every mode; variables(m), a struct's values that may be assigned to; and
// rebind<S>(m), a struct with its member functions.
#pragma once

#include <cstddef>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/scope/arguments/handle_type.hpp>
#include <xgrad/scope/call/operand_parts.hpp>
#include <xgrad/scope/call/variable.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// A plain number beside active ones is a constant there.
template <class T, class N>
inline constexpr bool is_constant_beside = false;
template <class T, class V>
inline constexpr bool is_constant_beside<T, variable<V>> = std::is_same_v<T, std::remove_cvref_t<decltype(innermost_primal(std::declval<V const&>()))>>;

// The one type of the numbers in something: void where there are none, several_numbers where they have several types.
struct several_numbers {};
template <class N>
struct numbers_within {
    using type = N;
    template <class M>
    consteval auto operator+(numbers_within<M> other) const {
        if constexpr (std::is_same_v<N, M> || std::is_void_v<M> || is_constant_beside<M, N>) return *this;
        else if constexpr (std::is_void_v<N> || is_constant_beside<N, M>) return other;
        else return numbers_within<several_numbers>{};
    }
};
template <class A, class... Seen>
consteval auto find_numbers_within();
template <class... Seen, class... P>
consteval auto find_numbers_of_parts(type_list<P...>) {
    return (numbers_within<void>{} + ... + find_numbers_within<std::remove_cvref_t<P>, Seen...>());
}
// The fields of a mirror, whose parts are told as those of the struct.
template <class Fn, class... P>
consteval auto fields_by(type_list<P...>) { return type_list<typename Fn::template type<P>...>{}; }
// What a container calls its value_type goes before its parts, of which those count that are differentiated.
template <class A, class... Seen>
consteval auto find_numbers_within() {
    if constexpr (active<A>) return numbers_within<variable<typename A::value_type>>{};
    else if constexpr (perturbable_number<A> || batch<A>) return numbers_within<A>{};
    else if constexpr (one_of<A, Seen...> || (sizeof...(Seen) > 0 && unperturbable<A>)) return numbers_within<void>{};
    else if constexpr (requires { typename A::value_type; }) {
        using V = std::remove_cvref_t<typename A::value_type>;
        if constexpr (unperturbable<V> && !one_of<V, A, Seen...>) return find_numbers_within<V>();  // asked for by itself it has a number
        else return find_numbers_within<V, A, Seen...>();
    }
    else if constexpr (mirror<A>) return find_numbers_of_parts<A, Seen...>(fields_by<mirror_function_t<A>>(field_types<A>{}));
    else if constexpr (has_parts<A>) return find_numbers_of_parts<A, Seen...>(typename parts<A>::types{});
    else return numbers_within<void>{};
}

template <class A>
consteval auto find_number_like() {
    using N = typename decltype(find_numbers_within<A>())::type;
    constexpr bool one = !std::is_void_v<N> && !std::is_same_v<N, several_numbers>;
    static_assert(one, "xgrad[E124]: number_like<A> requires an active value, a number, or an array, a container or a struct whose numbers have one type, but "
                       "the numbers of 'A' have several, or it has none: name one of its parts, number_like<decltype(m.b)>");
    if constexpr (one) return type_tag<N>{};
    else return type_tag<double>{};
}

}

// The type of a number that is computed beside an A: of an active value, or a container or a struct of such, the variable of its elements, which in second
// derivatives and forward ones are dual numbers; of a plain number or array, its elements. So one function serves every verb, and plain calls, too:
//     number_like<decltype(x)> s = 0.0;      std::vector<number_like<decltype(x)>> v;      -> number_like<decltype(x)>
// What has numbers of several types, or none, is refused (E124).
template <class A>
using number_like = typename decltype(detail::find_number_like<std::remove_cvref_t<A>>())::type;

namespace detail {
template <class N, int R>
struct array_like_of { using type = typename primal_of<N, R>::type; };
template <class T, int R>
struct array_like_of<variable<T>, R> { using type = variable<typename primal_of<T, R>::type>; };
}

// The type of an array of R dimensions beside an A, whose elements are numbers as number_like<A>: of an active value an array variable, which is written into,
// of a plain one an xt::xtensor:    array_like<decltype(x), 2> history = xt::zeros<double>({steps, x.size()});
template <class A, int R>
using array_like = typename detail::array_like_of<number_like<A>, R>::type;

namespace detail {

template <class H>
consteval auto find_variables();
template <class H>
using variables_t = typename decltype(find_variables<std::remove_cvref_t<H>>())::type;

// The mirror whose fields are the variables of those of the mirror by Fn.
template <class Fn>
struct to_variables {
    template <class P>
    using type = variables_t<typename Fn::template type<P>>;
};
template <class Fn>
inline constexpr bool stands_for_structs<to_variables<Fn>> = true;
// Variables of variables are such.
template <class Fn>
struct function_to_variables { using type = to_variables<Fn>; };
template <class Fn>
struct function_to_variables<to_variables<Fn>> { using type = to_variables<Fn>; };
struct to_variables_of_parts {
    template <class P>
    using type = variables_t<P>;
};
// What has its parts by value: tuples, pairs, std::array, maps, optional values. What owns them by a pointer may share them, and is copied.
template <class H>
concept container_of_handles = has_parts<H> && holds_active<H> && parts<H>::identity != identified::by_handle && parts<H>::may_collapse;

template <class H>
consteval auto find_variables() {
    if constexpr (active<H>) return type_tag<variable<primal_t<H>>>{};
    else if constexpr (mirror<H>) return type_tag<mirror_t<mirrored_t<H>, typename function_to_variables<mirror_function_t<H>>::type>>{};
    else if constexpr (std::ranges::range<H> && requires { typename H::element_type; }) return type_tag<std::vector<variables_t<typename H::value_type>>>{};
    else if constexpr (container_of_handles<H>) return type_tag<typename parts<H>::template rebind<to_variables_of_parts>>{};
    else return type_tag<H>{};
}

}

// What an argument looks like in f, with variables in the place of active values: a struct of the same field names, tuples, pairs, std::array, maps and
// optional values as such, a std::vector where f sees a span; the rest is copied. They may be assigned to, copied and returned:
//     auto next = variables(m); next.b = m.b - 0.1 * m.w(0);
// A struct of them may be assigned the struct that it is made of, another such, or a plain one: next = m.
template <class H>
auto variables(H const& m) {
    using V = detail::variables_t<H>;
    if constexpr (active<H>) return V(m);
    else if constexpr (mirror<H>) return make_mirror<V>([](auto const& part) { return variables(part); }, m);
    else if constexpr (std::ranges::range<H> && requires { typename H::element_type; }) {
        V all;
        for (auto const& part : m) all.push_back(variables(part));
        return all;
    } else if constexpr (detail::container_of_handles<H>) return parts<H>::template make<V>([](auto const& part) { return variables(part); }, m);
    else return m;
}

template <class S, class M>
S rebind(M const& m);

namespace detail {

// The first number in M, as a variable beside it.
template <class M>
consteval auto find_number_within();
template <class... F>
consteval auto find_first_number(std::tuple<F...> const*) {
    return []<class First, class... Rest>(First, Rest...) {
        using N = decltype(find_number_within<std::remove_cvref_t<typename First::type>>());
        if constexpr (!std::is_same_v<N, type_tag<void>>) return N{};
        else if constexpr (sizeof...(Rest) == 0) return type_tag<void>{};
        else return find_first_number(static_cast<std::tuple<typename Rest::type...> const*>(nullptr));
    }(type_tag<F>{}...);
}
template <class M>
consteval auto find_number_within() {
    if constexpr (active<M> || perturbable_number<M>) return type_tag<number_like<M>>{};
    else if constexpr (has_fields<M>) return find_first_number(static_cast<decltype(fields(std::declval<M const&>())) const*>(nullptr));
    else if constexpr (std::ranges::range<M>) return find_number_within<std::remove_cvref_t<std::ranges::range_value_t<M>>>();
    else return type_tag<void>{};
}
// Becomes what a field is.
template <class P>
struct to_field {
    P const& part;
    template <class T>
    operator T() const { return rebind<T>(part); }
};

}

// What f sees of a struct as a struct S of the same fields, whose numbers are variables: the struct with its member functions and operators, where it is a
// class template over its numbers. Structs in it, arrays and vectors of numbers or structs likewise. Of the template alone, rebind<point>(p), S is that of
// number_like the first number in p; so of a plain struct it is a copy. A field that S has as a plain number is refused, if it is active (E020).
template <class S, class M>
S rebind(M const& m) {
    if constexpr (std::is_same_v<S, M>) return m;
    else if constexpr (has_fields<S> && has_fields<M>)
        return make_mirror<S>([]<class P>(P const& part) { return detail::to_field<P>{part}; }, m);
    else if constexpr (requires(S& s) { s.push_back(rebind<typename S::value_type>(*m.begin())); }) {
        S all;
        for (auto const& part : m) all.push_back(rebind<typename S::value_type>(part));
        return all;
    } else if constexpr (requires { std::tuple_size<S>::value; std::tuple_size<M>::value; })
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return S{rebind<std::tuple_element_t<I, S>>(std::get<I>(m))...};
        }(std::make_index_sequence<std::tuple_size_v<S>>{});
    else return static_cast<S>(m);
}
template <template <class> class S, class M>
auto rebind(M const& m) { return rebind<S<typename decltype(detail::find_number_within<M>())::type>>(m); }

}
XGRAD_DETAIL_QUIET_END
