// Boost.Hana and xgrad: structs adapted by Hana's macros and hana::tuple have tangents; reflected structs and their mirrors are Hana Structs.
// Include it before the first question about the tangent of a struct that is adapted by Hana's macros.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <boost/hana/accessors.hpp>
#include <boost/hana/at.hpp>
#include <boost/hana/at_key.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/core/tag_of.hpp>
#include <boost/hana/core/when.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>

#include <xgrad/tangent/tangent_type.hpp>

namespace boost::hana {

// The fields of a reflected struct, or of a mirror of one, by their names.
template <class S>
struct accessors_impl<S, when<xgrad::has_fields<S>>> {
    template <std::size_t I, std::size_t... C>
    static constexpr auto key(std::index_sequence<C...>) {
        return string_c<xgrad::field_names<S>[I][C]...>;
    }
    template <std::size_t... I>
    static constexpr auto all(std::index_sequence<I...>) {
        return make_tuple(make_pair(key<I>(std::make_index_sequence<xgrad::field_names<S>[I].size()>{}),
                                    [](auto&& s) -> auto& { return std::get<I>(xgrad::fields(s)); })...);
    }
    static constexpr auto apply() { return all(std::make_index_sequence<xgrad::field_count<S>>{}); }
};

}  // namespace boost::hana

namespace xgrad {

namespace detail {

template <class M>
concept hana_map = std::is_same_v<boost::hana::tag_of_t<M>, boost::hana::map_tag>;

// BOOST_HANA_DEFINE_STRUCT or BOOST_HANA_ADAPT_STRUCT, and not XGRAD_REFLECT.
template <class S>
concept hana_struct = std::is_class_v<S> && !has_fields<S> && !hana_map<S> && boost::hana::Struct<S>::value;

template <hana_struct S>
inline constexpr bool is_known_by_keys<S> = true;

template <class S>
using hana_accessors = decltype(boost::hana::accessors<S>());

// The part of a struct or of a map that belongs to a key.
template <class X, class Key>
constexpr auto& part_at(X& x, Key const& key) {
    return boost::hana::at_key(x, key);
}

template <class... Key>
struct hana_keys {
    template <class... P>
    struct with_types {
        using types = type_list<P...>;
        static constexpr identified identity = identified::by_parts;
        static constexpr bool may_collapse = true;
        static constexpr bool fixed_form = true;
        template <class... T>
        using of = decltype(boost::hana::make_map(boost::hana::make_pair(Key{}, std::declval<T>())...));
        template <class Fn>
        using rebind = of<typename Fn::template type<P>...>;

        template <class F, class... X>
        static constexpr void each(F&& f, X&&... x) {
            (each_at(f, Key{}, x...), ...);
        }
        template <class M, class F, class... X>
        static constexpr M make(F&& f, X&&... x) {
            return boost::hana::make_map(boost::hana::make_pair(Key{}, made_at(f, Key{}, x...))...);
        }

    private:
        template <class F, class K, class... X>
        static constexpr void each_at(F& f, K key, X&... x) {
            f(part_at(x, key)...);
        }
        template <class F, class K, class... X>
        static constexpr auto made_at(F& f, K key, X&... x) {
            return f(part_at(x, key)...);
        }
    };
};

template <class S, std::size_t... I>
auto find_hana_parts(std::index_sequence<I...>) ->
    typename hana_keys<std::remove_cvref_t<decltype(boost::hana::first(boost::hana::at_c<I>(std::declval<hana_accessors<S>>())))>...>::template with_types<
        std::remove_cvref_t<decltype(boost::hana::second(boost::hana::at_c<I>(std::declval<hana_accessors<S>>()))(std::declval<S&>()))>...>;

template <class M, template <class...> class Keys, class... Key>
auto find_map_parts(Keys<Key...>) ->
    typename hana_keys<Key...>::template with_types<std::remove_cvref_t<decltype(boost::hana::at_key(std::declval<M&>(), Key{}))>...>;

}  // namespace detail

// Its tangent is a hana::map of the same keys.
template <detail::hana_struct S>
struct parts<S> : decltype(detail::find_hana_parts<S>(
                      std::make_index_sequence<decltype(boost::hana::length(std::declval<detail::hana_accessors<S>>()))::value>{})) {
    using by_key = decltype(detail::find_hana_parts<S>(
        std::make_index_sequence<decltype(boost::hana::length(std::declval<detail::hana_accessors<S>>()))::value>{}));
    template <class M, class F, class... X>
    static constexpr M make(F&& f, X&&... x) {
        if constexpr (std::is_same_v<M, S>)
            return detail::make_by_assignment<M>(f, x...);
        else
            return by_key::template make<M>(f, x...);
    }
};

template <detail::hana_map M>
struct parts<M> : decltype(detail::find_map_parts<M>(boost::hana::keys(std::declval<M>()))) {};

template <class... P>
struct parts<boost::hana::tuple<P...>> {
    using types = type_list<P...>;
    template <class Fn>
    using rebind = boost::hana::tuple<typename Fn::template type<P>...>;
    template <class... T>
    using of = boost::hana::tuple<T...>;
    static constexpr identified identity = identified::by_parts;
    static constexpr bool may_collapse = true;
    static constexpr bool fixed_form = true;

    template <std::size_t I, class F, class... X>
    static constexpr decltype(auto) at(F& f, X&... x) {
        return f(boost::hana::at_c<I>(x)...);
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

}  // namespace xgrad
