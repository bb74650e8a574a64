// Defines summed_over_slices<F>: an additive loss as a parallel sum over slices of its data.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <xgrad/parallel/plain_slices.hpp>
#include <xgrad/rule/call_with.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What parallel_sum does.
template <class E, class X, class F, class... U>
auto parallel_sum_on(E const& e, X const& items, F const& f, U const&... x);

// Which of the data are cut, and how many of the same kind stand before each.
template <class... X>
struct data_places {
    static constexpr std::size_t count = sizeof...(X);
    static constexpr std::array<bool, count> is_cut{find_has_slices<X>()...};
    static constexpr std::size_t place(std::size_t k) {
        std::size_t n = 0;
        for (std::size_t j = 0; j < k; ++j) n += is_cut[j] == is_cut[k];
        return n;
    }
};

template <class F>
struct summed_over_slices {
    F f;
    template <class P, class... X>
    auto operator()(P const& theta, X const&... x) const {
        constexpr bool has_data = (find_has_slices<X>() || ...);
        static_assert(has_data, "xgrad[E304]: data_parallel(f) requires data behind the parameters, f(theta, data...), whose rows can be cut, but no argument "
                                "but the first has rows: pass arrays, containers, or structs of them");
        if constexpr (!has_data) return 0.0;
        else {
            using places = data_places<X...>;
            auto chosen = []<bool IsCut, class Y>(std::bool_constant<IsCut>, Y const& y) {
                if constexpr (find_has_slices<Y>() != IsCut) return std::tuple<>();
                else if constexpr (IsCut) return std::tuple(row_slices<Y const&>{y});
                else return std::tuple<Y const&>(y);
            };
            auto const items = std::tuple_cat(chosen(std::true_type(), x)...);
            auto const of_slice = [this](auto const& pieces, auto const& t, auto const&... others) {
                std::tuple<decltype(others)...> const rest(others...);
                auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) -> auto const& {
                    if constexpr (places::is_cut[K]) return std::get<places::place(K)>(pieces);
                    else return std::get<places::place(K)>(rest);
                };
                return [&]<std::size_t... K>(std::index_sequence<K...>) {
                    return f(t, one(std::integral_constant<std::size_t, K>())...);
                }(std::index_sequence_for<X...>());
            };
            auto sum = [&](auto const&... others) { return parallel_sum_on(current_executor(), items, of_slice, theta, others...); };
            return detail::call_with(sum, std::tuple_cat(chosen(std::false_type(), x)...));
        }
    }
};

}
XGRAD_DETAIL_QUIET_END
