// Defines tabulate(shape, f, x...): an array whose elements are f of their indices, which reads arrays where it wants: stencils and fills in one pass.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/lanes/arguments.hpp>
#include <xgrad/lanes/axis.hpp>
#include <xgrad/lanes/node.hpp>
#include <xgrad/lanes/plain_map.hpp>
#include <xgrad/lanes/sum_of_items.hpp>
#include <xgrad/lanes/table.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class U>
inline constexpr bool has_real_elements = false;
template <plain_array U>
inline constexpr bool has_real_elements<U> = std::is_floating_point_v<std::remove_const_t<typename U::value_type>>;

// What a tabulation holds of an argument: of an array a table.
template <class T, class X>
auto table_source(X&& x, context& c) {
    using U = std::remove_cvref_t<X>;
    if constexpr (active<U>) {
        static_assert(U::rank != dynamic_rank, "xgrad[E169]: tabulate(shape, f, x...) requires arrays whose number of dimensions is in their type: write "
                                               "xt::xtensor<T, N> for xt::xarray<T>");
        auto a = as_operand(std::forward<X>(x));
        if constexpr (U::rank == 0) return whole_of<decltype(a)>{std::move(a)};
        else return table_of<decltype(a)>{std::move(a)};
    } else if constexpr (has_real_elements<U>) {
        auto a = as_constant_array<scalar_of_t<T>>(std::forward<X>(x), c);
        return table_of<decltype(a)>{std::move(a)};
    } else {
        static_assert(!holds_active<U>, "xgrad[E183]: tabulate(shape, f, x...) requires numbers and arrays where they are active, but an argument is a struct "
                                        "or a container of active values: pass its parts one by one");
        return plain_of<U>(std::forward<X>(x));
    }
}

template <class T, int D, class F, class... S>
auto make_tabulation(F f, S... s) {
    using function = item_function<T, F, S...>;
    constexpr bool callable = std::is_invocable_v<F const&, port_handle_t<S, T, 1, counted>...>;
    static_assert(callable, "xgrad[E181]: tabulate(shape, f, x...) requires that f compiles when it is called with an index for each axis of the shape, and as "
                            "many arguments as there are behind f, but it does not: take them by auto const&, and read arrays by x(i...)");
    if constexpr (!callable) return 0.0;
    else {
        static_assert(is_scalar_result<typename function::probed>,
                      "xgrad[E182]: tabulate(shape, f, x...) requires that f gives a number, but it gives something else: tabulate each number by itself");
        formula<mapping<F, T, in_grid<D>>, S...> y(std::in_place, std::move(f), std::tuple<S...>(std::move(s)...));
        y.node_at().check();
        return y;
    }
}

// Of a list of lengths, whose integers may be of several types.
struct axis_length {
    std::size_t n;
    template <std::integral N>
    axis_length(N length) noexcept : n(static_cast<std::size_t>(length)) {}
};

template <int D, class F, class... X>
auto tabulate_in(extents<D> const& shape, F f, X&&... x) {
    using E = map_element<std::remove_cvref_t<X>...>;
    if constexpr (std::is_same_v<E, no_element>) {
        auto item = [&]<std::size_t... K>(std::index_sequence<K...>, auto const& at) { return plain_value(f(at[K]..., x...)); };
        std::array<std::size_t, D> at{};
        constexpr auto axes = std::make_index_sequence<static_cast<std::size_t>(D)>();
        using R = decltype(item(axes, at));
        auto y = xt::xtensor<R, static_cast<std::size_t>(D)>::from_shape(shape.n);
        for (std::size_t i = 0; i < y.size(); ++i) {
            y.data()[i] = item(axes, at);
            for (int d = D - 1; d >= 0 && ++at[static_cast<std::size_t>(d)] == shape[d]; --d) at[static_cast<std::size_t>(d)] = 0;
        }
        return y;
    } else if constexpr (std::is_void_v<E>) {
        if constexpr (check_real<X...>())
            static_assert(!std::is_void_v<E>, "xgrad[E164]: tabulate(shape, f, x...) requires active arguments of one call and with elements of one "
                                              "derivative, but some belong to a derivative around another: write a loop over the items");
        return 0.0;
    } else {
        context* c = nullptr;
        ((c = c ? c : owner_of_parts(x)), ...);
        context& here = c ? *c : plain_context();
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return make_tabulation<E, D>(std::move(f), axis_of<D, static_cast<int>(K)>(shape)..., table_source<E>(std::forward<X>(x), here)...);
        }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    }
}

}

// The array y of this shape with y(i...) = f(i..., x...), where f reads arrays at i and about it: x(i - 1, j). There is no array between, and on the way back
// each reading adds to its own element. Of the indices each is a std::size_t; those of the last axis come a SIMD register of items at a time where f declares
// its result, `-> xgrad::real`: they add, subtract, multiply and compare with integers, and divide by them. Where items take different ways, at an edge say, or
// an index is made a number, these are computed one by one. Active arrays are read by x(i...), and have a shape(), shape(d) and size(); numbers are as they
// are; plain arrays are constants, whose elements are read the same way. Sums and means of it are one pass, as those of map. Throws std::out_of_range where f
// reads outside of an array, and what f throws. f computes with its parameters alone: an active value that it has captured is refused.
template <std::integral N, class F, class... X>
auto tabulate(N n, F f, X&&... x) {
    return detail::tabulate_in(extents<1>{{static_cast<std::size_t>(n)}}, std::move(f), std::forward<X>(x)...);
}
template <std::integral N, std::size_t D, class F, class... X>
auto tabulate(std::array<N, D> const& shape, F f, X&&... x) {
    extents<static_cast<int>(D)> s;
    for (std::size_t d = 0; d < D; ++d) s[static_cast<int>(d)] = static_cast<std::size_t>(shape[d]);
    return detail::tabulate_in(s, std::move(f), std::forward<X>(x)...);
}
template <std::integral N, std::size_t D, class F, class... X>
auto tabulate(N const (&shape)[D], F f, X&&... x) {
    return tabulate(std::to_array(shape), std::move(f), std::forward<X>(x)...);
}
template <std::size_t D, class F, class... X>
auto tabulate(detail::axis_length const (&shape)[D], F f, X&&... x) {
    std::array<std::size_t, D> s;
    for (std::size_t d = 0; d < D; ++d) s[d] = shape[d].n;
    return tabulate(s, std::move(f), std::forward<X>(x)...);
}

}
XGRAD_DETAIL_QUIET_END
