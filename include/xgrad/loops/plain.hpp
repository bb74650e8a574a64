// Defines iterate_plain and scan_plain, the loops of plain values alone.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/loops/form.hpp>
#include <xgrad/loops/items.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class N, class F, class P, class... E>
P iterate_plain(N const& steps, F const& f, P s, E const&... e) {
    auto goes_on = [&]([[maybe_unused]] std::size_t i) {
        if constexpr (requires { steps.n; }) return i < steps.n;
        else return static_cast<bool>(steps.holds(std::as_const(s), e...));
    };
    for (std::size_t i = 0; goes_on(i); ++i) {
        P next = s;
        take_plain(next, f(std::as_const(s), e...));
        s = std::move(next);
    }
    return s;
}

// How many items there are, and one of them.
template <class X>
std::size_t count_plain(X const& xs) {
    if constexpr (std::integral<X>) return static_cast<std::size_t>(xs);
    else if constexpr (is_std_tuple<X>) {
        std::size_t n = any_number;
        detail::call_with(
            [&n](auto const&... x) {
                auto one = [&n](std::size_t m) {
                    if (n != any_number && n != m) items_differ();
                    n = m;
                };
                (one(count_plain(x)), ...);
            },
            xs);
        return n;
    } else if constexpr (plain_array<X>) return xs.shape()[0];
    else if constexpr (requires { xs.get(); }) return count_plain(xs.get());
    else if constexpr (!std::ranges::range<X const>) {
        agreed_number n;
        count_constant_rows(xs, n);
        if (n.value() == any_number - 1) items_differ();
        return n.value();
    }
    else return static_cast<std::size_t>(std::ranges::size(xs));
}
template <class X>
decltype(auto) plain_item(X const& xs, std::size_t i) {
    if constexpr (std::integral<X>) return i;
    else if constexpr (is_std_tuple<X>) return call_with([i](auto const&... x) { return std::tuple<decltype(plain_item(x, i))...>(plain_item(x, i)...); }, xs);
    else if constexpr (requires { xs.get(); }) return plain_item(xs.get(), i);
    else if constexpr (plain_array<X> || !std::ranges::range<X const>) return constant_row(xs, i);
    else return std::ranges::begin(xs)[static_cast<std::ptrdiff_t>(i)];
}

// The outputs of all steps.
template <class Y>
struct plain_outputs {
    static constexpr int rank = variable_shape<Y>::rank::value;
    using T = typename variable_shape<Y>::element;
    typename primal_of<T, rank == dynamic_rank ? rank : rank + 1>::type all;
    plain_outputs() {
        if constexpr (rank == 0) all = decltype(all)::from_shape({0});
    }
    template <class V>
    void take(std::size_t i, std::size_t n, V const& v) {
        if constexpr (rank == 0) {
            if (i == 0) all = decltype(all)::from_shape({n});
            all(i) = static_cast<T>(number_in(v));
        } else {
            Y const y(v);
            auto const shape = shape_of<rank>(y);
            if (i == 0) all = primal_of_shape<T>(shape_of_rows(n, shape));
            else if (auto const expected = shape_of_row(shape_of<rank == dynamic_rank ? rank : rank + 1>(all)); !(expected == shape))
                output_changes_shape(to_string(shape), to_string(expected));
            xt::view(all, i) = y;
        }
    }
};
template <class Y>
struct plain_outputs<summed<Y>> {
    Y all{};
    template <class V>
    void take(std::size_t i, std::size_t, V const& v) {
        Y here{};
        take_plain(here, behind_sum(v));
        if (i == 0) all = std::move(here);
        else all += here;
    }
};
template <class Types>
struct tuple_of_outputs;
template <class... Y>
struct tuple_of_outputs<type_list<Y...>> { using type = std::tuple<plain_outputs<Y>...>; };

template <class F, class P, class X, class... E>
auto scan_plain(F const& f, P s, X const& xs, E const&... e) {
    using R = std::remove_cvref_t<decltype(f(std::as_const(s), plain_item(xs, 0), e...))>;
    std::size_t const n = count_plain(xs);
    if constexpr (!gives_more<P, R>()) {
        for (std::size_t i = 0; i < n; ++i) {
            P next = s;
            take_plain(next, f(std::as_const(s), plain_item(xs, i), e...));
            s = std::move(next);
        }
        return s;
    } else {
        using O = typename decltype(find_outputs<P, R>())::type;
        typename tuple_of_outputs<typename O::types>::type ys;
        auto take = [&](auto const& r, std::size_t i) {
            P next = s;
            take_plain(next, std::get<0>(r));
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                auto&& parts = O::tie(std::get<1>(r));
                (std::get<I>(ys).take(i, n, std::get<I>(parts)), ...);
            }(std::make_index_sequence<std::tuple_size_v<decltype(ys)>>{});
            s = std::move(next);
        };
        for (std::size_t i = 0; i < n; ++i) {
            auto const r = f(std::as_const(s), plain_item(xs, i), e...);
            if constexpr (declares_parts<R>) take(r.value(), i);
            else take(r, i);
        }
        auto all = detail::call_with([](auto&... y) { return std::tuple(std::move(y.all)...); }, ys);
        if constexpr (O::is_tuple) return std::tuple(std::move(s), std::move(all));
        else return std::tuple(std::move(s), std::move(std::get<0>(all)));
    }
}

}
XGRAD_DETAIL_QUIET_END
