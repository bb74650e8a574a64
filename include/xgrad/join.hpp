// Defines concatenate, stack, hstack, vstack and meshgrid: active and plain arrays beside each other.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/axes.hpp>
#include <xgrad/reshape.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/ruleset/join.hpp>
#include <xgrad/scope/node/stack_numbers.hpp>

namespace xgrad {

namespace detail {

// concatenate and stack
template <class... E>
concept active_among = (active<E> || ...) && ((active<E> || plain_array<E> || plain_number<std::remove_cvref_t<E>>) && ...);
template <class E>
std::ptrdiff_t dimension_of(E const& e) { return static_cast<std::ptrdiff_t>(e.dimension()); }
// Numbers of one call in a line: expressions that need no places of their own.
template <class... E>
constexpr bool are_numbers_of_one_type() {
    if constexpr (!(is_scalar_operand<E> && ...)) return false;
    else {
        using T = typename active_element<E...>::type;
        auto const fits = []<class X>(std::type_identity<X>) {
            if constexpr (active<X>) return std::is_same_v<typename std::remove_cvref_t<X>::value_type, T>;
            else return std::is_arithmetic_v<std::remove_cvref_t<X>>;
        };
        return !is_pack<T> && (fits(std::type_identity<E>{}) && ...);
    }
}
template <bool New, class... E>
auto make_join(char const* call, std::tuple<E...>& t, std::ptrdiff_t given) {
    constexpr bool of_numbers = New && are_numbers_of_one_type<E...>();
    std::ptrdiff_t n = 1;
    if constexpr (!of_numbers) n = dimension_of(std::get<0>(t)) + New;
    if (given < -n || given >= n)
        throw std::invalid_argument(std::string("xgrad[E205]: ") + call + " requires an axis of its result, found axis " + std::to_string(given) + " of " +
                                    std::to_string(n));
    if constexpr (of_numbers) return detail::call_with([](auto&... e) { return make_formula<stacked_numbers>(static_cast<E&&>(e)...); }, t);
    else {
        int const axis = static_cast<int>(given < 0 ? given + n : given);
        return detail::call_with([&](auto&... e) { return array_operation(op::join<New>{axis}, static_cast<E&&>(e)...); }, t);
    }
}
// As xtensor has it, of arrays of one dimension the first is the only axis.
template <class... E>
auto make_hstack(std::tuple<E...>& t) {
    auto const axis = dimension_of(std::get<0>(t)) > 1 ? 1 : 0;
    return make_join<false>("hstack(xtuple(a, b, ...))", t, axis);
}
// What only the call knows to be a line, as a matrix of one row; all else as it is.
template <class E>
auto line_as_row(E&& e) {
    if constexpr (active<E>)
        return restride<dynamic_rank>(std::forward<E>(e), [](auto const& x, auto const& step, auto& s, auto& t, std::ptrdiff_t&) {
            int const row = x.rank() == 1;
            s.set_rank(x.rank() + row);
            t.set_rank(x.rank() + row);
            s[0] = 1;
            t[0] = 0;
            for (int d = 0; d < x.rank(); ++d) {
                s[d + row] = x[d];
                t[d + row] = step[d];
            }
        });
    else {
        xt::xarray<typename std::remove_cvref_t<E>::value_type> y = e;
        if (y.dimension() == 1) y.reshape({std::size_t{1}, y.size()});
        return y;
    }
}
template <class... E>
auto make_vstack(std::tuple<E...>& t) {
    constexpr int R = [] {
        using F = std::remove_cvref_t<std::tuple_element_t<0, std::tuple<E...>>>;
        if constexpr (active<F>) return F::rank;
        else return rank_of<F>;
    }();
    constexpr char const* call = "vstack(xtuple(a, b, ...))";
    if constexpr (R == 1) return make_join<true>(call, t, 0);
    else if constexpr (R == dynamic_rank)
        return detail::call_with(
            [&](auto&... e) {
                auto rows = std::tuple(line_as_row(static_cast<E&&>(e))...);
                return make_join<false>(call, rows, 0);
            },
            t);
    else return make_join<false>(call, t, 0);
}

template <class E>
std::size_t length_of(E const& e) {
    if (e.dimension() != 1)
        throw std::invalid_argument("xgrad[E203]: meshgrid(a, b, ...) requires lines, found an array of " + std::to_string(e.dimension()) + " dimensions");
    return e.shape()[0];
}
template <std::size_t I, std::size_t N, class E>
auto make_mesh(E const& e, std::array<std::size_t, N> const& shape) {
    auto const laid = lay_along<static_cast<int>(N)>(e, static_cast<int>(I), static_cast<int>(N));
    if constexpr (active<E>) return make_broadcast(laid, shape);
    else return xt::xtensor<typename E::value_type, N>(xt::broadcast(laid, shape));
}

}

// Active and plain arrays beside each other, a copy of each: concatenate(xt::xtuple(a, b, ...), axis) along an axis that they have, of shapes that agree but
// for it; stack(xt::xtuple(a, b, ...), axis) along a new one, of one shape, numbers, too; hstack and vstack along axes 1 and 0, lines one behind or below the
// other. Throws std::invalid_argument where shapes do not fit or the result has no such axis. The heads equal xtensor's, so being constrained they win.
template <class... E>
    requires detail::active_among<E...>
auto concatenate(std::tuple<E...>&& t, std::size_t axis = 0) {
    return detail::make_join<false>("concatenate(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(axis));
}
template <std::size_t Axis, class... E>
    requires detail::active_among<E...>
auto concatenate(std::tuple<E...>&& t) { return detail::make_join<false>("concatenate(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(Axis)); }
template <class... E>
    requires detail::active_among<E...>
auto stack(std::tuple<E...>&& t, std::size_t axis = 0) {
    return detail::make_join<true>("stack(xtuple(a, b, ...), axis)", t, static_cast<std::ptrdiff_t>(axis));
}
template <class... E>
    requires detail::active_among<E...>
auto hstack(std::tuple<E...>&& t) { return detail::make_hstack(t); }
template <class... E>
    requires detail::active_among<E...>
auto vstack(std::tuple<E...>&& t) { return detail::make_vstack(t); }
// meshgrid(a, b, ...): a std::tuple of arrays of shape (n of a, n of b, ...), of which each changes along its own axis. Throws std::invalid_argument for what
// is no line.
template <class... E>
    requires detail::active_among<E...>
auto meshgrid(E&&... e) {
    std::array<std::size_t, sizeof...(E)> const shape{detail::length_of(e)...};
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::make_tuple(detail::make_mesh<I>(detail::keep_alive(std::forward<E>(e)), shape)...);
    }(std::index_sequence_for<E...>{});
}

}

namespace xt {
using xgrad::concatenate, xgrad::hstack, xgrad::meshgrid, xgrad::stack, xgrad::vstack;
}
namespace xgrad {
using xt::concatenate, xt::hstack, xt::meshgrid, xt::stack, xt::vstack;
}
