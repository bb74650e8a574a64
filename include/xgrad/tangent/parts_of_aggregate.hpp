// parts of a plain aggregate without any macro: its fields, by structured binding. Its tangent is a std::tuple.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

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
constexpr auto tie_aggregate(S& s) noexcept {
    constexpr std::size_t n = N;
    // clang-format off
    if constexpr (n == 1) { auto& [a0] = s; return std::tie(a0); }
    else if constexpr (n == 2) { auto& [a0, a1] = s; return std::tie(a0, a1); }
    else if constexpr (n == 3) { auto& [a0, a1, a2] = s; return std::tie(a0, a1, a2); }
    else if constexpr (n == 4) { auto& [a0, a1, a2, a3] = s; return std::tie(a0, a1, a2, a3); }
    else if constexpr (n == 5) { auto& [a0, a1, a2, a3, a4] = s; return std::tie(a0, a1, a2, a3, a4); }
    else if constexpr (n == 6) { auto& [a0, a1, a2, a3, a4, a5] = s; return std::tie(a0, a1, a2, a3, a4, a5); }
    else if constexpr (n == 7) { auto& [a0, a1, a2, a3, a4, a5, a6] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6); }
    else if constexpr (n == 8) { auto& [a0, a1, a2, a3, a4, a5, a6, a7] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7); }
    else if constexpr (n == 9) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8); }
    else if constexpr (n == 10) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9); }
    else if constexpr (n == 11) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10); }
    else if constexpr (n == 12) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11); }
    else if constexpr (n == 13) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12); }
    else if constexpr (n == 14) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13); }
    else if constexpr (n == 15) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14); }
    else if constexpr (n == 16) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15); }
    else if constexpr (n == 17) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16); }
    else if constexpr (n == 18) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17); }
    else if constexpr (n == 19) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18); }
    else if constexpr (n == 20) { auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19] = s; return std::tie(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19); }
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

// The fields of S are known by their keys in some other library.
template <class S>
inline constexpr bool is_known_by_keys = false;

template <class T>
struct parts_of_references;
template <class... P>
struct parts_of_references<std::tuple<P&...>> : parts_of_tuple<std::remove_cv_t<P>...> {
    template <class Fn>
    using rebind = std::tuple<typename Fn::template type<P>...>;
};

}  // namespace detail

// A class that is known by its fields alone.
template <class S>
concept plain_aggregate = std::is_class_v<S> && std::is_aggregate_v<S> && !std::is_empty_v<S> && !has_fields<S> && !detail::is_known_by_keys<S> && detail::countable_aggregate<S>;

template <plain_aggregate S>
struct parts<S> : detail::parts_of_references<decltype(detail::tie_aggregate(std::declval<S&>()))> {
    static constexpr bool known_only_if_perturbed = true;
    using by_reference = detail::parts_of_references<decltype(detail::tie_aggregate(std::declval<S&>()))>;

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

}  // namespace xgrad
