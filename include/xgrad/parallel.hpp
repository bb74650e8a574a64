// Defines parallel_sum, parallel_map, data_parallel, and map and prepare_gradient with an executor: on several threads, with the same results on any number.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/gradient_pool.hpp>
#include <xgrad/map.hpp>
#include <xgrad/parallel/data_parallel.hpp>
#include <xgrad/parallel/map_call.hpp>
#include <xgrad/parallel/map_node.hpp>
#include <xgrad/parallel/plain.hpp>
#include <xgrad/parallel/sum_call.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// True if there is nothing wrong with parallel_sum(items, f, x...), or parallel_map, whose elements are L.
template <class F, class L, bool Again, class X, class... U>
consteval bool check_parallel() {
    constexpr bool items = are_known_items<X>, arguments = ((!holds_active<U> || find_is_state<state_t<U>>()) && ...);
    static_assert(items, "xgrad[E300]: parallel_sum(items, f, x...) requires items that are a count, an array, a struct of active arrays, a container of "
                         "constants, or a std::tuple of such, but they are something else: stack(v) makes an array of a container of active values");
    static_assert(arguments, "xgrad[E301]: parallel_sum(items, f, x...) requires arguments that are numbers, arrays, or structs, tuples and std::arrays of "
                             "them, where they are active, but one is something else: pass the parts of a container one by one");
    if constexpr (!items || !arguments) return false;
    else {
        constexpr bool callable = []<class... A>(type_tag<std::tuple<A...>>) {
            return std::is_invocable_v<A...>;
        }(type_tag<parallel_call_t<F, counted, L, Again, X, U...>>{});
        static_assert(callable, "xgrad[E302]: parallel_sum(items, f, x...) requires that f compiles when it is called with an item and as many arguments as "
                                "there are behind f, but it does not: take them by auto const&, one parameter for each");
        if constexpr (!callable) return false;
        else {
            using R = parallel_result_t<F, counted, L, Again, X, U...>;
            constexpr bool scalar = is_scalar_result<R> && !is_complex_result<R>;
            static_assert(scalar, "xgrad[E303]: parallel_sum(items, f, x...) and parallel_map require that f gives a real number, but it gives "
                                  "an array or something else: reduce it");
            return scalar;
        }
    }
}

template <class E, class X, class F, class... U>
auto parallel_sum_on(E const& e, X const& items, F const& f, U const&... x) {
    using T = active_element_t<without_slices_t<X>, U...>;
    if constexpr (std::is_void_v<T>) return parallel_sum_plain(e, items, f, x...);
    else if constexpr (!check_parallel<F, lift_like<T>, false, X, U...>()) return 0.0;
    else return parallel_sum_call<E, F, lift_like<T>, X, U...>::apply(e, items, f, x...);
}
template <class E, class X, class F, class... U>
auto parallel_map_on(E const& e, X const& items, F f, U const&... x) {
    using T = active_element_t<without_slices_t<X>, U...>;
    if constexpr (std::is_void_v<T>) return parallel_map_plain(e, items, f, x...);
    else if constexpr (!check_parallel<F, lift_like<T>, true, X, U...>()) return 0.0;
    else return parallel_map_call<E, F, lift_like<T>, X, U...>::apply(e, items, std::move(f), x...);
}

}

// The sum of f(item, x...) over the items. What the items may be is what scan goes over: a count, whose items are its numbers from 0; an array, whose items are
// its rows, active or plain; a reflected struct of active arrays; a container of constants; a std::tuple of these; slices(n) and slices(x...), for an f of
// whole arrays.
// The x... are numbers, arrays, structs and tuples of them, active or plain, and are read where they lie. f gives a number: as the functions of gradient do,
// of a result type that is auto, or declared (xgrad::real). What is active reaches f by a parameter, never by capture.
// The items are cut into chunks by their number alone, and values and gradients of the chunks are added in the order of the chunks: the result is the same,
// bit for bit, on any number of threads. f runs once for value and gradient; the memory is that of one gradient of the x... for each thread and one for all.
// f runs on several threads at once: what it changes outside of itself is its own business. A parallel verb inside of f runs on the thread that calls it, and
// BLAS on one. Throws what f throws, of several exceptions the first in the order of the items; std::logic_error for an active value that f has captured
// (E250), and std::invalid_argument where the parts of the items have different numbers of them (E326), and then nothing is left behind.
// The executor may stand before the items; otherwise it is that of use_executor.
template <class X, class F, class... U>
    requires(!executor<X>)
auto parallel_sum(X const& items, F const& f, U const&... x) {
    return detail::parallel_sum_on(current_executor(), items, f, x...);
}
template <executor E, class X, class F, class... U>
auto parallel_sum(E const& e, X const& items, F const& f, U const&... x) {
    return detail::parallel_sum_on(e, items, f, x...);
}

// The array of f(item, x...) over the items; items, arguments, errors and executors are those of parallel_sum. On the way back f runs once more for each item,
// so it has to do the same each time, and it captures the locals of the function around it by value, as the body of a loop does. An f with a declared result
// is pulled with the seed 1, and what comes is multiplied: where arrays are shared that are bigger than the work of an item, leave the result type out.
template <class X, class F, class... U>
    requires(!executor<X>)
auto parallel_map(X const& items, F f, U const&... x) {
    return detail::parallel_map_on(current_executor(), items, std::move(f), x...);
}
template <executor E, class X, class F, class... U>
auto parallel_map(E const& e, X const& items, F f, U const&... x) {
    return detail::parallel_map_on(e, items, std::move(f), x...);
}

// map(f, a...) of map.hpp, whose items run on e: active arguments as there, the sum of it, too. f runs on several threads at once.
template <executor E, class F, class... A>
auto map(E const& e, F f, A&&... a) {
    return detail::map_by(detail::on_threads<E>{e}, std::move(f), std::forward<A>(a)...);
}

// An additive loss f(theta, data...), that is, a sum over the rows of the data, as the sum of f over slices of them: a parallel_sum, for any verb. Of the data
// what has rows is cut side by side, arrays, containers and structs of such, active or plain; numbers are those of all slices. The parameters are the first
// argument alone: several are a struct or a std::tuple. Errors are those of parallel_sum.
//   auto g = xgrad::prepare_gradient(threads, xgrad::data_parallel(loss), theta, xgrad::constant(x), xgrad::constant(y));
template <class F>
auto data_parallel(F f) {
    return detail::summed_over_slices<F>{std::move(f)};
}

// A prepared gradient whose calls run on an executor of its own, as if use_executor stood around each.
template <executor E, class G>
class gradient_on : public G {
public:
    using typename G::result_type;
    gradient_on(E e, G g) : G(std::move(g)), executor_(std::move(e)) {}
    template <class... X>
    result_type& operator()(X const&... x) {
        use_executor const scope(executor_);
        return G::operator()(x...);
    }
    template <class... X>
    result_type operator()(X const&... x) const {
        return G::operator()(x...);
    }

private:
    E executor_;
};
// prepare_gradient(f, x...), and a pool of them, whose parallel verbs run on e, on whatever thread they are called.
template <class E, class F, class... X>
    requires executor<std::remove_cvref_t<E>>
auto prepare_gradient(E&& e, F&& f, X const&... x) {
    return gradient_on(std::remove_cvref_t<E>(e), prepare_gradient(std::forward<F>(f), x...));
}
template <class E, class F, class... X>
    requires executor<std::remove_cvref_t<E>>
auto make_gradient_pool(E&& e, F&& f, X const&... x) {
    return gradient_pool(prepare_gradient(std::remove_cvref_t<E>(e), std::forward<F>(f), x...));
}

}
XGRAD_DETAIL_QUIET_END
