// Defines give_each and give_times: a cotangent for each element of an array that lies in memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/extents.hpp>
#include <xgrad/scope/kernel/conversions.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Gives each element of the operand a the cotangent f(i), i in row-major order.
template <class A, class F>
void give_each(A const& a, F f) noexcept {
    using T = typename A::value_type;
    bool add = false;
    auto const to = a.target(add);
    for_each_offset(to.shape, to.stride, [&](std::size_t i, std::ptrdiff_t at) {
        T const own = f(i);
        to.data[at] = add ? T(T(to.data[at]) + own) : own;
    });
}

// In the place of a number that others are multiplied by.
struct no_factor {};
template <class T, class G>
XGRAD_DETAIL_INLINE T times(T const& x, [[maybe_unused]] G const& g) {
    if constexpr (std::is_same_v<G, no_factor>) return x;
    else return T(x * g);
}
// Gives the elements of the operand a g times what lies from `from` on, in row-major order: into the place where its cotangent is, without memory of its own.
template <class A, class G>
XGRAD_DETAIL_INLINE void give_times(A const& a, memory_t<typename A::value_type const> from, G const& factor) noexcept {
    using T = typename A::value_type;
    if constexpr (!std::is_same_v<G, no_factor> && !std::is_same_v<G, T>) give_times(a, from, T(in_full<T>(factor)));
    else if constexpr (A::rank == 0) a.add(times(T(from[0]), factor));
    else give_each(a, [&](std::size_t i) { return times(T(from[i]), factor); });
}

}
XGRAD_DETAIL_QUIET_END
