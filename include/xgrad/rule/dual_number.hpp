// Defines lift<Op>(x...): a scalar operation on duals, from its values and its partials; and apply<Op>, on whatever numbers there are.
#pragma once

#include <cstddef>
#include <utility>

#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class... P>
struct common_number;
template <class P>
struct common_number<P> { using type = P; };
template <class P, class Q>
consteval auto find_common_pair() {
    if constexpr (std::is_same_v<P, Q>) return std::type_identity<P>{};
    else if constexpr (plain_scalar<P> && plain_scalar<Q> && (is_complex_number<P> || is_complex_number<Q>))
        return std::type_identity<std::complex<std::common_type_t<real_type_t<P>, real_type_t<Q>>>>{};
    else return std::type_identity<std::remove_cvref_t<decltype(as_value(std::declval<P>() + std::declval<Q>()))>>{};
}
template <class P, class Q, class... R>
struct common_number<P, Q, R...> {
    using type = typename common_number<typename decltype(find_common_pair<P, Q>())::type, R...>::type;
};

// Re(p t).
template <class P, class T>
constexpr auto real_of_product(P const& p, T const& t) {
    if constexpr (is_complex_number<P>) return as_value(real_part(p) * real_part(t) - imaginary_part(p) * imaginary_part(t));
    else return as_value(p * real_part(t));
}

// Whether a slope is infinite or NaN, in some lane.
template <class P>
XGRAD_DETAIL_INLINE constexpr bool is_steep(P const& slope) {
    if constexpr (is_number_dual<P>) return is_steep(slope.primal);
    else if constexpr (is_complex_number<P>) return is_steep(slope.real()) || is_steep(slope.imag());
    else if constexpr (batch<P>) return !xsimd::all(slope - slope == zero(slope));
    else return !(slope - slope == P(0));
}
// Which tangents (lanes, or members of a vector of them) are nothing.
template <class T>
XGRAD_DETAIL_INLINE constexpr auto is_no_tangent(T const& t) {
    if constexpr (is_number_dual<T>) {
        auto none = is_no_tangent(t.primal);
        for (std::size_t k = 0; k < T::count; ++k) none = none & is_no_tangent(t.direction(k));
        return none;
    } else if constexpr (batch<T>) return t == nothing<T>();
    else return t == T{};
}
// Of a tangent that is nothing a steep slope makes nothing: a derivative along x does not ask for that along y. v is the product.
template <class T, class V>
XGRAD_DETAIL_INLINE constexpr V unless_no_tangent(T const& t, V const& v) {
    if constexpr (batch<V>) return choose(is_no_tangent(t), nothing<V>(), v);
    else return choose(is_no_tangent(t), V{}, v);
}

// The I-th operand's tangents times its partial, which is asked for only if there are any.
template <class Op, class L, std::size_t I, class Y, class X, class D>
XGRAD_DETAIL_INLINE constexpr auto slope_term(X const& x, D const& d) {
    if constexpr (has_level<typename L::tag, X>) {
        auto partial = partial_at<I>(d);
        using P = std::remove_const_t<decltype(partial)>;
        if constexpr (requires { partial.open; })
            // a gate, which lets a tangent through or nothing
            return term<L>(x, [partial]<class V>(V const& t) XGRAD_DETAIL_LAMBDA {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(std::declval<P const&>().open)>, bool>) return partial.open ? t : V{};
                else return Y(embed<Y>(t) * partial);
            });
        else if constexpr (std::is_same_v<P, conjugating>) return term<L>(x, [](auto const& t) { return conjugate(t); });
        else if constexpr (is_complex_number<X> && !is_complex_number<Y>)
            return term<L>(x, [partial](auto const& t) XGRAD_DETAIL_LAMBDA { return Y(real_of_product(partial, t)); });
        else {
            Y slope = Y(partial);
            // where values are finite arithmetic has finite slopes
            bool steep = !requires { Op::cost; } && is_steep(slope);
            return term<L>(x, [slope, steep](auto const& t) XGRAD_DETAIL_LAMBDA {
                auto v = [&]() XGRAD_DETAIL_LAMBDA {
                    if constexpr (requires { as_value(slope * t); }) return as_value(slope * t);
                    else return Y(slope * embed<Y>(t));
                }();
                if (steep) [[unlikely]] v = unless_no_tangent(t, v);
                return v;
            });
        }
    } else return term<L>(x, [](auto const& t) { return t; });
}

template <class Op, class L, class... X>
XGRAD_DETAIL_INLINE constexpr auto lift_level(X const&... x) {
    using C = typename common_number<std::remove_const_t<decltype(primal_at<typename L::tag>(x))>...>::type;
    auto lifted = [&](auto const&... p) XGRAD_DETAIL_LAMBDA {
        auto y = Op{}(p...);
        using Y = std::remove_const_t<decltype(as_value(y))>;
        Y value(y);
        auto d = partials<Op>(value, p...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) XGRAD_DETAIL_LAMBDA {
            return with_tangents<L>(value, slope_term<Op, L, I, Y>(x, d)...);
        }(std::index_sequence_for<X...>{});
    };
    return lifted(embed<C>(primal_at<typename L::tag>(x))...);
}

template <class X, class... Y>
struct batch_among : batch_among<Y...> {};
template <batch X, class... Y>
struct batch_among<X, Y...> { using type = X; };

template <class... X>
struct dual_among;
template <class X, class... Y>
struct dual_among<X, Y...> { using type = std::conditional_t<is_number_dual<X>, X, typename dual_among<Y...>::type>; };
template <>
struct dual_among<> { using type = void; };

}

// Op{}(x...) where at least one x is a dual, and others may be plain numbers: the value, and Σ ∂y/∂x xdot for each direction.
template <class Op, class... X>
    requires(is_number_dual<X> || ...)
XGRAD_DETAIL_INLINE constexpr auto lift(X const&... x) {
    using D = typename detail::dual_among<X...>::type;
    return detail::lift_level<Op, detail::outer_level<X...>>(detail::as_operand<D>(x)...);
}

template <class Op, class... X>
XGRAD_DETAIL_INLINE constexpr auto apply(X const&... x) {
    if constexpr ((is_number_dual<X> || ...)) return lift<Op>(x...);
    else if constexpr ((std::is_floating_point_v<X> && ...)) return Op{}(static_cast<std::common_type_t<X...>>(x)...);
    else if constexpr ((detail::is_complex_number<X> || ...)) {
        using C = std::complex<std::common_type_t<real_type_t<X>...>>;
        return Op{}(static_cast<C>(x)...);
    } else if constexpr ((batch<X> || ...) && !(batch<X> && ...)) {
        // lanes beside numbers, which all of them have
        using B = typename detail::batch_among<X...>::type;
        return Op{}(detail::embed<B>(x)...);
    } else return Op{}(x...);
}

}
XGRAD_DETAIL_QUIET_END
