// Defines the reductions of active values: sums, means, products, extremes, norms, variances; over all elements, or along axes.
#pragma once

#include <cstddef>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/reduce_with.hpp>
#include <xgrad/reducers.hpp>

namespace xgrad::detail {
// Whether a reduction of E may be told to give a T: void, which says nothing, or the type of E's elements.
template <class T, class E>
inline constexpr bool gives =
    std::is_same_v<T, typename std::remove_cvref_t<E>::value_type> || std::is_same_v<T, scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
template <class E>
inline constexpr bool gives<void, E> = true;
}

// The functions are declared beside xtensor's, with heads that equal xtensor's token by token, so being constrained they win.
// F(e, p..., axes, options) makes the value; P are further parameters, in front of the axes.
namespace xt {

#define XGRAD_DETAIL_GIVES(T, E) \
    static_assert(xgrad::detail::gives<T, E>, \
                  "xgrad[E108]: xt::sum<T>(x) of an active x, and the like, requires for T the type of the elements of x, but T is another: leave it out")
// Over all, and along axes that are given as {i, j}.
#define XGRAD_DETAIL_REDUCTION(NAME, ...)                                                                                             \
    template <class T = void, class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>                  \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, EVS es = EVS()) {                                                                            \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::reducers::__VA_ARGS__(std::forward<E>(e), xgrad::detail::every_axis{}, es);                             \
    }                                                                                                                                 \
    template <class T = void, class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS>                                 \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, const I (&axes)[N], EVS es = EVS()) {                                                        \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::reducers::__VA_ARGS__(std::forward<E>(e), axes, es);                                                    \
    }
// Along axes: what XTL_REQUIRES asks of them differs from one to another.
#define XGRAD_DETAIL_REDUCTION_ALONG(NAME, AXES, REQUIRED, ...)                                                                       \
    template <class T = void, class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_INSIDE REQUIRED)>    \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e, AXES axes, EVS es = EVS()) {                                                                 \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::reducers::__VA_ARGS__(std::forward<E>(e), axes, es);                                                    \
    }
#define XGRAD_DETAIL_INSIDE(...) __VA_ARGS__
#define XGRAD_DETAIL_NO_OPTIONS xgrad::host_negation<is_reducer_options<X>>
#define XGRAD_DETAIL_REDUCER(NAME, ...)                                                                                               \
    XGRAD_DETAIL_REDUCTION(NAME, __VA_ARGS__)                                                                                         \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X&&, (XGRAD_DETAIL_NO_OPTIONS, xgrad::host_negation<xtl::is_integral<std::decay_t<X>>>), __VA_ARGS__) \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X, (XGRAD_DETAIL_NO_OPTIONS, xtl::is_integral<std::decay_t<X>>), __VA_ARGS__)
#define XGRAD_DETAIL_MEAN(NAME, ...)                                                                                                  \
    XGRAD_DETAIL_REDUCTION(NAME, __VA_ARGS__)                                                                                         \
    XGRAD_DETAIL_REDUCTION_ALONG(NAME, X&&, (XGRAD_DETAIL_NO_OPTIONS), __VA_ARGS__)
// Norms take no result type.
#define XGRAD_DETAIL_NORM(NAME, ...)                                                                                                  \
    template <class E, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)>                                  \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), EVS es = EVS()) {                                   \
        return xgrad::detail::reducers::NAME(std::forward<E>(e), __VA_OPT__(p, ) xgrad::detail::every_axis{}, es);                    \
    }                                                                                                                                 \
    template <class E, class X, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS)>                         \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), X&& axes, EVS es = EVS()) {                         \
        return xgrad::detail::reducers::NAME(std::forward<E>(e), __VA_OPT__(p, ) axes, es);                                           \
    }                                                                                                                                 \
    template <class E, class I, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS>                                                 \
        requires xgrad::active<E>                                                                                                     \
    XGRAD_DETAIL_INLINE auto NAME(E&& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), const I (&axes)[N], EVS es = EVS()) {               \
        return xgrad::detail::reducers::NAME(std::forward<E>(e), __VA_OPT__(p, ) axes, es);                                           \
    }

// Over all elements, or along the axes that are given: one, a list or {i, j}, negative ones counted from the end. The axes go, or stay with one element where
// the options are xt::keep_dims; over everything the result is a number. Throws std::invalid_argument for an axis that x does not have or that is given twice;
// other options than keep_dims and an evaluation strategy are refused (E071).
//   sum prod       0 and 1 of no elements; prod divides by nothing, so zeros are right
//   mean           throws std::invalid_argument where there is no element
//   amax amin      equal extremes have equal shares of the derivative; throw std::invalid_argument where there is no element
XGRAD_DETAIL_REDUCER(sum, reduce_by<xgrad::op::sum>)
XGRAD_DETAIL_REDUCER(prod, reduce_by<xgrad::op::prod>)
XGRAD_DETAIL_REDUCER(amax, reduce_by<xgrad::op::amax>)
XGRAD_DETAIL_REDUCER(amin, reduce_by<xgrad::op::amin>)
XGRAD_DETAIL_MEAN(mean, reduce_by<xgrad::op::mean>)
// Norms of all elements, or along axes, as sum takes them, and with its errors. norm_l0 counts what is not 0, and has no derivative.
//   norm_l1 norm_sq norm_l2    Σ |x|, Σ |x|², its root; norm_l2 has the derivative 0 where all elements are 0
//   norm_linf                  max |x|, equal ones share; throws std::invalid_argument where there is no element
//   norm_lp_to_p norm_lp       Σ |x|^p, and its p-th root, whose derivative is 0 where all elements are 0; norm_lp throws std::invalid_argument for p = 0
XGRAD_DETAIL_NORM(norm_l0)
XGRAD_DETAIL_NORM(norm_l1)
XGRAD_DETAIL_NORM(norm_l2)
XGRAD_DETAIL_NORM(norm_sq)
XGRAD_DETAIL_NORM(norm_linf)
XGRAD_DETAIL_NORM(norm_lp_to_p, double)
XGRAD_DETAIL_NORM(norm_lp, double)
// norm_induced_l1(A), norm_induced_linf(A) of a matrix: its largest sum of |a(i, j)| in a column, or in a row; equal ones share. Refuses what is no matrix
// (E096), of dynamic rank by std::invalid_argument.
template <class E>
    requires xgrad::active<E>
auto norm_induced_l1(E&& e) { return xgrad::detail::reducers::norm_induced<0>(std::forward<E>(e)); }
template <class E>
    requires xgrad::active<E>
auto norm_induced_linf(E&& e) { return xgrad::detail::reducers::norm_induced<1>(std::forward<E>(e)); }
// nansum(x), nanmean(x) and their like, as sum takes axes and with its errors: a NaN is no element, and gets no derivative. Of nothing the sum is 0, the
// product 1, the mean NaN; where all are NaN, so are nanmax and nanmin.
XGRAD_DETAIL_REDUCER(nansum, nansum)
XGRAD_DETAIL_REDUCER(nanprod, nanprod)
XGRAD_DETAIL_REDUCER(nanmax, nanmax)
XGRAD_DETAIL_REDUCER(nanmin, nanmin)
XGRAD_DETAIL_MEAN(nanmean, nanmean)
// variance(x, ddof), variance(x, axes, ddof): the mean square about the mean, over n - ddof, ddof 0 where it is left out; stddev is its root, with derivative 0
// where it is 0. Axes, options and errors are those of sum; throws std::invalid_argument where there are no more than ddof elements, and refuses a number
// (E060).
#define XGRAD_DETAIL_SPREAD(NAME, HEAD, PARAMETERS, ...)                                                                              \
    template <class T = void, class E, XGRAD_DETAIL_INSIDE HEAD>                                                                      \
        requires xgrad::active<E>                                                                                                     \
    auto NAME(E&& e, XGRAD_DETAIL_INSIDE PARAMETERS) {                                                                                \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                     \
        return xgrad::detail::reducers::variance_like<xgrad::op::NAME>(std::forward<E>(e), __VA_ARGS__);                              \
    }
XGRAD_DETAIL_SPREAD(variance, (class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)), (EVS es = EVS()), 0, es)
XGRAD_DETAIL_SPREAD(variance, (class D, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>, xtl::is_integral<D>)),
                    (D const& ddof, EVS es = EVS()), ddof, es)
XGRAD_DETAIL_SPREAD(variance, (class X, class D, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS, xtl::is_integral<D>)),
                    (X&& axes, const D& ddof, EVS es = EVS()), axes, ddof, es)
XGRAD_DETAIL_SPREAD(variance,
                    (class X, class EVS = DEFAULT_STRATEGY_REDUCERS,
                     XTL_REQUIRES(XGRAD_DETAIL_NO_OPTIONS, xgrad::host_negation<xtl::is_integral<std::decay_t<X>>>, is_reducer_options<EVS>)),
                    (X&& axes, EVS es = EVS()), axes, es)
XGRAD_DETAIL_SPREAD(variance, (class A, std::size_t N, class EVS = DEFAULT_STRATEGY_REDUCERS, XTL_REQUIRES(is_reducer_options<EVS>)),
                    (const A (&axes)[N], EVS es = EVS()), axes, es)
XGRAD_DETAIL_SPREAD(variance, (class A, std::size_t N, class D, class EVS = DEFAULT_STRATEGY_REDUCERS), (const A (&axes)[N], D const& ddof, EVS es = EVS()),
                    axes, ddof, es)
XGRAD_DETAIL_MEAN(stddev, variance_like<xgrad::op::stddev>)
// stddev(x, axes, ddof), which xtensor does not have.
XGRAD_DETAIL_SPREAD(stddev, (class X, std::integral D, class EVS), (X const& axes, D ddof, EVS es), axes, ddof, es)
XGRAD_DETAIL_SPREAD(stddev, (class A, std::size_t N, std::integral D, class EVS), (const A (&axes)[N], D ddof, EVS es), axes, ddof, es)
#undef XGRAD_DETAIL_SPREAD
#undef XGRAD_DETAIL_NORM
#undef XGRAD_DETAIL_MEAN
#undef XGRAD_DETAIL_REDUCER
#undef XGRAD_DETAIL_REDUCTION_ALONG
#undef XGRAD_DETAIL_REDUCTION
#undef XGRAD_DETAIL_NO_OPTIONS
#undef XGRAD_DETAIL_INSIDE

}

namespace xgrad {

// log Σ exp(x) over all elements or along axes, as sum takes them and with its errors; the greatest element is taken away first, so that nothing overflows. Of
// -inf alone it is -inf, with derivative 0; infinities share equally. For plain arrays, too. Throws std::invalid_argument where there is no element.
template <class E, class Options = std::tuple<>>
    requires((active<E> || plain_array<E>) && detail::is_options<Options>)
auto logsumexp(E&& e, Options const& options = {}) { return detail::reduce_either(op::logsumexp{}, std::forward<E>(e), detail::every_axis{}, options); }
template <class E, class Axes, class Options = std::tuple<>>
    requires((active<E> || plain_array<E>) && !detail::is_options<Axes>)
auto logsumexp(E&& e, Axes const& axes, Options const& options = {}) { return detail::reduce_either(op::logsumexp{}, std::forward<E>(e), axes, options); }
template <class E, class I, std::size_t N, class Options = std::tuple<>>
    requires(active<E> || plain_array<E>)
auto logsumexp(E&& e, I const (&axes)[N], Options const& options = {}) { return detail::reduce_either(op::logsumexp{}, std::forward<E>(e), axes, options); }

// Where two of xtensor's are equally good (an axis that has a name) this is better than both.
XGRAD_DETAIL_ACTIVE_TEMPLATE((class I, std::size_t N, class... O), variance, (I const (&axes)[N], std::tuple<O...> const& options),
                             detail::reducers::variance_like<op::variance>(XGRAD_DETAIL_E, axes, options))

}

namespace xt {
using xgrad::variance;
}
namespace xgrad {
using xt::amax, xt::amin, xt::mean, xt::nanmax, xt::nanmean, xt::nanmin, xt::nanprod, xt::nansum, xt::norm_induced_l1,
    xt::norm_induced_linf, xt::norm_l0, xt::norm_l1, xt::norm_l2, xt::norm_linf, xt::norm_lp, xt::norm_lp_to_p,
    xt::norm_sq, xt::prod, xt::stddev, xt::sum, xt::variance;
}
