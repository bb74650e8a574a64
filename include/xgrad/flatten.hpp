// Defines flattened(t), flatten_to and unflatten: the numbers of a struct, a container or a gradient as one array; and for_each_leaf and map_leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <xgrad/host.hpp>
#include <xgrad/tangent/clone.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/real_type.hpp>
#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

namespace detail {

// An xtensor container of numbers: it is a leaf as a whole.
template <class T>
inline constexpr bool is_array_of_numbers = false;
template <class T>
    requires(xt::is_xexpression<T>::value && has_parts<T>)
inline constexpr bool is_array_of_numbers<T> = perturbable_number<std::remove_const_t<typename T::value_type>>;

// The common type of all numbers in a T, as a type_tag; of void where there are none. `Seen` are the types around T.
template <class T, class... Seen>
consteval auto find_number();
template <class... T>
struct join_numbers { using type = void; };
template <class T, class... U>
struct join_numbers<T, U...>
    : std::conditional_t<std::is_void_v<typename join_numbers<U...>::type>, std::type_identity<T>, std::common_type<T, typename join_numbers<U...>::type>> {};
template <class... U>
struct join_numbers<void, U...> : join_numbers<U...> {};
template <class... Seen, class... P>
consteval auto find_number_of_parts(type_list<P...>) {
    return type_tag<typename join_numbers<typename decltype(find_number<std::remove_cvref_t<P>, Seen...>())::type...>::type>{};
}
template <class T, class... Seen>
consteval auto find_number() {
    if constexpr (absent<T> || one_of<T, Seen...>) return type_tag<void>{};
    else if constexpr (perturbable_number<T>) return type_tag<real_type_t<T>>{};
    else if constexpr (has_parts<T>) return find_number_of_parts<T, Seen...>(typename parts<T>::types{});
    else return type_tag<void>{};
}
template <class T>
using number_in_t = std::conditional_t<std::is_void_v<typename decltype(find_number<T>())::type>, double, typename decltype(find_number<T>())::type>;

template <class F>
struct visit_leaves : operation {
    F* f;
    template <class T, class... U>
    constexpr void operator()([[maybe_unused]] T& x, [[maybe_unused]] U&... y) const {
        using V = std::remove_const_t<T>;
        if constexpr (absent<V>) return;
        else if constexpr (perturbable_number<V> || is_array_of_numbers<V>) (*f)(x, y...);
        else if constexpr (has_parts<V>) parts<V>::each(*this, x, y...);
    }
};

// The same down to the numbers, in row-major order.
template <class F>
struct visit_numbers : operation {
    F* f;
    template <class T, class... U>
    constexpr void operator()([[maybe_unused]] T& x, [[maybe_unused]] U&... y) const {
        using V = std::remove_const_t<T>;
        if constexpr (absent<V>) return;
        else if constexpr (perturbable_number<V>) (*f)(x, y...);
        else if constexpr (is_array_of_numbers<V>) parts<V>::each_by_rows(*f, x, y...);
        else if constexpr (has_parts<V>) parts<V>::each(*this, x, y...);
    }
};

template <class F>
struct make_mapped : operation {
    F* f;
    template <class T, class... U>
    constexpr T operator()(T const& x, [[maybe_unused]] U const&... y) const {
        if constexpr (absent<T>) return x;
        else if constexpr (perturbable_number<T> || is_array_of_numbers<T>) return T((*f)(x, y...));
        else if constexpr (has_parts<T>) return parts<T>::template make<T>(*this, x, y...);
        else return x;
    }
};

}

// f(leaf of x, leaf of y...) for each leaf, side by side: a number, or an xt::xtensor, an xt::xarray or a view of numbers as a whole. x may be a
// value or a tangent, and the y... values or tangents of the same form; what is no number in x is left out. A function of numbers and of arrays
// serves both: for_each_leaf([](auto& p, auto const& g) { p -= 0.1 * g; }, model, gradient). Throws std::invalid_argument where the forms differ.
template <class F, class X, class... Y>
constexpr void for_each_leaf(F&& f, X&& x, Y&&... y) {
    detail::with_object_table<std::remove_cvref_t<X>>(detail::visit_leaves<std::remove_reference_t<F>>{{}, &f}, x, y...);
}

// f(number of x, number of y...) for each number, array elements too, in row-major order; the forms and the errors are those of for_each_leaf.
template <class F, class X, class... Y>
constexpr void for_each_number(F&& f, X&& x, Y&&... y) {
    detail::with_object_table<std::remove_cvref_t<X>>(detail::visit_numbers<std::remove_reference_t<F>>{{}, &f}, x, y...);
}

// A value like x whose leaves are f(leaf of x, leaf of y...); what is no number is copied. Throws std::invalid_argument where the forms differ.
template <class F, class X, class... Y>
[[nodiscard]] constexpr std::remove_cvref_t<X> map_leaves(F&& f, X const& x, Y const&... y) {
    return detail::with_object_table<X>(detail::make_mapped<std::remove_reference_t<F>>{{}, &f}, x, y...);
}

// How many real numbers there are in a value or a tangent; a complex one counts as two, and an object with several owners once.
template <class X>
[[nodiscard]] constexpr std::size_t count_numbers(X const& x) {
    std::size_t n = 0;
    for_each_number([&n]<class T>(T const&) { n += std::is_floating_point_v<T> ? 1 : 2; }, x);
    return n;
}

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_size(char const* call, std::size_t expected, std::size_t found) {
    throw std::invalid_argument(std::string("xgrad[E208]: ") + call + " requires as many elements as t has numbers, " + std::to_string(expected) + ", found " +
                                std::to_string(found) + ": see count_numbers(t)");
}
}

// Writes the numbers of t into `out` (anything with data() and size()), in the order of for_each_number. Allocates nothing. With a third argument, a tangent or
// value y of t's form, it writes those of y, in the order of t: hash maps of equal keys may differ in theirs. Throws std::invalid_argument where `out` has not
// as many elements as t has numbers.
template <class Out, class X, class... Y>
    requires(sizeof...(Y) <= 1)
void flatten_to(Out&& out, X const& t, Y const&... y) {
    if (std::size_t const n = count_numbers(t); static_cast<std::size_t>(out.size()) != n)
        detail::refuse_size("flatten_to(out, t)", n, static_cast<std::size_t>(out.size()));
    auto* p = out.data();
    using R = std::remove_reference_t<decltype(*p)>;
    auto write = [&p]<class T>(T const& v) {
        if constexpr (std::is_floating_point_v<T>) *p++ = static_cast<R>(v);
        else {
            *p++ = static_cast<R>(v.real());
            *p++ = static_cast<R>(v.imag());
        }
    };
    if constexpr (sizeof...(Y) == 0) for_each_number(write, t);
    else for_each_number([&](auto const&, auto const& v) { write(v); }, t, y...);
}

// The numbers of t as an array of one dimension, of their common type (double where there are none), as flatten_to writes them.
template <class X, class... Y>
    requires(sizeof...(Y) <= 1)
[[nodiscard]] auto flattened(X const& t, Y const&... y) {
    xt::xtensor<detail::number_in_t<X>, 1> out = xt::xtensor<detail::number_in_t<X>, 1>::from_shape({count_numbers(t)});
    flatten_to(out, t, y...);
    return out;
}

// Gives the numbers of t the values of v (anything with data() and size()), in the order in which flatten_to(v, t) writes them. Allocates nothing. Throws
// std::invalid_argument where v has not as many elements as t has numbers.
template <class X, class V>
void unflatten_to(X& t, V const& v) {
    if (std::size_t const n = count_numbers(t); static_cast<std::size_t>(v.size()) != n)
        detail::refuse_size("unflatten_to(t, v)", n, static_cast<std::size_t>(v.size()));
    auto const* p = v.data();
    for_each_number(
        [&p]<class T>(T& number) {
            if constexpr (std::is_floating_point_v<T>) number = static_cast<T>(*p++);
            else {
                auto const re = static_cast<real_type_t<T>>(*p++);
                number = T(re, static_cast<real_type_t<T>>(*p++));
            }
        },
        t);
}

// A value (or tangent) like t, with the numbers of v. Throws std::invalid_argument where v has not as many elements as t has numbers.
template <class X, class V>
[[nodiscard]] X unflatten(X const& t, V const& v) {
    X y = detail::clone(t);
    unflatten_to(y, v);
    return y;
}

}
