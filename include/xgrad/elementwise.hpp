// Defines the operators and elementwise functions of active values: + - * / and exp, log, tanh, ..., in xgrad and in xtensor's own spelling.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/ruleset/scalar.hpp>
#include <xgrad/scope/capture.hpp>
#include <xgrad/scope/variable.hpp>

namespace xgrad {

// One or two operands of which one is active, and the other may stand beside it.
template <class A, class B>
concept active_pair = (active<A> && (active<B> || plain_operand<B>)) || (plain_operand<A> && active<B>);

// Op(x...) as a formula: what a function for a scalar rule of one's own returns.
template <class Op, class... E>
    requires(active<E> || ...)
XGRAD_DETAIL_INLINE auto elementwise(E&&... e) { return make_formula<Op>(std::forward<E>(e)...); }

// The heads of these templates equal xtensor's, so being constrained they win.
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

// A number, or the result of one expression, cannot become that of another.
#define XGRAD_DETAIL_UPDATE(SYMBOL)                                                                         \
    template <class A, active E>                                                                            \
        requires(std::is_arithmetic_v<A> || (active<A> && !detail::is_variable<A>))                         \
    A& operator SYMBOL(A& a, E&&) {                                                                         \
        static_assert(detail::never<A>, "xgrad[E049]: s += x with an active x (or -=, *=, /=) requires for s a variable or a sum_result, but s is a plain number or an expression: begin with xgrad::variable s = 0.0"); \
        return a;                                                                                           \
    }
XGRAD_DETAIL_UPDATE(+=)
XGRAD_DETAIL_UPDATE(-=)
XGRAD_DETAIL_UPDATE(*=)
XGRAD_DETAIL_UPDATE(/=)
#undef XGRAD_DETAIL_UPDATE

template <class E>
    requires active<E>
XGRAD_DETAIL_INLINE auto operator-(E&& e) { return make_formula<op::negate>(std::forward<E>(e)); }
template <class E>
    requires active<E>
XGRAD_DETAIL_INLINE auto operator+(E&& e) { return make_formula<identity_op>(std::forward<E>(e)); }

#define XGRAD_DETAIL_UNARY(NAME)                                                                            \
    template <class E>                                                                                      \
        requires active<E>                                                                                  \
    XGRAD_DETAIL_INLINE auto NAME(E&& e) { return make_formula<op::NAME>(std::forward<E>(e)); }
#define XGRAD_DETAIL_BINARY(NAME)                                                                           \
    template <class E1, class E2>                                                                           \
        requires active_pair<E1, E2>                                                                        \
    XGRAD_DETAIL_INLINE auto NAME(E1&& e1, E2&& e2) { return make_formula<op::NAME>(std::forward<E1>(e1), std::forward<E2>(e2)); }
XGRAD_DETAIL_UNARY(exp)
XGRAD_DETAIL_UNARY(log)
XGRAD_DETAIL_UNARY(sqrt)
XGRAD_DETAIL_UNARY(sin)
XGRAD_DETAIL_UNARY(cos)
XGRAD_DETAIL_UNARY(tanh)
XGRAD_DETAIL_UNARY(square)
XGRAD_DETAIL_UNARY(abs)
XGRAD_DETAIL_UNARY(exp2)
XGRAD_DETAIL_UNARY(expm1)
XGRAD_DETAIL_UNARY(log1p)
XGRAD_DETAIL_UNARY(log2)
XGRAD_DETAIL_UNARY(log10)
XGRAD_DETAIL_UNARY(cbrt)
XGRAD_DETAIL_UNARY(tan)
XGRAD_DETAIL_UNARY(asin)
XGRAD_DETAIL_UNARY(acos)
XGRAD_DETAIL_UNARY(atan)
XGRAD_DETAIL_UNARY(sinh)
XGRAD_DETAIL_UNARY(cosh)
XGRAD_DETAIL_UNARY(asinh)
XGRAD_DETAIL_UNARY(acosh)
XGRAD_DETAIL_UNARY(atanh)
XGRAD_DETAIL_UNARY(erf)
XGRAD_DETAIL_UNARY(erfc)
XGRAD_DETAIL_UNARY(sign)
XGRAD_DETAIL_UNARY(sigmoid)
XGRAD_DETAIL_UNARY(log1p_exp)
XGRAD_DETAIL_BINARY(hypot)
XGRAD_DETAIL_BINARY(atan2)
XGRAD_DETAIL_BINARY(fmax)
XGRAD_DETAIL_BINARY(fmin)
XGRAD_DETAIL_BINARY(xlogy)
XGRAD_DETAIL_BINARY(pow)
XGRAD_DETAIL_BINARY(maximum)
XGRAD_DETAIL_BINARY(minimum)
#undef XGRAD_DETAIL_UNARY
#undef XGRAD_DETAIL_BINARY
template <class E>
    requires active<E>
XGRAD_DETAIL_INLINE auto fabs(E&& e) { return make_formula<op::abs>(std::forward<E>(e)); }

// What xtensor does not have is there for plain values, too: a number, or an expression of arrays.
#define XGRAD_DETAIL_PLAIN(NAME)                                                                            \
    template <plain_operand... E>                                                                           \
    auto NAME(E&&... e) {                                                                                   \
        if constexpr ((std::is_arithmetic_v<std::remove_cvref_t<E>> && ...)) {                              \
            using T = std::common_type_t<float, std::remove_cvref_t<E>...>;                                 \
            return op::NAME{}(static_cast<T>(e)...);                                                        \
        } else return xt::make_lambda_xfunction([](auto const&... v) { return op::NAME{}(v...); }, std::forward<E>(e)...); \
    }
XGRAD_DETAIL_PLAIN(sigmoid)
XGRAD_DETAIL_PLAIN(log1p_exp)
XGRAD_DETAIL_PLAIN(xlogy)
#undef XGRAD_DETAIL_PLAIN

}

// One entity under both names, so every spelling means the same.
namespace xt {
using xgrad::abs, xgrad::acos, xgrad::acosh, xgrad::asin, xgrad::asinh, xgrad::atan, xgrad::atan2, xgrad::atanh, xgrad::cbrt, xgrad::cos, xgrad::cosh, xgrad::erf, xgrad::erfc, xgrad::exp,
    xgrad::exp2, xgrad::expm1, xgrad::fabs, xgrad::fmax, xgrad::fmin, xgrad::hypot, xgrad::log, xgrad::log10, xgrad::log1p, xgrad::log2, xgrad::maximum, xgrad::minimum, xgrad::pow, xgrad::sign,
    xgrad::sin, xgrad::sinh, xgrad::sqrt, xgrad::square, xgrad::tan, xgrad::tanh;
}
