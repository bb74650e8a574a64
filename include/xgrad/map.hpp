// Defines map(f, a...): a function of numbers over items, one SIMD register at a time, with each and pick, which say what an item has of an array.
#pragma once

#include <cstddef>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/lanes/node.hpp>
#include <xgrad/lanes/plain_map.hpp>
#include <xgrad/scope/call/operand_parts.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// An argument of map(f, a...): item i has element i of x, or with N its row i, of N numbers. x is active, or a plain array.
template <std::size_t N = 0, class X>
detail::each_of<N, X> each(X&& x) {
    return {std::forward<X>(x)};
}
// An argument of map(f, a...): item i has element index(i) of x, or with N its row index(i), of N numbers.
template <std::size_t N = 0, class X, class I>
detail::pick_of<N, X, I> pick(X&& x, I&& index) {
    return {std::forward<X>(x), std::forward<I>(index)};
}

namespace detail {

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

template <class A>
context* owner_of_source(A const& a) {
    if constexpr (is_each<A> || is_pick<A>) return owner_of(a.x);
    else return owner_of(a);
}

// Elements that lie one after the other, not of xtensor.
template <class X>
concept list_of_numbers = !plain_array<X> && !active<X> && std::ranges::contiguous_range<X> && std::is_arithmetic_v<std::ranges::range_value_t<X>>;
template <class X>
concept rows_operand = active<X> || plain_array<X> || is_cref<std::remove_cvref_t<X>> || list_of_numbers<X>;
template <class X>
consteval auto find_row_element() {
    if constexpr (list_of_numbers<X>) return std::type_identity<std::ranges::range_value_t<X>>{};
    else return std::type_identity<std::remove_const_t<element_type_t<X>>>{};
}
template <class X>
using row_element_t = typename decltype(find_row_element<X>())::type;

// What a map holds of an array: of an active one its operand, of a plain one a constant, as it is now, with numbers like those of T.
template <class T, class X>
auto operand_of_rows(X&& x, context* owner) {
    context& c = owner ? *owner : plain_context();
    using E = row_element_t<X>;
    using U = std::conditional_t<std::is_floating_point_v<E>, scalar_of_t<T>, E>;
    if constexpr (active<X>) return as_operand(std::forward<X>(x));
    else if constexpr (list_of_numbers<X>) {
        extents<1> const n{{std::ranges::size(x)}};
        E const* const first = std::ranges::data(x);
        if constexpr (std::is_same_v<U, E> && std::is_lvalue_reference_v<X>)
            if (c.is_assumed_constant(std::addressof(x))) return constant_array<U, 1, block>(block(), first, n, row_major_strides(n));
        block b(c, n[0] * sizeof(U));
        U* const p = static_cast<U*>(b.get());
        for (std::size_t i = 0; i < n[0]; ++i) p[i] = static_cast<U>(first[i]);
        return constant_array<U, 1, block>(std::move(b), p, n, row_major_strides(n));
    } else return as_constant_array<U>(std::forward<X>(x), c);
}

template <class T, class A>
auto source_of(A&& a, context* c) {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_each<U>) {
        auto x = operand_of_rows<T>(static_cast<decltype(a.x)&&>(a.x), c);
        using O = decltype(x);
        if constexpr (std::is_floating_point_v<scalar_of_t<typename O::value_type>>) return rows_of<O, U::length>{std::move(x), {}};
        else return constants_of<O>(std::move(x));
    } else if constexpr (is_pick<U>) {
        auto x = operand_of_rows<T>(static_cast<decltype(a.x)&&>(a.x), c);
        auto index = operand_of_rows<T>(static_cast<decltype(a.index)&&>(a.index), c);
        return rows_of<decltype(x), U::length, decltype(index)>{std::move(x), std::move(index)};
    } else if constexpr (active<U>) {
        auto x = as_operand(std::forward<A>(a));
        return whole_of<decltype(x)>{std::move(x)};
    } else return plain_of<U>(std::forward<A>(a));
}

// Whether an argument of a map is one that it knows.
template <class A>
consteval bool is_known_source() {
    using U = std::remove_cvref_t<A>;
    if constexpr (is_each<U>) return rows_operand<behind_t<U>>;
    else if constexpr (is_pick<U>)
        if constexpr (rows_operand<behind_t<U>> && rows_operand<index_of_pick<U>> && !active<index_of_pick<U>>)
            return std::is_integral_v<row_element_t<index_of_pick<U>>> && !std::is_integral_v<row_element_t<behind_t<U>>>;
        else return false;
    else return active<U> || !holds_active<U>;
}
template <class T, class A>
consteval bool has_elements_of() {
    if constexpr (active<behind_t<A>>) return std::is_same_v<typename std::remove_cvref_t<behind_t<A>>::value_type, T>;
    else return true;
}
template <class... X>
consteval auto find_map_element() {
    if constexpr ((active<X> || ...)) return std::type_identity<typename active_element<X...>::type>{};
    else return std::type_identity<double>{};
}

// True if there is nothing wrong with map(f, a...).
template <class T, class... A>
consteval bool check_map() {
    constexpr bool known = (is_known_source<A>() && ...);
    constexpr bool items = ((is_each<std::remove_cvref_t<A>> || is_pick<std::remove_cvref_t<A>>) || ...);
    constexpr bool same = (has_elements_of<T, A>() && ...);
    static_assert(known, "xgrad[E162]: map(f, a...) requires numbers and arrays, in each(x) an array, in pick(x, index) one of floating-point numbers and one "
                         "of integers, but an argument is something else: pass the parts of a struct one by one");
    static_assert(items, "xgrad[E163]: map(f, a...) requires an argument that differs from item to item, but has none: write each(x) or pick(x, index)");
    static_assert(same, "xgrad[E164]: map(f, a...) requires active arguments with elements of one type, but they have several: make all of them double or "
                        "all of them float");
    return known && items && same;
}
template <class T, class F, class... S>
consteval bool check_map_function() {
    constexpr bool callable = std::is_invocable_v<F const&, decltype(std::declval<port_t<S, T, 1, counted>&>().handle())...>;
    static_assert(callable, "xgrad[E165]: map(f, a...) requires that f compiles when it is called with as many numbers and rows as there are arguments, but it "
                            "does not: take them by auto const&, one parameter for each");
    if constexpr (!callable) return false;
    else {
        using R = std::remove_cvref_t<std::invoke_result_t<F const&, decltype(std::declval<port_t<S, T, 1, counted>&>().handle())...>>;
        static_assert(is_scalar_result<R>, "xgrad[E166]: map(f, a...) requires that f gives a number, but it gives an array or something else: reduce it, or "
                                           "map a function for each number");
        return is_scalar_result<R>;
    }
}

}

// f of each item: the results as an array of one axis. f is an ordinary function of numbers, by auto const&, which declares `-> xgrad::real`: then it runs a
// SIMD register of items at a time, and its values and their pullbacks stay on the stack. Without a declared result it runs item by item. Of an argument
//   each(x), each<N>(x)                 item i has x(i); the row of N numbers x(i, 0), ..., x(i, N - 1); of integers and the like the plain number
//   pick(x, index), pick<N>(x, index)   item i has row index(i) of x; what comes back for a row is summed, in the order of the items
//   anything else                       all items have it: an active number or array as such, whose cotangent is summed at the end in a fixed order; what
//                                       is plain as it is
// The arrays of each and of pick are active or plain, xtensor's or, where they are plain, any that lie in one piece; those of std::cref(x) and of
// constant(x) arguments are not copied. sum(map(...)) and mean(map(...)) run f once for value and gradient and keep no array; any other use runs it once more
// on the way back. Where f compares numbers of several items, and they disagree, these items are computed one by one. f computes with its parameters alone:
// an active value that it has captured is refused. Of plain arguments alone the result is a plain array. Throws std::invalid_argument where the numbers of
// items differ or rows have another length, std::out_of_range for an index that x does not have, both before anything is computed, and what f throws.
template <class F, class... A>
auto map(F f, A&&... a) {
    using T = typename decltype(detail::find_map_element<detail::behind_t<A>...>())::type;
    if constexpr (!detail::check_map<T, A...>()) return 0.0;
    else {
        context* c = nullptr;
        ((c = c ? c : detail::owner_of_source(a)), ...);
        auto make = [&]<class... S>(std::tuple<S...> x) {
            if constexpr (!(active<detail::behind_t<A>> || ...))
                return std::apply(
                    [&](auto const&... s) {
                        detail::check_sources(s...);
                        return detail::map_plain(f, detail::items_of(s...), s...);
                    },
                    x);
            else if constexpr (!detail::check_map_function<T, F, S...>()) return 0.0;
            else {
                formula<detail::mapping<F>, S...> y(std::in_place, std::move(f), std::move(x));
                y.node_at().check();
                return y;
            }
        };
        return make(std::tuple{detail::source_of<T>(std::forward<A>(a), c)...});
    }
}

// How many packs of items the maps of this thread have run, and how many of these once more, item by item, since their items took different ways.
using detail::pack_counts;
inline pack_counts packs_of_maps() noexcept { return detail::packs_of_thread; }

}
XGRAD_DETAIL_QUIET_END
