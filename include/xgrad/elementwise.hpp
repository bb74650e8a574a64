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
XGRAD_DETAIL_BINARY(pow)
XGRAD_DETAIL_BINARY(maximum)
XGRAD_DETAIL_BINARY(minimum)
#undef XGRAD_DETAIL_UNARY
#undef XGRAD_DETAIL_BINARY

}

// One entity under both names, so every spelling means the same.
namespace xt {
using xgrad::abs, xgrad::cos, xgrad::exp, xgrad::log, xgrad::maximum, xgrad::minimum, xgrad::pow, xgrad::sin, xgrad::sqrt, xgrad::square, xgrad::tanh;
}
