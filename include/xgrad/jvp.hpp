// Defines jvp: the derivative of a function along given tangents of its arguments; and derivative, of a function of one number.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/gradient.hpp>
#include <xgrad/tangent/pairing.hpp>

namespace xgrad {

namespace detail {

// ⟨gradient, dx⟩, over what has a tangent.
template <class T, class G, class D>
T pair_with(G const& gradient, D const& dx) {
    if constexpr (std::is_same_v<G, no_tangent>) return T(0);
    else return static_cast<T>(pairing(gradient, dx));
}

}

// f(x...) and its derivative along dx, as dual{y, dy}: dy = Σ ∂f/∂x dx. `primals` is a std::tuple of the arguments, `tangents` one of their
// tangents (of type tangent_type_t<X>, of the arguments' shapes; no_tangent{} for a constant(x)). A function with an frule is asked for it;
// any other must give a scalar, and costs one gradient. Throws std::invalid_argument where shapes differ.
template <class F, class... X, class... D>
auto jvp(F&& f, std::tuple<X...> const& primals, std::tuple<D...> const& tangents) {
    if constexpr (sizeof...(X) != sizeof...(D)) {
        static_assert(sizeof...(X) == sizeof...(D), "xgrad[E051]: jvp(f, primals, tangents) requires one tangent for each primal: give no_tangent{} for a constant");
        return dual<double>{};
    } else {
        constexpr bool good = (std::is_same_v<D, gradient_type_t<X>> && ...);
        static_assert(good, "xgrad[E050]: jvp(f, primals, tangents) requires tangents of the types tangent_type_t<X>, but one has another type: begin with zero_tangent(x), or with a tangent<S> of a struct S");
        if constexpr (!good) return dual<double>{};
        else return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (has_frule<std::remove_cvref_t<F>, X...>) return rule<std::remove_cvref_t<F>>::frule(dual<X>{std::get<I>(primals), std::get<I>(tangents)}...);
            else {
                auto const r = value_and_gradient(f, std::get<I>(primals)...);
                using Y = std::remove_const_t<decltype(r.value)>;
                return dual<Y>{r.value, (Y(0) + ... + detail::pair_with<Y>(std::get<I>(r.gradient), std::get<I>(tangents)))};
            }
        }(std::index_sequence_for<X...>{});
    }
}

// f'(x) of a function of one number.
template <class F, perturbable_number X>
auto derivative(F&& f, X const& x) {
    return jvp(f, std::tuple(x), std::tuple(X(1))).tangent;
}

}
