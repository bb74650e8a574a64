// parts of std::pair and std::tuple: their elements.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include <xgrad/tangent/parts.hpp>

namespace xgrad {

namespace detail {

template <class... P>
struct parts_of_tuple {
    using of_xgrad = void;
    using types = type_list<P...>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <std::size_t I, class F, class... X>
    static constexpr decltype(auto) at(F& f, X&... x) {
        return f(std::get<I>(x)...);
    }
    template <class F, class... X>
    static constexpr void each([[maybe_unused]] F&& f, [[maybe_unused]] X&&... x) {
        [&]<std::size_t... I>(std::index_sequence<I...>) { (static_cast<void>(at<I>(f, x...)), ...); }(std::index_sequence_for<P...>{});
    }
    template <class M, class F, class... X>
    static constexpr M make([[maybe_unused]] F&& f, [[maybe_unused]] X&&... x) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return M{at<I>(f, x...)...}; }(std::index_sequence_for<P...>{});
    }
};

}  // namespace detail

template <class... P>
struct parts<std::tuple<P...>> : detail::parts_of_tuple<P...> {
    template <class... T>
    using of = std::tuple<T...>;
    template <class Fn>
    using rebind = std::tuple<typename Fn::template type<P>...>;
};

template <class P, class Q>
struct parts<std::pair<P, Q>> : detail::parts_of_tuple<P, Q> {
    template <class... T>
    using of = std::pair<T...>;
    template <class Fn>
    using rebind = std::pair<typename Fn::template type<P>, typename Fn::template type<Q>>;
};

}  // namespace xgrad
