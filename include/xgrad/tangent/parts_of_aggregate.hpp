// parts of a plain aggregate without any macro: its fields, by structured binding. Its tangent is a std::tuple.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/tangent/mirror.hpp>
#include <xgrad/tangent/parts.hpp>
#include <xgrad/tangent/parts_of_tuple.hpp>

namespace xgrad {

namespace detail {

inline constexpr std::size_t most_aggregate_fields = 20;

// How many {} can stand between the braces of S: one for each field, a C array counting once. Zero says that it cannot be found out.
template <class S>
consteval std::size_t count_aggregate_fields() {
    // clang-format off
    if constexpr (!requires { S{{}}; }) return 0;
    else if constexpr (!requires { S{{}, {}}; }) return 1;
    else if constexpr (!requires { S{{}, {}, {}}; }) return 2;
    else if constexpr (!requires { S{{}, {}, {}, {}}; }) return 3;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}}; }) return 4;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}}; }) return 5;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}}; }) return 6;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 7;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 9;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 10;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 11;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 12;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 13;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 14;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 15;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 16;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 17;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 18;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 19;
    else if constexpr (!requires { S{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 20;
    else return 21;
    // clang-format on
}

template <class S, std::size_t N = count_aggregate_fields<std::remove_const_t<S>>()>
constexpr auto tie_aggregate(S& x) noexcept {
    // clang-format off
    if constexpr (N == 1) { auto& [a] = x; return std::tie(a); }
    else if constexpr (N == 2) { auto& [a, b] = x; return std::tie(a, b); }
    else if constexpr (N == 3) { auto& [a, b, c] = x; return std::tie(a, b, c); }
    else if constexpr (N == 4) { auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
    else if constexpr (N == 5) { auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
    else if constexpr (N == 6) { auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
    else if constexpr (N == 7) { auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
    else if constexpr (N == 8) { auto& [a, b, c, d, e, f, g, h] = x; return std::tie(a, b, c, d, e, f, g, h); }
    else if constexpr (N == 9) { auto& [a, b, c, d, e, f, g, h, i] = x; return std::tie(a, b, c, d, e, f, g, h, i); }
    else if constexpr (N == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = x; return std::tie(a, b, c, d, e, f, g, h, i, j); }
    else if constexpr (N == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
    else if constexpr (N == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
    else if constexpr (N == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
    else if constexpr (N == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n); }
    else if constexpr (N == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o); }
    else if constexpr (N == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p); }
    else if constexpr (N == 17) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = x;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    }
    else if constexpr (N == 18) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    }
    else if constexpr (N == 19) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = x;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
    }
    else if constexpr (N == 20) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = x;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
    }
    // clang-format on
}

// A base class would take a {} as well, and structured bindings do not look into it.
template <class S>
struct any_base_of {
    template <class B>
        requires(std::is_base_of_v<B, S> && !std::is_same_v<B, S>)
    operator B() const noexcept;
};

template <class S>
concept countable_aggregate = count_aggregate_fields<S>() >= 1 && count_aggregate_fields<S>() <= most_aggregate_fields && !requires { S{any_base_of<S>{}}; };

// XGRAD_REFLECT stands beside S, and was refused.
template <class S>
concept is_refused = requires { xgrad_reflect(type_tag<S>{}); };

// The fields of S are known by their keys in some other library.
template <class S>
inline constexpr bool is_known_by_keys = false;

// What a function sees of a plain aggregate S: a tuple of its fields, which the compiler, asked for a field by name, calls by this name.
template <class S, hint Hint, class... E>
struct fields_without_names : std::tuple<E...> {
    using std::tuple<E...>::tuple;
};

template <class T>
struct parts_of_references;
template <class... P>
struct parts_of_references<std::tuple<P&...>> : parts_of_tuple<std::remove_cv_t<P>...> {
    template <class Fn>
    using rebind = std::tuple<typename Fn::template type<P>...>;
    template <class S, class Fn>
    using seen = fields_without_names<S, "xgrad[E145]: write XGRAD_REFLECT", typename Fn::template type<P>...>;
};

}  // namespace detail

// A class that is known by its fields alone.
template <class S>
concept plain_aggregate =
    std::is_class_v<S> && std::is_aggregate_v<S> && !std::is_empty_v<S> && !has_fields<S> && !detail::is_refused<S> &&
    !detail::is_known_by_keys<S> && detail::countable_aggregate<S>;

template <plain_aggregate S>
struct parts<S> : detail::parts_of_references<decltype(detail::tie_aggregate(std::declval<S&>()))> {
    static constexpr bool known_only_if_perturbed = true;
    using by_reference = detail::parts_of_references<decltype(detail::tie_aggregate(std::declval<S&>()))>;
    using is_seen_without_names = void;
    template <class Fn>
    using seen_by = typename by_reference::template seen<S, Fn>;

    template <class F, class... X>
    static constexpr void each(F&& f, X&&... x) {
        [&](auto&&... fields) { by_reference::each(f, fields...); }(tied(x)...);
    }
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        if constexpr (std::is_same_v<M, S>)
            return detail::make_by_assignment<M>(f, x...);
        else
            return [&](auto&&... fields) { return by_reference::template make<M>(f, fields...); }(tied(x)...);
    }

private:
    template <class X>
    static constexpr decltype(auto) tied(X& x) noexcept {
        if constexpr (std::is_same_v<std::remove_const_t<X>, S>)
            return detail::tie_aggregate(x);
        else
            return (x);
    }
};

template <class S, detail::hint Hint, class... E>
struct parts<detail::fields_without_names<S, Hint, E...>> : parts<std::tuple<E...>> {};

}  // namespace xgrad

template <class S, xgrad::detail::hint Hint, class... E>
struct std::tuple_size<xgrad::detail::fields_without_names<S, Hint, E...>> : std::integral_constant<std::size_t, sizeof...(E)> {};
template <std::size_t I, class S, xgrad::detail::hint Hint, class... E>
struct std::tuple_element<I, xgrad::detail::fields_without_names<S, Hint, E...>> : std::tuple_element<I, std::tuple<E...>> {};
