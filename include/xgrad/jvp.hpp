// Defines jvp: the value of a function and its derivative along given tangents, by the forward mode; and derivative, of a function of one number.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/gradient.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/scope/call/pushforward.hpp>
#include <xgrad/tangent/pairing.hpp>
#include <xgrad/vjp.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

// The name of one derivative: of this function at arguments of these types. Numbers have it in their types, and what stands beside it in its namespace is found
// for their sake.
namespace levels {
template <class F, class... X>
struct level {};
}
using levels::level;

// ⟨gradient, dx⟩, over what has a tangent.
template <class T, class G, class D>
T pair_with(G const& gradient, D const& dx) {
    if constexpr (std::is_same_v<G, no_tangent>) return T(0);
    else return static_cast<T>(pairing(gradient, dx));
}

// Whether a derivative along i is i times that along 1, up to rounding errors; what is no number tells nothing.
template <class T>
bool is_holomorphic(T const& along_1, T const& along_i) {
    if constexpr (is_complex_number<T>) {
        auto const one = innermost_primal(along_1), i = innermost_primal(along_i);
        using R = typename std::remove_const_t<decltype(one)>::value_type;
        return !(std::abs(i - std::complex<R>(-one.imag(), one.real())) > std::sqrt(std::numeric_limits<R>::epsilon()) * (std::abs(one) + std::abs(i)));
    } else if constexpr (perturbable_number<T>) return !(innermost_primal(along_1) != 0 || innermost_primal(along_i) != 0);
    else if constexpr (plain_array<T>) {
        for (std::size_t k = 0; k < along_1.size(); ++k)
            if (!is_holomorphic(along_1.data()[k], along_i.data()[k])) return false;
        return true;
    } else if constexpr (requires { along_1.size(); along_1[0]; }) {
        for (std::size_t k = 0; k < along_1.size(); ++k)
            if (!is_holomorphic(along_1[k], along_i[k])) return false;
        return true;
    } else if constexpr (requires { std::tuple_size<T>::value; })
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (is_holomorphic(std::get<I>(along_1), std::get<I>(along_i)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
    else return true;
}
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_derivative() {
    throw std::invalid_argument(
        "xgrad[E211]: derivative(f, z) of a complex z requires a holomorphic f, found one whose derivative along i is not i times that along 1: take jvp along "
        "each direction");
}
// A real number, or an array of them.
template <class T>
inline constexpr bool is_real_value = perturbable_number<T> && !is_complex_number<T>;
template <plain_array T>
inline constexpr bool is_real_value<T> = !is_complex_number<typename T::value_type>;

// The tangents of a call's arguments, those that are given for them.
template <class... X, class... D>
tangent_seeds given_tangents(std::tuple<X const&...> const& x, std::tuple<D const&...> const& xdot) {
    tangent_seeds d;
    collect_leaves collect(d);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto one = [&]<class Y, class T>(Y const& y, T const& t) {
            if constexpr (!traits_of<Y>::is_constant) collect(y, t);
        };
        (one(std::get<I>(x), std::get<I>(xdot)), ...);
    }(std::index_sequence_for<X...>{});
    return d;
}

template <class F, class... X, class... D>
auto pushforward(F& f, std::tuple<X const&...> const& primals, std::tuple<D const&...> const& tangents) {
    using Tag = level<std::remove_cvref_t<F>, X...>;
    using L = dual_lift<1, Tag>;
    tangent_seeds d = given_tangents(primals, tangents);
    auto use = [&f](context& c, auto&&... h) {
        using R = std::remove_cvref_t<std::invoke_result_t<F&, decltype(h)...>>;
        if constexpr (declares_parts<R>) {
            if constexpr (!check_parts<R>()) return dual<double>{};
            else {
                delivered_parts<typename R::value_type, lift_of_results<L, X...>> y(c);
                call_parts(f, c, y, h...);
                using Y = decltype(y.template part<Tag, false>());
                if constexpr (perturbable_number<Y>) return dual<Y>(y.template part<Tag, false>(), y.template part<Tag, true>());
                else return dual<Y>{y.template part<Tag, false>(), y.template part<Tag, true>()};
            }
        } else if constexpr (declared_result<R>) {
            using V = typename decltype(find_call_value<L, R, X...>())::type;
            auto const v = call_scalar<V>(f, c, h...);
            return dual<typename V::primal_type>(v.primal, v.tangent);
        } else if constexpr (!check_result<R>()) return dual<double>{};
        else {
            auto&& r = f(h...);
            if (c.deliveries != 0) other_delivery();
            auto y = part_of_result<Tag, false>{}(r);
            auto ydot = part_of_result<Tag, true>{}(r);
            using Y = decltype(y);
            if constexpr (perturbable_number<Y>) return dual<Y>(y, ydot);
            else return dual<Y>{std::move(y), std::move(ydot)};
        }
    };
    return detail::call_with([&](auto const&... x) {
        constexpr bool good = check_call_in<valued, gradient_owner::caller, F, L, X...>();
        if constexpr (!good) return refused_call<dual<double>>();
        else {
            borrowed_workspace w;
            bound_call<valued, L, X...> call;
            return call.run(w.get(), x..., static_cast<std::tuple<gradient_type_t<X>...>*>(nullptr), gradient_memory::own, &d, use);
        }
    }, primals);
}

}

// f(x...) and its derivative along dx, as dual{y, dy}: dy = Σ ∂f/∂x dx. `primals` is a std::tuple of the arguments, `tangents` one of their
// tangents (of type tangent_type_t<X>, of the arguments' shapes; no_tangent{} for a constant(x)). f gives a number, an array, or a std::tuple,
// pair, array or vector of them. A function with an frule is asked for it; any other is evaluated once, with values and tangents side by
// side. Throws std::invalid_argument where shapes differ; where only the reverse rule of f is known, it costs one gradient.
template <class F, class... X, class... D>
auto jvp(F&& f, std::tuple<X...> const& primals, std::tuple<D...> const& tangents) {
    if constexpr (sizeof...(X) != sizeof...(D)) {
        static_assert(sizeof...(X) == sizeof...(D),
                      "xgrad[E051]: jvp(f, primals, tangents) requires one tangent for each primal: give no_tangent{} for a constant");
        return dual<double>{};
    } else if constexpr (!(detail::is_known_argument<std::remove_cvref_t<X>> && ...)) {
        (static_cast<void>(sizeof(gradient_type_t<std::remove_cvref_t<X>>)), ...);
        return dual<double>{};
    } else {
        constexpr bool good = (std::is_same_v<std::remove_cvref_t<D>, gradient_type_t<std::remove_cvref_t<X>>> && ...);
        static_assert(
            good,
            "xgrad[E050]: jvp(f, primals, tangents) requires tangents of the types tangent_type_t<X>, but one has another type: begin with zero_tangent(x), "
            "or with a tangent<S> of a struct S");
        if constexpr (!good) return dual<double>{};
        else if constexpr (has_frule<std::remove_cvref_t<F>, std::remove_cvref_t<X>...>)
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return rule<std::remove_cvref_t<F>>::frule(dual<std::remove_cvref_t<X>>{std::get<I>(primals), std::get<I>(tangents)}...);
            }(std::index_sequence_for<X...>{});
        else if constexpr (detail::ruled_function<F, std::remove_cvref_t<X>...>)
            // only its reverse rule is known
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                if constexpr (detail::is_complex_number<rule_value_t<std::remove_cvref_t<F>, typename detail::traits_of<std::remove_cvref_t<X>>::primal...>>) {
                    auto r = vjp(detail::by_rule{f}, std::get<I>(primals)...);
                    using Y = decltype(r.value);
                    using R = real_type_t<Y>;
                    // each part of the tangent is that of a real function
                    auto const along = [&](Y const& ybar) {
                        auto const g = r.pullback(ybar);
                        return (R(0) + ... + detail::pair_with<R>(std::get<I>(g), std::get<I>(tangents)));
                    };
                    R const re = along(Y(1)), im = along(Y(0, 1));
                    return dual<Y>{r.value, Y(re, im)};
                } else {
                    auto const r = value_and_gradient(f, std::get<I>(primals)...);
                    using Y = std::remove_const_t<decltype(r.value)>;
                    return dual<Y>{r.value, (Y(0) + ... + detail::pair_with<Y>(std::get<I>(r.gradient), std::get<I>(tangents)))};
                }
            }(std::index_sequence_for<X...>{});
        else return detail::pushforward(f, std::tuple<std::remove_cvref_t<X> const&...>(primals), std::tuple<std::remove_cvref_t<D> const&...>(tangents));
    }
}

// The same of arguments that bring their tangents along, and of constants.
template <class F, class... P>
auto jvp(F&& f, dual<P> const&... x) {
    return jvp(f, std::tuple<P const&...>(x.primal...), std::tuple<tangent_type_t<P> const&...>(x.tangent...));
}

// The same of one argument and its tangent.
template <class F, class X, class D>
    requires(!requires { std::tuple_size<X>::value; } && !requires(X x) { x.primal, x.tangent; })
auto jvp(F&& f, X const& x, D const& xdot) {
    return jvp(f, std::tuple<X const&>(x), std::tuple<D const&>(xdot));
}

// f'(x) of a function of one number. Derivatives may be nested, and then x may be a value of the outer one. A function of a complex number is
// asked twice, for its derivatives along 1 and along i: throws std::invalid_argument where it is not holomorphic, so that there is no f'(x).
template <class F, class X>
    requires perturbable_number<X> || (active<X> && X::rank == 0)
auto derivative(F&& f, X const& x) {
    if constexpr (active<X>) {
        constexpr bool forward = number_dual<typename X::value_type>;
        static_assert(
            forward,
            "xgrad[E054]: derivative(f, x) requires a plain x inside a function that the reverse mode differentiates, but this one is active there: take the "
            "outer derivative by jvp or derivative, too, or by hessian");
        if constexpr (forward) return derivative(f, detail::part_source(x).forward());
        else return 0.0;
    } else {
        auto const along = [&](X const& xdot) { return detail::pushforward(f, std::tuple<X const&>(x), std::tuple<X const&>(xdot)).tangent; };
        auto const y = along(X(1));
        if constexpr (detail::is_complex_number<X>) {
            using Y = std::remove_const_t<decltype(y)>;
            static_assert(
                !detail::is_real_value<Y>,
                "xgrad[E116]: derivative(f, z) of a complex z requires a complex result, but f gives a real one, whose derivative is another in each "
                "direction: take gradient(f, z), or jvp along a direction");
            if (!detail::is_holomorphic(y, along(X(scalar_of_t<X>(0, 1))))) detail::refuse_derivative();
        }
        return y;
    }
}
template <class F, class X>
double derivative(F&&, X const&) {
    static_assert(detail::never<X>, "xgrad[E120]: derivative(f, x) requires one number x, but this one is an array or a struct: take gradient(f, x) or "
                                    "jacobian(f, x), or jvp(f, x, xdot) along a direction");
    return 0.0;
}

}
XGRAD_DETAIL_QUIET_END
