// Defines custom_gradient(f, x...): a pullback of one's own, written where it is used.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/call.hpp>
#include <xgrad/tangent/accumulate.hpp>
#include <xgrad/tangent/split.hpp>

namespace xgrad {

namespace detail {

// A function as an argument that is not differentiated.
template <class F>
class opaque {
public:
    explicit opaque(F f) : f_(std::move(f)) {}
    F const& get() const noexcept { return f_; }

private:
    F f_;
};

template <class F>
struct with_pullback {
    template <class... X>
    auto operator()(opaque<F> const& f, X const&... x) const {
        return f.get()(x...).value;
    }
};

// Adds a tangent to where it belongs.
struct add_to_fdata {
    template <class D, class T>
    void operator()([[maybe_unused]] D const& fdata, [[maybe_unused]] T const& t) const {
        if constexpr (is_shadow_ref<D>) accumulate(fdata.get(), t);
        else if constexpr (is_handle<D>) accumulate_in_place{}(fdata, t);
        else if constexpr (!absent<D>) parts<D>::each(*this, fdata, t);
    }
};

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class X>
concept active_in_forward_mode = active<X> && number_dual<typename std::remove_cvref_t<X>::value_type>;

// The I-th of what a pullback returned, as the tangent T.
template <class T, std::size_t I, std::size_t N, class R>
T returned_tangent([[maybe_unused]] R const& r) {
    if constexpr (absent<T>) return T{};
    else if constexpr (N == 1 && (!is_tuple<R> || std::is_same_v<R, T>)) return T(r);
    else if constexpr (!is_tuple<R>) {
        static_assert(
            is_tuple<R>,
            "xgrad[E085]: custom_gradient(f, x...) requires a pullback that returns a std::tuple with the cotangent of each x, but it returns something "
            "else: no_tangent{} stands for an x without one");
        return T{};
    } else if constexpr (std::tuple_size_v<R> != N) {
        static_assert(
            std::tuple_size_v<R> == N,
            "xgrad[E086]: custom_gradient(f, x...) requires a pullback that returns as many cotangents as there are x, but it returns another number: "
            "no_tangent{} stands for an x without one");
        return T{};
    } else if constexpr (std::is_same_v<std::tuple_element_t<I, R>, no_tangent>) {
        static_assert(
            absent<T>,
            "xgrad[E087]: custom_gradient(f, x...) requires the cotangent of each differentiable x, but the pullback returns no_tangent for one: return 0, "
            "or pass stop_gradient(x)");
        return T{};
    } else return T(std::get<I>(r));
}

}

template <class F>
inline constexpr bool unperturbable<detail::opaque<F>> = true;

namespace detail {
// Whether F of plain values of X gives a pullback; of values that it does not take nothing is said.
template <class F, class... X>
inline constexpr bool gives_pullback = [] {
    if constexpr (std::is_invocable_v<F const&, plain_t<X> const&...>)
        return requires(std::invoke_result_t<F const&, plain_t<X> const&...> r) {
            r.value;
            r.pullback;
        };
    else return true;
}();
}

template <class F>
struct rule<detail::with_pullback<F>> {
    template <class... X>
    static auto rrule(codual<detail::opaque<F>> const& f, codual<X> const&... x) {
        auto r = f.primal.get()(std::as_const(x.primal)...);
        auto pullback = [own = std::move(r.pullback), ... fdata = x.fdata](auto const& ybar) {
            auto const cotangents = own(ybar);
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                std::tuple<tangent_type_t<X>...> const t(detail::returned_tangent<tangent_type_t<X>, I, sizeof...(X)>(cotangents)...);
                (detail::add_to_fdata{}(fdata, std::get<I>(t)), ...);
                return std::tuple<no_rdata, rdata_type_t<X>...>(no_rdata{}, rdata_of(std::get<I>(t))...);
            }(std::index_sequence_for<X...>{});
        };
        return value_with_pullback{std::move(r.value), std::move(pullback)};
    }
};

// f(x...), where f is given plain values, computes as it likes, and returns value_with_pullback{y, pullback}: pullback(ybar), with the tangent of y,
// returns the cotangents of the x..., a std::tuple of tangent_type_t<X>... (of one x the cotangent alone, too), and may keep what it needs:
//   auto y = custom_gradient([](double a) { return value_with_pullback{std::round(a), [](double ybar) { return ybar; }}; }, x);
// The x... are active or plain values, structs and containers of them; an x without a derivative has no_tangent{}. What comes back has the form of
// f's value, with a variable for each number and array. The pullback is called once at most, and must not throw. It is for the reverse
// mode alone: in jvp and hessian f's own derivative would stand in the place of the pullback, and call's sentence refuses it. Where no x is active,
// f(x...).value.
template <class F, class... X>
auto custom_gradient(F f, X&&... x) {
    // there call says that there is no forward rule
    constexpr bool takes =
        (false || ... || detail::active_in_forward_mode<X>) || std::is_invocable_v<F const&, detail::plain_t<std::remove_cvref_t<X>> const&...>;
    static_assert(takes, "xgrad[E089]: custom_gradient(f, x...) requires an f that takes plain values of these x: take them by auto (auto const& a)");
    constexpr bool gives = detail::gives_pullback<F, std::remove_cvref_t<X>...>;
    static_assert(
        gives, "xgrad[E109]: custom_gradient(f, x...) requires an f that returns value_with_pullback{y, pullback}, but it returns something else: return both");
    if constexpr (!takes || !gives) return 0.0;
    else if constexpr (!(false || ... || detail::holds_active<std::remove_cvref_t<X>>)) return f(x...).value;
    else return call(detail::with_pullback<F>{}, detail::opaque<F>(std::move(f)), std::forward<X>(x)...);
}

}
