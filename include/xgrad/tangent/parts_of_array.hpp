// parts of std::array and of C arrays: values of a fixed number of elements. The rebind of a C array is a std::array.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/parts.hpp>

namespace xgrad {

namespace detail {

template <class P, std::size_t N>
struct parts_of_fixed : one_part<P, identified::by_parts, true, true> {
    template <class Fn>
    using rebind = std::array<typename Fn::template type<P>, N>;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        for (std::size_t i = 0; i < N; ++i) f(x[i]...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        using element = typename M::value_type;
        if constexpr (N > 16 && std::is_default_constructible_v<element> && std::is_move_assignable_v<element>) {
            M m{};
            for (std::size_t i = 0; i < N; ++i) m[i] = f(x[i]...);
            return m;
        } else {
            auto at = [&](std::size_t i) -> element { return f(x[i]...); };
            return [&]<std::size_t... I>(std::index_sequence<I...>) { return M{at(I)...}; }(std::make_index_sequence<N>{});
        }
    }
};

}  // namespace detail

template <class P, std::size_t N>
struct parts<std::array<P, N>> : detail::parts_of_fixed<P, N> {};

template <class P, std::size_t N>
struct parts<P[N]> : detail::parts_of_fixed<P, N> {};

}  // namespace xgrad
