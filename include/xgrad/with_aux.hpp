// Defines value_gradient_and_aux: the gradient of a loss, and whatever else its function computed on the way.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/gradient.hpp>
#include <xgrad/stop_gradient.hpp>

namespace xgrad {

// The value of a function, its gradient, and the plain value of what stood beside it.
template <class T, class Aux, class... G>
struct value_with_gradient_and_aux {
    T value;
    std::tuple<G...> gradient;
    Aux aux;
};

namespace detail {
template <class F, class... X>
using aux_of = std::remove_cvref_t<decltype(stop_gradient(std::get<1>(std::declval<F&>()(std::declval<parameter_t<X, counted>>()...))))>;
}

// Of an f that returns std::pair{loss, aux} (or a std::tuple of these two): the value of the loss, its gradient as by value_and_gradient, and aux as
// a plain value: what is active in it, in structs and containers, too, becomes numbers and arrays, and has no derivative. Predictions, statistics,
// a new state: they cost no second call. Throws what f throws, and then there is no result.
template <class F, class... X>
auto value_gradient_and_aux(F&& f, X const&... x) {
    using aux_type = detail::aux_of<F, X...>;
    std::optional<aux_type> aux;
    auto loss = [&](auto const&... h) {
        auto both = f(h...);
        static_assert(
            std::tuple_size_v<decltype(both)> == 2,
            "xgrad[E088]: value_gradient_and_aux(f, x...) requires an f that returns std::pair{loss, aux}, but it returns another number of things: put them "
            "into one struct or std::tuple");
        aux.emplace(stop_gradient(std::as_const(std::get<1>(both))));
        return std::get<0>(std::move(both));
    };
    auto r = value_and_gradient(loss, x...);
    return [&]<class T, class... G>(value_with_gradient<T, G...>& v) {
        return value_with_gradient_and_aux<T, aux_type, G...>{v.value, std::move(v.gradient), std::move(*aux)};
    }(r);
}

}
