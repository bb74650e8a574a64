// type_list and type_tag: types as values, and the functions of a list that folds do not spell.
#pragma once

#include <cstddef>
#include <type_traits>

namespace xgrad {

template <class T>
struct type_tag {
    using type = T;
};

template <class... T>
struct type_list {
    static constexpr std::size_t size = sizeof...(T);
};

template <class T, class... U>
concept one_of = (std::is_same_v<T, U> || ...);

namespace detail {

template <class T, class L>
inline constexpr bool is_in_list = false;
template <class T, class... U>
inline constexpr bool is_in_list<T, type_list<U...>> = one_of<T, U...>;

// The lists one behind the other.
template <class... L>
struct join_lists { using type = type_list<>; };
template <class... T>
struct join_lists<type_list<T...>> { using type = type_list<T...>; };
template <class... T, class... U, class... L>
struct join_lists<type_list<T...>, type_list<U...>, L...> : join_lists<type_list<T..., U...>, L...> {};

// Those types of a list that are in it more than once, each of them once.
template <class... T>
inline constexpr bool has_repeated_types = false;
template <class T, class... U>
inline constexpr bool has_repeated_types<T, U...> = one_of<T, U...> || has_repeated_types<U...>;
template <class L, class Found = type_list<>>
struct repeated_types { using type = Found; };
template <class T, class... U, class... F>
    requires has_repeated_types<T, U...>
struct repeated_types<type_list<T, U...>, type_list<F...>>
    : repeated_types<type_list<U...>, std::conditional_t<one_of<T, U...> && !one_of<T, F...>, type_list<F..., T>, type_list<F...>>> {};

template <class T, class L>
inline constexpr std::size_t count_in_list = 0;
template <class T, class... U>
inline constexpr std::size_t count_in_list<T, type_list<U...>> = (0 + ... + std::size_t{std::is_same_v<T, U>});

}

}  // namespace xgrad
