// Defines map(f, a...): a function of numbers over items, one SIMD register at a time, with each and pick, which say what an item has of an array.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/lanes/arguments.hpp>
#include <xgrad/lanes/node.hpp>
#include <xgrad/lanes/plain_map.hpp>
#include <xgrad/lanes/sum_of_items.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/view.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// An argument of map(f, a...): item i has element i of x, or with N its row i, of N numbers. x is an array, a container, or a struct of such, active or plain.
template <std::size_t N = 0, class X>
detail::each_of<N, X> each(X&& x) {
    return {std::forward<X>(x)};
}
// An argument of map(f, a...): item i has element index(i) of x, or with N its row index(i), of N numbers.
template <std::size_t N = 0, class X, class I>
detail::pick_of<N, X, I> pick(X&& x, I&& index) {
    return {std::forward<X>(x), std::forward<I>(index)};
}

namespace detail {

template <class T, class F, class... S>
consteval auto find_results_of_map() {
    constexpr bool callable = std::is_invocable_v<F const&, port_handle_t<S, T, 1, counted>...>;
    static_assert(callable, "xgrad[E165]: map(f, a...) requires that f compiles when it is called with as many numbers and rows as there are arguments, but it "
                            "does not: take them by auto const&, one parameter for each");
    if constexpr (!callable) return type_tag<no_results>{};
    else {
        using R = decltype(find_results<typename item_function<T, F, S...>::probed>());
        static_assert(!std::is_same_v<R, type_tag<no_results>>,
                      "xgrad[E166]: map(f, a...) requires that f gives a number, or several as a std::tuple, a std::array or a reflected struct of "
                      "floating-point numbers and of fixed arrays with one axis, but it gives something else: reduce an array, or declare "
                      "-> xgrad::result<xt::xtensor_fixed<double, xt::xshape<N>>>");
        return R{};
    }
}
template <class T, class R, class By, class F, class... S>
auto make_map_formula(By const& by, F f, std::tuple<S...> x) {
    using G = decltype(by.function(std::move(f)));
    formula<mapping<G, T, R>, S...> y(std::in_place, by.function(std::move(f)), std::move(x));
    y.node_at().check();
    return y;
}
template <class T, class By, class F, class... S>
auto make_map(By const& by, F f, std::tuple<S...> x) {
    using R = typename decltype(find_results_of_map<T, F, S...>())::type;
    if constexpr (std::is_same_v<R, no_results>) return 0.0;
    else if constexpr (std::is_void_v<R>) return make_map_formula<T, void>(by, std::move(f), std::move(x));
    else {
        auto all = [&] {
            if constexpr (item_function<T, F, S...>::is_declared) return make_map_formula<T, R>(by, std::move(f), std::move(x));
            else return make_map_formula<T, R>(by, giving<F, R>(std::move(f)), std::move(x));
        };
        if constexpr (is_array_of_results<R>) return all();
        else {
            variable columns = all();
            std::size_t k = 0;
            auto one = [&]<class P>(auto const& self, P const& part) {
                using V = typename to_columns<T, R>::template type<P>;
                if constexpr (struct_of_columns<P>) {
                    auto inside = [&self](auto const& p) { return self(self, p); };
                    return parts<P>::template make<V>(inside, part);
                } else {
                    std::size_t const first = std::exchange(k, k + count_of_results<P>);
                    if constexpr (std::is_floating_point_v<P>) return V(xgrad::view(columns, xt::all(), first));
                    else return V(xgrad::view(columns, xt::all(), xt::range(first, k)));
                }
            };
            return one(one, R{});
        }
    }
}

// map(f, a...), whose items run as By says.
template <class By, class F, class... A>
auto map_by(By const& by, F f, A&&... a) {
    using E = map_element<A...>;
    if constexpr (!check_map<E, A...>()) return 0.0;
    else {
        constexpr bool is_active = !std::is_same_v<E, no_element>;
        using T = std::conditional_t<is_active, E, double>;
        context* c = nullptr;
        ((c = c ? c : owner_of_parts(a)), ...);
        auto make = [&]<class G, class... S>(G g, std::tuple<S...> x) {
            if constexpr (!is_active)
                return detail::call_with(
                    [&](auto const&... s) {
                        check_sources(s...);
                        return map_plain(by, g, items_of(s...), s...);
                    },
                    x);
            else return make_map<T>(by, std::move(g), std::move(x));
        };
        auto sources = std::tuple_cat(sources_of<T>(std::forward<A>(a), c ? *c : plain_context())...);
        if constexpr ((std::is_same_v<form_t<A>, one_handle> && ...)) return make(std::move(f), std::move(sources));
        else return make(with_forms<T, F, form_t<A>...>(std::move(f)), std::move(sources));
    }
}

}

// f of each item: the results as an array of one axis. Where f gives several, declared as `-> xgrad::result<S>` or not: a struct or a std::tuple S of numbers,
// of fixed arrays and of other such structs makes a struct of arrays, a std::array or a fixed array S of K numbers an array of the shape (n, K). f is an
// ordinary function of numbers, by auto const&, which declares its result, `-> xgrad::real`: then it runs a SIMD register of items at a time, and its values
// and their pullbacks stay on the stack. Without a declared result it runs item by item. Of an argument
//   each(x)                             item i has what stands behind the first index of x: a number, or an array with an axis less; of integers and the like
//                                       the plain value
//   each<N>(x)                          item i has the row of N numbers x(i, 0), ..., x(i, N - 1)
//   each(v)                             of a container item i has element i, a number, an array, or a reflected struct of numbers and of arrays
//   each(m)                             of a reflected struct, a tuple or a pair of arrays item i has a struct of the same names with item i of each; a number
//                                       in it is shared
//   pick(x, index), pick<N>(x, index)   item i has row index(i) of any of them; what comes back for a row is summed, in the order of the items
//   anything else                       all items have it: an active number, array or struct as such, whose cotangent is summed at the end in a fixed order;
//                                       what is plain as it is
// What is active in it belongs to one call; of floats and doubles beside each other the results are double, and f runs item by item. The arrays of each and of
// pick are active or plain, xtensor's or, where they are plain, any that lie in one piece; those of std::cref(x) and of constant(x) arguments are not copied.
// sum(map(...)) and mean(map(...)) run f once for value and gradient and keep no array, and so they do of elementwise operations on one map and on numbers and
// arrays of its shape, sum(w * map(...)); any other use runs it once more on the way back. Where f compares
// numbers of several items, and they disagree, these items are computed one by one. f computes with its parameters alone: an active value that it has captured
// is refused. Of plain arguments alone the result is a plain array. Throws std::invalid_argument where the numbers of items differ or rows have another length,
// std::out_of_range for an index that x does not have, both before anything is computed, and what f throws.
template <class F, class... A>
auto map(F f, A&&... a) {
    return detail::map_by(detail::in_turn_of_items{}, std::move(f), std::forward<A>(a)...);
}

// How many packs of items the maps of this thread have run, and how many of these once more, item by item, since their items took different ways.
using detail::pack_counts;
inline pack_counts packs_of_maps() noexcept { return detail::packs_of_thread; }

}
XGRAD_DETAIL_QUIET_END
