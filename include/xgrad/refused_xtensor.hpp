// Refuses active values in functions of xtensor that have another name here, or none, and in a % b: one sentence says what to write.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/operand.hpp>

namespace xgrad {

namespace detail {

// Its type is deduced, so that it is looked at before what is made of the result is.
template <class A, class... B>
auto refuse_xtensor(A const& a, B const&...) {
    static_assert(never<A>, "xgrad[E153]: xt::f(x, ...) of these f requires plain arrays, but an argument is active: write amin(x) and amax(x) for minmax, "
                            "filter(x, condition) for masked_view, scatter_add(zeros, bins, weights) for histogram, a loop or iterate for reduce and "
                            "accumulate, cov(x) of <xgrad/linalg.hpp> for xt::cov, cast<int>(primal(x)) and cast<double>(real(z)) for cast");
    return a;
}

}

// a % b and a ^ b of active values are refused (E155): they are for integers.
template <class A, class B>
    requires(active<A> || active<B>)
std::conditional_t<active<A>, A, B> operator%(A const& a, B const& b) {
    static_assert(detail::never<A>, "xgrad[E155]: a % b requires integers, but one of these is active: write fmod(a, b)");
    if constexpr (active<A>) return a;
    else return b;
}
template <class A, class B>
    requires(active<A> || active<B>)
std::conditional_t<active<A>, A, B> operator^(A const& a, B const& b) {
    static_assert(detail::never<A>, "xgrad[E155]: a ^ b requires integers, but one of these is active: write pow(a, b)");
    if constexpr (active<A>) return a;
    else return b;
}

}

// The heads equal xtensor's, so being constrained they win.
namespace xt {
// Of active values refused (E153).
template <class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>
    requires xgrad::active<E>
auto minmax(E&& e, EVS = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class E>
    requires xgrad::active<E>
E cov(const E& x, const E& = E()) { return xgrad::detail::refuse_xtensor(x); }
template <class T, class M>
    requires xgrad::active<T>
std::remove_cvref_t<T> masked_view(T&& data, M&&) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1, class E2, class E3>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, E2&&, E3&&, bool = false) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1, class E2>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, E2&&, bool = false) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, std::size_t = 10, bool = false) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1, class E2>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, std::size_t, E2, E2, bool = false) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1, class E2>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, std::size_t, E2&&, bool = false) { return xgrad::detail::refuse_xtensor(data); }
template <class R = double, class E1, class E2, class E3>
    requires xgrad::active<E1>
std::remove_cvref_t<E1> histogram(E1&& data, std::size_t, E2&&, E3, E3, bool = false) { return xgrad::detail::refuse_xtensor(data); }

// Of active values refused (E153), in each of xtensor's forms.
template <class F, class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS,
          XTL_REQUIRES(xgrad::host_negation<is_reducer_options<X>>, detail::is_xreducer_functors<F>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, X&&, EVS&& = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, detail::is_xreducer_functors<F>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, EVS&& = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(detail::is_xreducer_functors<F>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, const I (&)[N], EVS = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS,
          XTL_REQUIRES(xgrad::host_negation<is_reducer_options<X>>, xgrad::host_negation<detail::is_xreducer_functors<F>>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, X&&, EVS&& = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class EVS = DEFAULT_STRATEGY_REDUCERS,
          XTL_REQUIRES(is_reducer_options<EVS>, xgrad::host_negation<detail::is_xreducer_functors<F>>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, EVS&& = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS,
          XTL_REQUIRES(xgrad::host_negation<detail::is_xreducer_functors<F>>)>
    requires xgrad::active<E>
auto reduce(F&&, E&& e, const I (&)[N], EVS = EVS()) { return xgrad::detail::refuse_xtensor(e); }

// Of active values refused (E153).
template <class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS, XTL_REQUIRES(is_evaluation_strategy<EVS>)>
    requires xgrad::active<E>
auto accumulate(F&&, E&& e, EVS = EVS()) { return xgrad::detail::refuse_xtensor(e); }
template <class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS>
    requires xgrad::active<E>
auto accumulate(F&&, E&& e, std::ptrdiff_t, EVS = EVS()) { return xgrad::detail::refuse_xtensor(e); }
}
