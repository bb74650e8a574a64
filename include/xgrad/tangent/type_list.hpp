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

}  // namespace xgrad
