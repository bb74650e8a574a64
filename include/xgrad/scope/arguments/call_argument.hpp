// Defines constant, gradient_type_t, and what an argument of a call is: its storage, and the parameter that a function is given for it.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/arguments/argument.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// constant(x): an argument that is not differentiated. A named x is referred to, and must stay as it is until the gradient is there.
template <class P>
struct constant_argument {
    P value;  // P is a reference for a named x
    operator constant_argument<std::remove_cvref_t<P> const&>() const noexcept
        requires(!std::is_same_v<P, std::remove_cvref_t<P> const&>)
    {
        return {value};
    }
};
template <class P>
constant_argument<P> constant(P&& x) {
    return {std::forward<P>(x)};
}

namespace detail {
template <class E>
E const& refuse_constant(E const& e) {
    static_assert(never<E>, "xgrad[E189]: constant(x) requires that it is an argument of gradient or another verb, but it stands in an expression of active "
                            "values, where all that is plain is constant: write x, or std::cref(x), which is not copied");
    return e;
}
}
// Refused: a constant in an expression.
#define XGRAD_DETAIL_OPERATOR(SYMBOL)                                                                         \
    template <class P, active E>                                                                              \
    E const& operator SYMBOL(constant_argument<P> const&, E const& e) { return detail::refuse_constant(e); } \
    template <class P, active E>                                                                              \
    E const& operator SYMBOL(E const& e, constant_argument<P> const&) { return detail::refuse_constant(e); }
XGRAD_DETAIL_OPERATOR(+)
XGRAD_DETAIL_OPERATOR(-)
XGRAD_DETAIL_OPERATOR(*)
XGRAD_DETAIL_OPERATOR(/)
#undef XGRAD_DETAIL_OPERATOR

namespace detail {

template <class X>
struct argument_traits {
    using primal = X;
    static constexpr bool is_constant = false;
    static X const& get(X const& x) { return x; }
};
template <class P>
struct argument_traits<constant_argument<P>> {
    using primal = std::remove_cvref_t<P>;
    static constexpr bool is_constant = true;
    static primal const& get(constant_argument<P> const& x) { return x.value; }
};

template <class P>
struct constant_storage {
    P const* x = nullptr;
    void finish(no_tangent*, gradient_memory) const noexcept {}
    void rearm() const noexcept {}
    P const& handle() const { return *x; }
};

template <class X>
using traits_of = argument_traits<std::remove_cvref_t<X>>;
template <class X, class M, class L = identity_lift>
using storage_of =
    std::conditional_t<traits_of<X>::is_constant, constant_storage<typename traits_of<X>::primal>, argument<typename traits_of<X>::primal, M, L>>;

// What f is given for an argument, an lvalue.
template <class X, class M, class L>
consteval auto find_parameter() {
    using P = typename traits_of<X>::primal;
    if constexpr (traits_of<X>::is_constant) return type_tag<P const>{};
    else return type_tag<std::remove_reference_t<handle_t<P, M, L>>>{};
}
template <class X, class M, class L = identity_lift>
using parameter_t = typename decltype(find_parameter<X, M, L>())::type&;

template <class Question, class X>
inline constexpr bool somewhere_in_argument = !traits_of<X>::is_constant && somewhere_in<Question, typename traits_of<X>::primal>();

template <class X>
consteval auto find_gradient_type() {
    if constexpr (traits_of<X>::is_constant) return std::type_identity<no_tangent>{};
    else return std::type_identity<tangent_type_t<typename traits_of<X>::primal>>{};
}

}

// The gradient of an argument of type X: its tangent, or no_tangent for a constant.
template <class X>
using gradient_type_t = typename decltype(detail::find_gradient_type<X>())::type;

}
XGRAD_DETAIL_QUIET_END
