// Defines the reductions of active values: sums, means, products, extremes, norms, variances; over all elements, or along axes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <concepts>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/reduce_with.hpp>

namespace xgrad {

namespace detail {

// Whether a reduction of E may be told to give a T: void, which says nothing, or the type of E's elements.
template <class T, class E>
inline constexpr bool gives =
    std::is_same_v<T, typename std::remove_cvref_t<E>::value_type> || std::is_same_v<T, scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
template <class E>
inline constexpr bool gives<void, E> = true;

// Beside detail's types, in a namespace of their own: those of duals are among them, and a call without a prefix would find these, too.
namespace reducers {

template <class Op, class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto reduce_by(E&& e, Axes const& axes, Options const& options) { return make_reduction(Op{}, std::forward<E>(e), axes, options); }

// Σ|x|^p and what is made of it, in one pass.
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l0(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::is_not_zero>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l1(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::abs>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_sq(E&& e, Axes const& axes, Options const& options) {
    using square = std::conditional_t<is_complex_number<typename std::remove_cvref_t<E>::value_type>, op::squared_magnitude, op::square>;
    return make_reduction(op::sum{}, elementwise<square>(std::forward<E>(e)), axes, options);
}
// A power of two c such that |c x|^p neither overflows nor is lost; 1 wherever |x|^p is safe.
template <class E>
auto scale_of_power(E const& x, double p) {
    using T = real_type_t<scalar_of_t<typename E::value_type>>;
    T most = 0;
    for (auto const& v : primal(x)) most = std::max(most, static_cast<T>(std::abs(v)));
    if (!(most > 0) || most > std::numeric_limits<T>::max()) return T(1);
    bool const is_safe = std::abs(std::log2(static_cast<double>(most)) * p) < std::numeric_limits<T>::max_exponent - 2 * std::numeric_limits<T>::digits;
    return is_safe ? T(1) : std::ldexp(T(1), -std::ilogb(most));
}
// root(x c) / c
template <class E, class Root>
auto scaled_root(E&& e, double p, Root root) {
    auto const& x = keep_alive(std::forward<E>(e));
    auto const c = scale_of_power(x, p);
    return root(x * c) / c;
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_l2(E&& e, Axes const& axes, Options const& options) {
    using X = std::remove_cvref_t<E>;
    if constexpr (X::rank == 0) return elementwise<op::abs>(std::forward<E>(e));
    else if constexpr (is_complex_number<typename X::value_type>)
        return scaled_root(std::forward<E>(e), 2.0, [&](auto&& x) {
            return elementwise<op::length>(reducers::norm_sq(std::forward<decltype(x)>(x), axes, options));
        });
    else return make_reduction(op::norm_l2{}, std::forward<E>(e), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_linf(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::amax{}, elementwise<op::abs>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_lp_to_p(E&& e, double p, Axes const& axes, Options const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
    auto powers = [&]<class X>(X&& x) {
        return make_reduction(op::sum{}, elementwise<op::absolute_power>(std::forward<X>(x), static_cast<T>(p)), axes, options);
    };
    if constexpr (is_complex_number<typename std::remove_cvref_t<E>::value_type>) return powers(elementwise<op::abs>(std::forward<E>(e)));
    else return powers(std::forward<E>(e));
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_lp(E&& e, double p, Axes const& axes, Options const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
    if (p == 0) throw std::invalid_argument("xgrad[E207]: norm_lp(x, p) requires a p that is not 0, found 0: take norm_l0(x)");
    if constexpr (std::remove_cvref_t<E>::rank == 0) return elementwise<op::abs>(std::forward<E>(e));
    else return scaled_root(std::forward<E>(e), p, [&](auto&& x) {
        return elementwise<op::absolute_power>(reducers::norm_lp_to_p(std::forward<decltype(x)>(x), p, axes, options), static_cast<T>(1 / p));
    });
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nansum(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::sum{}, elementwise<op::zero_for_nan>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nanmean(E&& e, Axes const& axes, Options const& options) {
    auto const& x = keep_alive(std::forward<E>(e));
    return reducers::nansum(x, axes, options) / make_reduction(op::sum{}, elementwise<op::is_number>(x), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nanprod(E&& e, Axes const& axes, Options const& options) {
    return make_reduction(op::prod{}, elementwise<op::one_for_nan>(std::forward<E>(e)), axes, options);
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nanmax(E&& e, Axes const& axes, Options const& options) {
    auto const& x = keep_alive(std::forward<E>(e));
    return make_reduction(op::amax{}, elementwise<op::least_for_nan>(x), axes, options) +
           elementwise<op::nan_for_none>(make_reduction(op::sum{}, elementwise<op::is_number>(x), axes, options));
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto nanmin(E&& e, Axes const& axes, Options const& options) {
    return -reducers::nanmax(-std::forward<E>(e), axes, options);
}

// The largest sum of |a(i, j)| over i, or over j.
template <std::ptrdiff_t Axis, class E>
auto norm_induced(E&& e) {
    constexpr int R = std::remove_cvref_t<E>::rank;
    static_assert(R == 2 || R == dynamic_rank,
                  "xgrad[E096]: trace(A), kron(a, b) and matrix norms require matrices (2 dimensions), but an operand has others: reshape it, or take a view "
                  "of one matrix");
    if (auto const s = e.extent(); s.rank() != 2)
        throw std::invalid_argument("xgrad[E203]: norm_induced_l1(A) and norm_induced_linf(A) require a matrix, found " + to_string(s) +
                                    ": take norm_l1(x) or norm_linf(x)");
    return make_reduction(op::amax{}, reducers::norm_l1(std::forward<E>(e), std::array{Axis}, std::tuple<>{}), every_axis{}, std::tuple<>{});
}

// variance and stddev: about the mean, over n - ddof. What follows the array may be axes, ddof, both, and options.
template <class Op, class E, class Axes, std::integral D, class Options>
XGRAD_DETAIL_INLINE auto variance_like(E&& e, Axes const& axes, D ddof, Options const& options) {
    return make_reduction(Op{static_cast<std::size_t>(ddof)}, std::forward<E>(e), axes, options);
}
template <class Op, class E, class A, class B>
XGRAD_DETAIL_INLINE auto variance_like(E&& e, A const& axes_or_ddof, B const& ddof_or_options) {
    if constexpr (std::integral<A>) return variance_like<Op>(std::forward<E>(e), every_axis{}, axes_or_ddof, ddof_or_options);
    else if constexpr (std::integral<B>) return variance_like<Op>(std::forward<E>(e), axes_or_ddof, ddof_or_options, std::tuple<>{});
    else return variance_like<Op>(std::forward<E>(e), axes_or_ddof, 0, ddof_or_options);
}

}

}

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
