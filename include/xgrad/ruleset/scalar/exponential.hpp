// Defines exponentials, logarithms, and what is made of them without overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <numbers>

#include <xgrad/ruleset/scalar/arithmetic.hpp>
#include <xgrad/ruleset/scalar/choice.hpp>
#include <xgrad/ruleset/scalar/functor.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {
// The batch functions take a wrong exponent from a subnormal number: they get 2^k x, and give up k times the logarithm of 2.
template <class F, class P>
XGRAD_DETAIL_INLINE P logarithm(F f, P const& x, double log_of_2) {
    using T = xgrad::lane_type_t<P>;
    constexpr int k = std::numeric_limits<T>::digits + 1;
    // without a branch, so that compilers see that a value and a derivative take the same logarithm
    auto const small = x < P(std::numeric_limits<T>::min());
    return P(f(choose(small, P(x * P(T(std::uint64_t{1} << k))), x)) - choose(small, P(T(k * log_of_2)), P(T(0))));
}
// They are infinite for the last few arguments whose exponentials are finite: those are moved by 2, which is exact there.
template <class F, class P>
XGRAD_DETAIL_INLINE P exponential(F f, P const& x, double log_of_2, long double of_2) {
    using T = xgrad::lane_type_t<P>;
    P y = f(x);
    if (auto const far = x > P(T((std::numeric_limits<T>::max_exponent - 2) * log_of_2)); xsimd::any(far)) [[unlikely]]
        y = choose(far, P(f(P(x - P(T(2)))) * P(T(of_2))), y);
    return y;
}
// exp(-|x|), which is never infinite.
template <class P>
XGRAD_DETAIL_INLINE P falling_exp(P const& x) {
    if constexpr (batch<P>) return xsimd::exp(-xsimd::abs(x));
    else {
        using std::abs, std::exp;
        return exp(-abs(x));
    }
}
// 1 / (1 + exp(-x)) and 1 / (1 + exp(x)), without overflow, by one exponential and one division.
template <class P>
struct two_sigmoids {
    P of_x, of_minus_x;
    XGRAD_DETAIL_INLINE explicit two_sigmoids(P const& x) {
        P const e = falling_exp(x), large = one(x) / (one(x) + e), small = e * large;
        auto const is_below = x < zero(x);
        of_x = choose(is_below, small, large);
        of_minus_x = choose(is_below, large, small);
    }
};
}

namespace op {

struct exp {
    static constexpr char const* name = "exp(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::exp;
        if constexpr (batch<P>)
            return detail::exponential([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::exp(v); }, x, std::numbers::ln2,
                                       7.389056098930650227230427460575007813180315570551847324087127L);
        else return exp(x);
    }
    XGRAD_DETAIL_OF_DUALS(exp)
};
struct exp2 {
    static constexpr char const* name = "exp2(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::exp2;
        if constexpr (batch<P>)
            return detail::exponential([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::exp2(v); }, x, 1.0, 4.0L);
        else return exp2(x);
    }
    XGRAD_DETAIL_OF_DUALS(exp2)
};
struct log {
    static constexpr char const* name = "log(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log;
        if constexpr (batch<P>) return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log(v); }, x, std::numbers::ln2);
        else return log(x);
    }
    XGRAD_DETAIL_OF_DUALS(log)
};
struct log2 {
    static constexpr char const* name = "log2(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log2;
        if constexpr (batch<P>) return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log2(v); }, x, 1.0);
        else return log2(x);
    }
    XGRAD_DETAIL_OF_DUALS(log2)
};
struct log10 {
    static constexpr char const* name = "log10(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log10;
        if constexpr (batch<P>)
            return detail::logarithm([](auto const& v) XGRAD_DETAIL_LAMBDA { return xsimd::log10(v); }, x, std::numbers::ln2 / std::numbers::ln10);
        else return log10(x);
    }
    XGRAD_DETAIL_OF_DUALS(log10)
};
// The batch forms of these two lose the sign of -0.
struct expm1 {
    static constexpr char const* name = "expm1(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::expm1;
        if constexpr (batch<P>) return choose(x == zero(x), x, expm1(x));
        else return expm1(x);
    }
    XGRAD_DETAIL_OF_DUALS(expm1)
};
struct log1p {
    static constexpr char const* name = "log1p(x)";
    static constexpr bool is_long = true;
    template <bare_number P>
    XGRAD_DETAIL_INLINE auto operator()(P const& x) const {
        using std::log1p;
        if constexpr (batch<P>) return choose(x == zero(x), x, log1p(x));
        else return log1p(x);
    }
    XGRAD_DETAIL_OF_DUALS(log1p)
};
// 1 / (1 + exp(-x)), without overflow.
struct sigmoid {
    static constexpr char const* name = "sigmoid(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        return detail::two_sigmoids(x).of_x;
    }
    XGRAD_DETAIL_OF_DUALS(sigmoid)
};
// Its derivative, which is the same for -x.
struct sigmoid_slope {
    static constexpr char const* name = "the derivative of sigmoid(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        auto const s = detail::two_sigmoids(x);
        return s.of_x * s.of_minus_x;
    }
    XGRAD_DETAIL_OF_DUALS(sigmoid_slope)
};
// log(1 + exp(x)), without overflow: the softplus of neural networks.
struct log1p_exp {
    static constexpr char const* name = "log1p_exp(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const { return choose(x < zero(x), zero(x), x) + log1p{}(exp{}(-abs{}(x))); }
    XGRAD_DETAIL_OF_DUALS(log1p_exp)
};
// log(1 - exp(x)) for x <= 0, without cancellation: M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012.
struct log1m_exp {
    static constexpr char const* name = "log1m_exp(x)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& x) const {
        // each branch is given what it can take, so that neither computes a NaN for the other
        auto const small = x > literal(x, -std::numbers::ln2);
        auto const half = literal(x, -std::numbers::ln2);
        return choose(small, log{}(-expm1{}(choose(small, x, half))), log1p{}(negate{}(exp{}(choose(small, half, x)))));
    }
    XGRAD_DETAIL_OF_DUALS(log1m_exp)
};
// log(exp(a) + exp(b)), without overflow.
struct logaddexp {
    static constexpr char const* name = "logaddexp(a, b)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const {
        // two equal infinities have no difference
        auto const d = choose(a == b, zero(a), a - b);
        return choose(a < b, b, a) + log1p{}(detail::falling_exp(d));
    }
    XGRAD_DETAIL_OF_DUALS(logaddexp)
};
// a log(b), and 0 where a is 0.
struct xlogy {
    static constexpr char const* name = "xlogy(a, b)";
    static constexpr bool is_long = true;
    XGRAD_DETAIL_INLINE auto operator()(bare_number auto const& a, bare_number auto const& b) const { return choose(a == zero(a), zero(a), a * log{}(b)); }
    template <class A, class B>
        requires(number_dual<A> || number_dual<B>)
    auto operator()(A const& a, B const& b) const { return detail::lift_active<xlogy>(a, b); }
};

}

template <> inline constexpr auto partials<op::exp>       = [](auto y, auto)           { return partial(y); };
template <>
inline constexpr auto partials<op::exp2> = [](auto y, auto) { return partial(y * detail::constant(y, std::numbers::ln2_v<long double>)); };
template <> inline constexpr auto partials<op::expm1>     = [](auto y, auto)           { return partial(y + one(y)); };
template <> inline constexpr auto partials<op::log>       = [](auto,   auto x)         { return partial(one(x) / x); };
template <>
inline constexpr auto partials<op::log2> = [](auto, auto x) { return partial(detail::constant(x, std::numbers::log2e_v<long double>) / x); };
template <>
inline constexpr auto partials<op::log10> = [](auto, auto x) { return partial(detail::constant(x, std::numbers::log10e_v<long double>) / x); };
template <> inline constexpr auto partials<op::log1p>     = [](auto,   auto x)         { return partial(one(x) / (one(x) + x)); };
template <> inline constexpr auto partials<op::sigmoid>   = [](auto,   auto x)         { return partial(op::sigmoid_slope{}(x)); };
template <>
inline constexpr auto partials<op::sigmoid_slope> = [](auto y, auto x) { return partial(y * (one(x) - literal(x, 2.0) * op::sigmoid{}(x))); };
template <> inline constexpr auto partials<op::log1p_exp> = [](auto,   auto x)         { return partial(op::sigmoid{}(x)); };
// exp(x) / (exp(x) - 1), which at 0 is -inf, whatever the sign of that 0
template <>
inline constexpr auto partials<op::log1m_exp> =
    [](auto, auto x) { return partial(choose(x > zero(x), detail::not_a_number(x), -op::exp{}(x) / op::abs{}(op::expm1{}(x)))); };
template <>
inline constexpr auto partials<op::logaddexp> = [](auto, auto a, auto b) {
    auto d = choose(a == b, choose(a - a == zero(a), a - b, zero(a)), a - b);
    if constexpr (number_dual<decltype(d)>) return partial(op::sigmoid{}(d), op::sigmoid{}(-d));
    else {
        auto const s = detail::two_sigmoids(d);
        return partial(s.of_x, s.of_minus_x);
    }
};
template <>
inline constexpr auto partials<op::xlogy> =
    [](auto, auto a, auto b) { return partial([=] { return op::log{}(b); }, [=] { return detail::quotient(a, b); }); };
}
XGRAD_DETAIL_QUIET_END
