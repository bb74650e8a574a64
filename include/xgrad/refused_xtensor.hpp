// Refuses active values in functions of xtensor that have another name here, or none, and in a % b: one sentence says what to write.
#pragma once

#include <cstddef>

#include <xgrad/scope/operand/array_interface.hpp>
#include <xgrad/scope/operand/operand.hpp>

namespace xgrad {

namespace detail {

// Its type is deduced, so that it is looked at before what is made of the result is.
template <class A, class... B>
auto refuse_xtensor(A const& a, B const&...) {
    static_assert(never<A>, "xgrad[E153]: xt::f(x, ...) of these f requires plain arrays, but an argument is active: write amin(x) and amax(x) for minmax, "
                            "filter(x, condition) for masked_view, scatter_add(zeros, bins, weights) for histogram, a loop or iterate for reduce and "
                            "accumulate, cov(x) of <xgrad/linalg.hpp> for xt::cov, x itself for cast");
    return a;
}

}

// a % b of active values is refused (E155): it is for integers.
template <class A, class B>
    requires(active<A> || active<B>)
auto operator%(A const& a, B const&) {
    static_assert(detail::never<A>, "xgrad[E155]: a % b requires integers, but one of these is active: write fmod(a, b)");
    return a;
}

}

// The heads equal xtensor's, so being constrained they win.
namespace xt {
#define XGRAD_DETAIL_REFUSE(TEMPLATE, REQUIRED, NAME, PARAMETERS, ...)      \
    template <XGRAD_DETAIL_INSIDE TEMPLATE>                                 \
        requires(xgrad::active<REQUIRED>)                                   \
    auto NAME(XGRAD_DETAIL_INSIDE PARAMETERS) {                             \
        return xgrad::detail::refuse_xtensor(__VA_ARGS__);                  \
    }
#define XGRAD_DETAIL_INSIDE(...) __VA_ARGS__
// Of active values refused (E153).
XGRAD_DETAIL_REFUSE((class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)), E, minmax, (E&& e, EVS = EVS()), e)
XGRAD_DETAIL_REFUSE((class E), E, cov, (const E& x, const E& = E()), x)
XGRAD_DETAIL_REFUSE((class R, class E), E, cast, (E&& e), e)
XGRAD_DETAIL_REFUSE((class R = double, class E1, class E2, class E3), E1, histogram, (E1&& data, E2&&, E3&&, bool = false), data)
XGRAD_DETAIL_REFUSE((class R = double, class E1, class E2), E1, histogram, (E1&& data, E2&&, bool = false), data)
XGRAD_DETAIL_REFUSE((class R = double, class E1), E1, histogram, (E1&& data, std::size_t = 10, bool = false), data)
XGRAD_DETAIL_REFUSE((class R = double, class E1, class E2), E1, histogram, (E1&& data, std::size_t, E2, E2, bool = false), data)
XGRAD_DETAIL_REFUSE((class R = double, class E1, class E2), E1, histogram, (E1&& data, std::size_t, E2&&, bool = false), data)
XGRAD_DETAIL_REFUSE((class R = double, class E1, class E2, class E3), E1, histogram, (E1&& data, std::size_t, E2&&, E3, E3, bool = false), data)
XGRAD_DETAIL_REFUSE((class T, class M), T, masked_view, (T&& data, M&&), data)
#define XGRAD_DETAIL_REFUSE_FOLD(REQUIRED)                                                                                                     \
    XGRAD_DETAIL_REFUSE((class F, class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS,                                                    \
                         XTL_REQUIRES(xgrad::host_negation<is_reducer_options<X>>, REQUIRED)),                                                \
                        E, reduce, (F&&, E&& e, X&&, EVS&& = EVS()), e)                                                                        \
    XGRAD_DETAIL_REFUSE((class F, class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, REQUIRED)), E, reduce, \
                        (F&&, E&& e, EVS&& = EVS()), e)                                                                                        \
    XGRAD_DETAIL_REFUSE((class F, class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(REQUIRED)), E, reduce,  \
                        (F&&, E&& e, const I (&)[N], EVS = EVS()), e)
XGRAD_DETAIL_REFUSE_FOLD(detail::is_xreducer_functors<F>)
XGRAD_DETAIL_REFUSE_FOLD(xgrad::host_negation<detail::is_xreducer_functors<F>>)
#undef XGRAD_DETAIL_REFUSE_FOLD
XGRAD_DETAIL_REFUSE((class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS, XTL_REQUIRES(is_evaluation_strategy<EVS>)), E, accumulate,
                    (F&&, E&& e, EVS = EVS()), e)
XGRAD_DETAIL_REFUSE((class F, class E, class EVS = DEFAULT_STRATEGY_ACCUMULATORS), E, accumulate, (F&&, E&& e, std::ptrdiff_t, EVS = EVS()), e)
#undef XGRAD_DETAIL_INSIDE
#undef XGRAD_DETAIL_REFUSE
}
