// Defines counted, scoped, unchecked, in_common, explained and valued: how a gradient call keeps numbers and small arrays, and how long they live.
#pragma once

#include <type_traits>

namespace xgrad {

// In the workspace, where they count what is owed to them (the default); or on the stack of a function that declares its result type, where they
// count (scoped) or do not (unchecked: the author's promise is believed).
struct counted {};
struct scoped {};
struct unchecked {};
// As scoped, of what all items of a map have in common: a number that is the same in each of them, and in all lanes of a pack.
struct in_common {};
// As counted, by explain(f, x...), which is told of everything that is computed: hooks_of_explained is defined by call/explained.hpp.
struct explained {};
// As counted, in a call that never goes backward: numbers are their values, and hold nothing.
struct valued {};
namespace detail {
template <class N>
struct hooks_of_explained;
template <class N>
inline constexpr bool is_explained = std::is_same_v<typename N::lifetime, explained>;
template <class N>
inline constexpr bool is_valued = std::is_same_v<typename N::lifetime, valued>;
// What the value of a node has in the workspace: a number of a function with a declared result is there as any other.
template <class N>
using lifetime_in_workspace = std::conditional_t<N::rank == 0 && !is_explained<N> && !is_valued<N>, counted, typename N::lifetime>;
}

// Functions whose values live so are only called to go backward.
template <class M>
inline constexpr bool is_stacked = std::is_same_v<M, scoped> || std::is_same_v<M, unchecked> || std::is_same_v<M, in_common>;
// Those of them that count what is owed to a value.
template <class M>
inline constexpr bool counts_on_stack = is_stacked<M> && !std::is_same_v<M, unchecked>;

}
