// Defines the operators and elementwise functions of active values: + - * / and exp, log, tanh, ..., in xgrad and in xtensor's own spelling.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/ruleset/scalar.hpp>
#include <xgrad/scope/node/make_formula.hpp>
#include <xgrad/scope/call/limits.hpp>

namespace xgrad {

// One or two operands of which one is active, and the other may stand beside it.
template <class A, class B>
concept active_pair = (active<A> && (active<B> || plain_operand<B>)) || (active<B> && plain_operand<A>);

template <class A, class B, class C>
concept active_triple =
    (active<A> || active<B> || active<C>) && (active<A> || plain_operand<A>) && (active<B> || plain_operand<B>) && (active<C> || plain_operand<C>);

namespace detail {

// Op on plain numbers and batches, one by one: integers count as double, as in <cmath>. It says what it cannot be called with: xtensor asks.
template <class Op>
struct on_elements {
    template <class... V>
        requires((plain_number<V> && !batch<V>) && ...)
    constexpr auto operator()(V const&... v) const {
        if constexpr ((std::integral<V> && ...)) return Op{}(static_cast<double>(v)...);
        else if constexpr ((std::is_arithmetic_v<V> && ...)) return Op{}(static_cast<std::common_type_t<float, V...>>(v)...);
        else return apply<Op>(v...);
    }
    template <class... V>
        requires(batch<V> || ...) && (std::is_invocable_v<Op const&, std::conditional_t<true, typename batch_among<V...>::type, V> const&...>)
    auto operator()(V const&... v) const {
        return apply<Op>(v...);
    }
};

template <class E>
constexpr decltype(auto) unwrapped(E&& e) {
    if constexpr (is_cref<std::remove_cvref_t<E>>) return e.get();
    else return std::forward<E>(e);
}

}

// Op(x...), element by element: what a function for a scalar rule of one's own returns. Of active values, beside which plain ones may stand, it is a
// formula; of plain numbers a number, of plain arrays an expression of xtensor. Shapes broadcast, and others throw std::invalid_argument.
template <class Op, class... E>
    requires((active<E> || ...) && ((active<E> || plain_operand<E>) && ...))
XGRAD_DETAIL_INLINE auto elementwise(E&&... e) { return make_formula<Op>(std::forward<E>(e)...); }
template <class Op, class... E>
    requires(sizeof...(E) != 0 && (plain_operand<E> && ...))
constexpr auto elementwise(E&&... e) {
    if constexpr ((detail::plain_number<std::remove_cvref_t<E>> && ...)) return detail::on_elements<Op>{}(e...);
    else return xt::make_lambda_xfunction(detail::on_elements<Op>{}, detail::unwrapped(std::forward<E>(e))...);
}

// Element by element; the result has the shape that both broadcast to, and a plain operand may be a number or an array. Integers beside active values count as
// their type. Throws std::invalid_argument where the shapes do not broadcast. The heads of these templates equal xtensor's, so being constrained they win.
#define XGRAD_DETAIL_OPERATOR(SYMBOL, OP)                                                                   \
    template <class E1, class E2>                                                                           \
        requires active_pair<E1, E2>                                                                        \
    XGRAD_DETAIL_INLINE auto operator SYMBOL(E1&& e1, E2&& e2) {                                            \
        return make_formula<op::OP>(std::forward<E1>(e1), std::forward<E2>(e2));                            \
    }
XGRAD_DETAIL_OPERATOR(+, plus)
XGRAD_DETAIL_OPERATOR(-, minus)
XGRAD_DETAIL_OPERATOR(*, times)
XGRAD_DETAIL_OPERATOR(/, divide)
#undef XGRAD_DETAIL_OPERATOR

// Refused: a number, or the result of one expression, cannot become that of another. A variable or a sum_result can.
namespace detail {
template <class A>
concept fixed_value =
    active<A> && !is_variable<std::remove_cvref_t<A>> && !is_element<std::remove_cvref_t<A>> && !is_place<std::remove_cvref_t<A>>;
// A is an lvalue; of what has no name a part of an array refuses by itself.
template <class A, class E>
concept refused_update = (std::is_lvalue_reference_v<A> || is_formula<A>) &&
                         ((std::is_arithmetic_v<std::remove_reference_t<A>> && active<E>) || (fixed_value<A> && (active<E> || plain_operand<E>)));
template <class A>
A& refuse_update(A& a) {
    static_assert(never<A>, "xgrad[E049]: s += x (or -=, *=, /=, ++, --) of active values requires for s a variable or a sum_result, but s is a plain number, "
                            "an argument or an expression: begin with xgrad::variable s = 0.0, or s = x");
    return a;
}
}
// Not by a macro, of which compilers would speak, too.
template <class A, class E>
    requires detail::refused_update<A, E>
auto& operator+=(A&& a, E&&) { return detail::refuse_update(a); }
template <class A, class E>
    requires detail::refused_update<A, E>
auto& operator-=(A&& a, E&&) { return detail::refuse_update(a); }
template <class A, class E>
    requires detail::refused_update<A, E>
auto& operator*=(A&& a, E&&) { return detail::refuse_update(a); }
template <class A, class E>
    requires detail::refused_update<A, E>
auto& operator/=(A&& a, E&&) { return detail::refuse_update(a); }
template <detail::fixed_value A>
A& operator++(A& a) { return detail::refuse_update(a); }
template <detail::fixed_value A>
A& operator++(A& a, int) { return detail::refuse_update(a); }
template <detail::fixed_value A>
A& operator--(A& a) { return detail::refuse_update(a); }
template <detail::fixed_value A>
A& operator--(A& a, int) { return detail::refuse_update(a); }

template <class E>
    requires active<E>
XGRAD_DETAIL_INLINE auto operator-(E&& e) { return make_formula<op::negate>(std::forward<E>(e)); }
template <class E>
    requires active<E>
XGRAD_DETAIL_INLINE auto operator+(E&& e) { return make_formula<identity_op>(std::forward<E>(e)); }

// The functions by the number of their operands: those of xtensor, which have a place in its namespace, too, and those it does not have.
#define XGRAD_DETAIL_UNARY_OF_XTENSOR(F)                                                                                      \
    F(abs) F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(ceil) F(cos) F(cosh) F(cube) F(deg2rad) F(erf) F(erfc) \
    F(exp) F(exp2) F(expm1) F(floor) F(lgamma) F(log) F(log10) F(log1p) F(log2) F(nan_to_num) F(nearbyint) F(rad2deg) F(rint)  \
    F(round) F(sign) F(sin) F(sinh) F(sqrt) F(square) F(tan) F(tanh) F(tgamma) F(trunc)
#define XGRAD_DETAIL_BINARY_OF_XTENSOR(F) \
    F(atan2) F(fdim) F(fmax) F(fmin) F(fmod) F(hypot) F(maximum) F(minimum) F(pow) F(remainder)
#define XGRAD_DETAIL_TERNARY_OF_XTENSOR(F) F(fma)
#define XGRAD_DETAIL_UNARY_OF_ITS_OWN(F) F(digamma) F(gelu) F(log1m_exp) F(log1p_exp) F(normal_cdf) F(normal_log_cdf) F(relu) F(sigmoid) F(silu) F(sinc)
#define XGRAD_DETAIL_BINARY_OF_ITS_OWN(F) F(logaddexp) F(xlogy)
#define XGRAD_DETAIL_TERNARY_OF_ITS_OWN(F) F(lerp)

// Element by element, of numbers and of arrays of any shape; of several operands the result has the shape that they broadcast to, and where they do not
// std::invalid_argument is thrown. Of active values a formula; of duals (the numbers of forward mode) the dual. Outside its domain a function is NaN, and
// throws nothing. Derivatives are the usual ones; where there is none, the one that does least harm:
//   sqrt cbrt square cube hypot       hypot has 0 at the origin; sqrt and cbrt have infinity at 0
//   pow                               the exponent's is asked for only where it is active, and is 0 where the value is 0; that of x to the power 0 is 0
//   exp exp2 expm1 log log2 log10 log1p
//   sigmoid log1p_exp log1m_exp       1 / (1 + exp(-x)), log(1 + exp(x)), log(1 - exp(x)) (Maechler 2012): nothing overflows or cancels
//   softplus                          log1p_exp by its other name
//   relu silu gelu                    max(x, 0), with 0 at 0; x sigmoid(x); x normal_cdf(x)
//   normal_cdf normal_log_cdf         of the standard normal distribution, and its logarithm, which is right far below 0
//   logaddexp xlogy                   log(exp(a) + exp(b)); a log(b), which is 0 where a is
//   sin cos tan asin acos atan atan2  in radians; sinc(x) is sin(pi x) / (pi x), 1 at 0; deg2rad and rad2deg change the unit
//   sinh cosh tanh asinh acosh atanh
//   erf erfc tgamma lgamma digamma    digamma, and the derivatives of tgamma and lgamma, ask for <xgrad/special.hpp>
//   abs sign                          0 at 0; of complex numbers abs is the modulus
//   maximum minimum fmax fmin fdim    equal operands share the derivative equally; fmax and fmin pass over a NaN
//   floor ceil trunc round nearbyint rint    0 everywhere
//   fmod remainder                    a - n b with a whole n, which is held constant
//   nan_to_num fma lerp               0 at what is not finite; a b + c, rounded once; a + t (b - a), a at t = 0 and b at t = 1
#define XGRAD_DETAIL_UNARY(NAME)                                                                            \
    template <class E>                                                                                      \
        requires active<E>                                                                                  \
    XGRAD_DETAIL_INLINE auto NAME(E&& e) { return make_formula<op::NAME>(std::forward<E>(e)); }             \
    template <class E>                                                                                      \
        requires number_dual<E>                                                                             \
    XGRAD_DETAIL_INLINE auto NAME(E const& x) { return lift<op::NAME>(x); }
#define XGRAD_DETAIL_BINARY(NAME)                                                                           \
    template <class E1, class E2>                                                                           \
        requires active_pair<E1, E2>                                                                        \
    XGRAD_DETAIL_INLINE auto NAME(E1&& e1, E2&& e2) { return make_formula<op::NAME>(std::forward<E1>(e1), std::forward<E2>(e2)); } \
    template <class E1, class E2>                                                                           \
        requires detail::dual_pair<E1, E2>                                                                  \
    XGRAD_DETAIL_INLINE auto NAME(E1 const& x1, E2 const& x2) { return op::NAME{}(x1, x2); }
#define XGRAD_DETAIL_TERNARY(NAME)                                                                          \
    template <class E1, class E2, class E3>                                                                 \
        requires active_triple<E1, E2, E3>                                                                  \
    XGRAD_DETAIL_INLINE auto NAME(E1&& e1, E2&& e2, E3&& e3) {                                              \
        return make_formula<op::NAME>(std::forward<E1>(e1), std::forward<E2>(e2), std::forward<E3>(e3));    \
    }                                                                                                       \
    template <class E1, class E2, class E3>                                                                 \
        requires detail::dual_triple<E1, E2, E3>                                                            \
    XGRAD_DETAIL_INLINE auto NAME(E1 const& x1, E2 const& x2, E3 const& x3) { return lift<op::NAME>(x1, x2, x3); }
XGRAD_DETAIL_UNARY_OF_XTENSOR(XGRAD_DETAIL_UNARY)
XGRAD_DETAIL_UNARY_OF_ITS_OWN(XGRAD_DETAIL_UNARY)
XGRAD_DETAIL_BINARY_OF_XTENSOR(XGRAD_DETAIL_BINARY)
XGRAD_DETAIL_BINARY_OF_ITS_OWN(XGRAD_DETAIL_BINARY)
XGRAD_DETAIL_TERNARY_OF_XTENSOR(XGRAD_DETAIL_TERNARY)
XGRAD_DETAIL_TERNARY_OF_ITS_OWN(XGRAD_DETAIL_TERNARY)
// hypot(a, b, c): the length of a vector in space.
template <class E1, class E2, class E3>
    requires(active_triple<E1, E2, E3> || detail::dual_triple<std::remove_cvref_t<E1>, std::remove_cvref_t<E2>, std::remove_cvref_t<E3>>)
XGRAD_DETAIL_INLINE auto hypot(E1&& a, E2&& b, E3&& c) { return hypot(hypot(std::forward<E1>(a), std::forward<E2>(b)), std::forward<E3>(c)); }
#undef XGRAD_DETAIL_UNARY
#undef XGRAD_DETAIL_BINARY
#undef XGRAD_DETAIL_TERNARY

// fabs is abs, radians is deg2rad, degrees is rad2deg, softplus is log1p_exp.
#define XGRAD_DETAIL_ALIAS(NAME, OF)                                                                        \
    template <class E>                                                                                      \
        requires(active<E> || number_dual<E>)                                                               \
    XGRAD_DETAIL_INLINE auto NAME(E&& e) { return OF(std::forward<E>(e)); }
XGRAD_DETAIL_ALIAS(fabs, abs)
XGRAD_DETAIL_ALIAS(radians, deg2rad)
XGRAD_DETAIL_ALIAS(degrees, rad2deg)
XGRAD_DETAIL_ALIAS(softplus, log1p_exp)
#undef XGRAD_DETAIL_ALIAS
// pow<N>(x), element by element, N a whole number above 0 (E081), by multiplications.
template <std::size_t N, class E>
    requires(active<E> || number_dual<E>)
XGRAD_DETAIL_INLINE auto pow(E&& e) {
    static_assert(N > 0, "xgrad[E081]: pow<N>(x) requires a whole number N above 0: write pow(x, n)");
    if constexpr (active<E>) return make_formula<op::power<std::integral_constant<std::size_t, N>>>(std::forward<E>(e));
    else return op::power<std::integral_constant<std::size_t, N>>{}(e);
}
// The n-th derivative of digamma(x), n = 0, 1, 2, ...: a whole number, or a plain array of such. Requires <xgrad/special.hpp>, as digamma does.
template <class N, class E>
    requires((std::integral<std::remove_cvref_t<N>> || requires { requires std::integral<typename std::remove_cvref_t<N>::value_type>; }) &&
             (active<E> || number_dual<E>))
XGRAD_DETAIL_INLINE auto polygamma(N&& n, E&& x) {
    if constexpr (active<E>) return make_formula<op::polygamma>(std::forward<N>(n), std::forward<E>(x));
    else return lift<op::polygamma>(n, x);
}

// What xtensor does not have is there for plain values, too: of numbers a number, of arrays an expression of xtensor.
#define XGRAD_DETAIL_PLAIN(NAME)                                                                            \
    template <plain_operand... E>                                                                           \
    auto NAME(E&&... e) { return elementwise<op::NAME>(std::forward<E>(e)...); }
XGRAD_DETAIL_UNARY_OF_ITS_OWN(XGRAD_DETAIL_PLAIN)
XGRAD_DETAIL_BINARY_OF_ITS_OWN(XGRAD_DETAIL_PLAIN)
XGRAD_DETAIL_TERNARY_OF_ITS_OWN(XGRAD_DETAIL_PLAIN)
XGRAD_DETAIL_PLAIN(polygamma)
#undef XGRAD_DETAIL_PLAIN

}

// One entity under both names, so every spelling means the same.
namespace xt {
#define XGRAD_DETAIL_SPELLING(NAME) using xgrad::NAME;
XGRAD_DETAIL_UNARY_OF_XTENSOR(XGRAD_DETAIL_SPELLING)
XGRAD_DETAIL_BINARY_OF_XTENSOR(XGRAD_DETAIL_SPELLING)
XGRAD_DETAIL_TERNARY_OF_XTENSOR(XGRAD_DETAIL_SPELLING)
XGRAD_DETAIL_SPELLING(degrees)
XGRAD_DETAIL_SPELLING(fabs)
XGRAD_DETAIL_SPELLING(radians)
#undef XGRAD_DETAIL_SPELLING
}

// The same names for plain values, so that one function serves for both: of numbers a number, of arrays what xtensor gives. Behind the others, which alone are
// in xtensor's namespace, too.
namespace xgrad {

namespace detail {
template <class... E>
concept all_plain = ((plain_operand<E> && !number_dual<std::remove_cvref_t<E>>) && ...);
}
#define XGRAD_DETAIL_PLAIN(NAME)                                                                                         \
    template <class... E>                                                                                                \
        requires(sizeof...(E) != 0 && detail::all_plain<E...>)                                                        \
    constexpr auto NAME(E&&... e) {                                                                                      \
        if constexpr ((detail::plain_number<std::remove_cvref_t<E>> && ...)) return detail::on_elements<op::NAME>{}(e...); \
        else return xt::NAME(detail::unwrapped(std::forward<E>(e))...);                                                  \
    }
XGRAD_DETAIL_UNARY_OF_XTENSOR(XGRAD_DETAIL_PLAIN)
XGRAD_DETAIL_BINARY_OF_XTENSOR(XGRAD_DETAIL_PLAIN)
XGRAD_DETAIL_TERNARY_OF_XTENSOR(XGRAD_DETAIL_PLAIN)
#undef XGRAD_DETAIL_PLAIN
#define XGRAD_DETAIL_ALIAS(NAME, OF)      \
    template <class E>                    \
        requires detail::all_plain<E>  \
    constexpr auto NAME(E&& e) { return xgrad::OF(std::forward<E>(e)); }
XGRAD_DETAIL_ALIAS(fabs, abs)
XGRAD_DETAIL_ALIAS(radians, deg2rad)
XGRAD_DETAIL_ALIAS(degrees, rad2deg)
XGRAD_DETAIL_ALIAS(softplus, log1p_exp)
#undef XGRAD_DETAIL_ALIAS
template <class E1, class E2, class E3>
    requires detail::all_plain<E1, E2, E3>
constexpr auto hypot(E1&& a, E2&& b, E3&& c) { return xgrad::hypot(xgrad::hypot(std::forward<E1>(a), std::forward<E2>(b)), std::forward<E3>(c)); }
template <std::size_t N, class E>
    requires detail::all_plain<E>
constexpr auto pow(E&& e) { return elementwise<op::power<std::integral_constant<std::size_t, N>>>(std::forward<E>(e)); }

}
#undef XGRAD_DETAIL_UNARY_OF_XTENSOR
#undef XGRAD_DETAIL_BINARY_OF_XTENSOR
#undef XGRAD_DETAIL_TERNARY_OF_XTENSOR
#undef XGRAD_DETAIL_UNARY_OF_ITS_OWN
#undef XGRAD_DETAIL_BINARY_OF_ITS_OWN
#undef XGRAD_DETAIL_TERNARY_OF_ITS_OWN
