// Defines map_jacobian and map_hessian: the derivatives of each item of a map with respect to its own numbers, as dense blocks.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/lanes/blocks.hpp>
#include <xgrad/map.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

using block_array = xt::xtensor<double, 3>;
inline void give_block_shape(block_array& y, std::size_t n, std::size_t rows, std::size_t columns) {
    if (y.shape(0) != n || y.shape(1) != rows || y.shape(2) != columns) y = block_array::from_shape({n, rows, columns});
}

// Duals go along one direction at a time: those of packs with several do not stay in registers, which costs more than to run f once more.
template <class Flags, class T, class F, class... S>
void jacobian_of_items(block_array& j, F const& f, std::tuple<S...> const& x) {
    using R = typename decltype(find_results_of_map<T, F, S...>())::type;
    if constexpr (std::is_same_v<R, no_results>) return;
    else if constexpr (!std::is_void_v<R> && !declared_result<typename item_function<T, F, S...>::probed>)
        return jacobian_of_items<Flags, T>(j, giving<F, R>(f), x);
    else {
        detail::call_with([](auto const&... s) { check_sources(s...); }, x);
        std::size_t const n = detail::call_with([](auto const&... s) { return items_of(s...); }, x);
        std::size_t const inputs = count_inputs<Flags>(x), results = count_of_results<R>;
        give_block_shape(j, n, results, inputs);
        using M = typename item_function<T, F, S...>::lifetime;
        auto run = [&]<class E, class How>(bool reverse, type_tag<E>, type_tag<How>) {
            within_items<M>(reverse, [&](context& c) {
                blocks const to(c, j.data(), results * inputs);
                run_blocks<E>(f, x, c, to, How{to, inputs});
            });
        };
        if (results <= inputs || results == 1) run(true, type_tag<T>{}, type_tag<jacobian_by_reverse<R, Flags>>{});
        else if constexpr (!std::is_void_v<R>) run(false, type_tag<dual<T, 1, direction_tag<F>>>{}, type_tag<jacobian_by_forward<R, Flags>>{});
    }
}
template <class Flags, class T, class F, class... S>
void hessian_of_items(block_array& h, F const& f, std::tuple<S...> const& x) {
    using R = typename decltype(find_results_of_map<T, F, S...>())::type;
    static_assert(std::is_void_v<R> || std::is_same_v<R, no_results>,
                  "xgrad[E168]: map_hessian(f, a...) requires that f gives one number, but it gives several: weigh them and add them up");
    detail::call_with([](auto const&... s) { check_sources(s...); }, x);
    std::size_t const n = detail::call_with([](auto const&... s) { return items_of(s...); }, x), inputs = count_inputs<Flags>(x);
    give_block_shape(h, n, inputs, inputs);
    if constexpr (std::is_void_v<R>) {
        using E = dual<T, 1, direction_tag<F>>;
        within_items<typename item_function<E, F, S...>::lifetime>(true, [&](context& c) {
            blocks const to(c, h.data(), inputs * inputs);
            run_blocks<E>(f, x, c, to, hessian_by_both<Flags>{to, inputs});
        });
    }
}

// use(flags, f, sources) where constants are told from inputs.
template <class F, class Use, class... A>
void with_inputs(F const& f, Use use, A const&... a) {
    constexpr bool plain = std::is_same_v<map_element<A...>, no_element>;
    static_assert(plain, "xgrad[E167]: map_jacobian(f, a...) and map_hessian(f, a...) require plain arguments, but some are active: call them outside of the "
                         "differentiated function, or differentiate map(f, a...)");
    if constexpr (plain) {
        context& c = plain_context();
        auto one = [&c]<class X>(X const& x) {
            if constexpr (is_constant_source<X>) return sources_of<double>(without_constant(x), c);
            else return inputs_of<double>(x, c);
        };
        using flags = typename join_flags<decltype(flags_of<is_constant_source<A>>(one(a)))...>::type;
        auto sources = std::tuple_cat(one(a)...);
        if constexpr ((std::is_same_v<input_form_t<A>, one_handle> && ...)) use(flags{}, f, sources);
        else use(flags{}, with_forms<double, F, input_form_t<A>...>(f), sources);
    }
}

}

// map_jacobian and map_hessian into an array that there is: it gets the shape that it needs, and nothing is allocated where it has it.
template <class F, class... A>
void map_jacobian_to(xt::xtensor<double, 3>& j, F const& f, A const&... a) {
    auto use = [&j]<class Flags>(Flags, auto const& g, auto const& x) { detail::jacobian_of_items<Flags, double>(j, g, x); };
    detail::with_inputs(f, use, a...);
}
template <class F, class... A>
void map_hessian_to(xt::xtensor<double, 3>& h, F const& f, A const&... a) {
    auto use = [&h]<class Flags>(Flags, auto const& g, auto const& x) { detail::hessian_of_items<Flags, double>(h, g, x); };
    detail::with_inputs(f, use, a...);
}

// The derivatives of each item's results with respect to its own arguments: an array of the shape (n, results, inputs). f and a... are those of map(f, a...),
// all of them plain; results as map gives them, inputs in the order of the arguments: the numbers of item i's element, row or struct, then those that all items
// share; integers are none, nor is what stands in constant(x): each(constant(x)), pick(constant(x), index). It is computed in packs, by one reverse sweep for
// each result, or, where there are fewer inputs than results, by the forward mode. Throws what map(f, a...) throws.
template <class F, class... A>
[[nodiscard]] auto map_jacobian(F const& f, A const&... a) {
    xt::xtensor<double, 3> j;
    map_jacobian_to(j, f, a...);
    return j;
}

// The second derivatives of each item's result, one number: an array of the shape (n, inputs, inputs), with inputs as map_jacobian has them, by the reverse
// mode over duals, in packs.
template <class F, class... A>
[[nodiscard]] auto map_hessian(F const& f, A const&... a) {
    xt::xtensor<double, 3> h;
    map_hessian_to(h, f, a...);
    return h;
}

}
XGRAD_DETAIL_QUIET_END
