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
template <std::size_t W, bool Add, class T, class G>
XGRAD_DETAIL_INLINE void add_times_pack(memory_t<T> to, memory_t<T const> from, G const& g) {
    auto x = times(load<T, W>(from), g);
    if constexpr (Add) x = load<T, W>(to) + x;
    store<T, W>(to, x);
}
// to[i] = g from[i], or is added that, for i = 0, ..., n - 1, a register at a time.
template <bool Add, class T, class G>
void put_times(memory_t<T> to, memory_t<T const> from, std::size_t n, G const& g) {
    constexpr std::size_t W = lanes<T>;
    std::size_t i = 0;
    if constexpr (W != 1) {
        auto wide = [&] {
            if constexpr (std::is_same_v<G, no_factor>) return g;
            else return broadcast_lanes<T, W>(g);
        };
        auto const by = wide();
        for (; i + W <= n; i += W) add_times_pack<W, Add, T>(to + i, from + i, by);
    }
    for (; i < n; ++i) add_times_pack<1, Add, T>(to + i, from + i, g);
}

// Gives the elements of the operand a g times what lies from `from` on, in row-major order: into the place where its cotangent is, without memory of its own.
template <class A, class G>
void give_times(A const& a, memory_t<typename A::value_type const> from, G const& factor) noexcept {
    using T = typename A::value_type;
    auto give = [&](auto const& g) {
        if constexpr (A::rank == 0) a.add(times(T(from[0]), g));
        else {
            bool add = false;
            auto const to = a.target(add);
            if (!is_contiguous(to.shape, to.stride))
                return for_each_offset(to.shape, to.stride, [&](std::size_t i, std::ptrdiff_t at) {
                    T const own = times(T(from[i]), g);
                    to.data[at] = add ? T(T(to.data[at]) + own) : own;
                });
            std::size_t const n = element_count(to.shape);
            if (add) put_times<true, T>(to.data, from, n, g);
            else put_times<false, T>(to.data, from, n, g);
        }
    };
    if constexpr (std::is_same_v<G, no_factor>) give(factor);
    else give(T(in_full<T>(factor)));
}

}
XGRAD_DETAIL_QUIET_END
