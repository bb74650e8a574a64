// Defines parallel_sum_plain and parallel_map_plain, the parallel verbs of plain values alone.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <type_traits>

#include <xgrad/lanes/ports.hpp>
#include <xgrad/parallel/plain_slices.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class R>
auto plain_number_of(R const& r) {
    if constexpr (declared_result<R>) return r.value();
    else if constexpr (plain_array<R>) return r();
    else return r;
}
template <class U>
auto const& behind_wrapper(U const& u) {
    if constexpr (is_wrapper<U>) return u.get();
    else return u;
}
// each(i, y) is given the values at once, take(k, sum) those of the chunks in their order.
template <class T, class E, class X, class F, class Each, class Take, class... U>
void run_plain(E const& e, X const& items, F const& f, Each each, Take take, U const&... x) {
    check_slices(items);
    chunk_cut const cut(count_plain(items));
    std::array<T, chunk_cut::most> sums;
    run_chunks(e, workers_for(e, cut.count), cut.count, [&](chunk_queue& q, std::size_t) {
        for (std::size_t k = 0; q.take(k);)
            try {
                running_sum<T> sum;
                for (std::size_t i = cut.first(k); i < cut.last(k); ++i) {
                    T const y = static_cast<T>(plain_number_of(f(plain_item(items, i), behind_wrapper(x)...)));
                    each(i, y);
                    sum.add(y);
                }
                sums[k] = sum.value();
            } catch (...) {
                return q.fail(k, std::current_exception());
            }
    });
    for (std::size_t k = 0; k < cut.count; ++k) take(k, sums[k]);
}
template <class X, class F, class... U>
using plain_value_t = decltype(std::declval<F const&>()(plain_item(std::declval<X const&>(), 0), behind_wrapper(std::declval<U const&>())...));
template <class X, class F, class... U>
using plain_number_t = std::remove_cvref_t<decltype(plain_number_of(std::declval<plain_value_t<X, F, U...>>()))>;
// Of whole numbers, too, the result is real.
template <class X, class F, class... U>
using plain_result_t = std::conditional_t<std::is_integral_v<plain_number_t<X, F, U...>>, double, plain_number_t<X, F, U...>>;

template <class E, class X, class F, class... U>
auto parallel_sum_plain(E const& e, X const& items, F const& f, U const&... x) {
    using T = plain_result_t<X, F, U...>;
    T y(0);
    run_plain<T>(e, items, f, [](std::size_t, T const&) {}, [&y](std::size_t k, T const& part) { y = k == 0 ? part : T(y + part); }, x...);
    return y;
}
template <class E, class X, class F, class... U>
auto parallel_map_plain(E const& e, X const& items, F const& f, U const&... x) {
    using T = plain_result_t<X, F, U...>;
    auto y = xt::xtensor<T, 1>::from_shape({count_plain(items)});
    run_plain<T>(e, items, f, [&y](std::size_t i, T const& v) { y(i) = v; }, [](std::size_t, T const&) {}, x...);
    return y;
}

}
XGRAD_DETAIL_QUIET_END
