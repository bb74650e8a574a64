// Defines for plain arrays what xtensor has in a header of its own, or not at all: one name serves in a differentiated function and outside.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/algebra.hpp>
#include <xgrad/axes.hpp>
#include <xgrad/choice.hpp>
#include <xgrad/compare.hpp>
#include <xgrad/complex.hpp>
#include <xgrad/cumulative.hpp>
#include <xgrad/index.hpp>
#include <xgrad/order.hpp>
#include <xgrad/rearrange.hpp>
#include <xgrad/reductions.hpp>
#include <xgrad/reshape.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/sequence.hpp>
#include <xgrad/stop_gradient.hpp>

namespace xgrad {

namespace detail {
// Arrays of whole numbers are xtensor's own business.
template <class E>
concept plain_reals = plain_array<E> && !std::is_integral_v<typename std::remove_cvref_t<E>::value_type>;
template <class... E>
concept plain_numbers = (std::is_arithmetic_v<std::remove_cvref_t<E>> && ...);
}

// Of plain arrays each gives what it is inside of a function that is differentiated, as a plain array of its own, or a number; with the same errors.
#define XGRAD_DETAIL_PLAIN_FORM(TEMPLATE, NAME, PARAMETERS, ARGUMENTS)                                                                 \
    template <XGRAD_DETAIL_WITH TEMPLATE detail::plain_reals E>                                                                       \
    auto NAME(E&& e XGRAD_DETAIL_MORE PARAMETERS) {                                                                                   \
        return detail::algebra([&](auto&& a) { return NAME(std::forward<decltype(a)>(a) XGRAD_DETAIL_MORE ARGUMENTS); }, std::forward<E>(e)); \
    }
// Norms and their like, over all elements or along axes: lists in braces have a form of their own. By reference to what is const, so that those of
// <xtensor/xnorm.hpp>, where they are there, take what is not, and no call has two meanings.
#define XGRAD_DETAIL_PLAIN_NORM(NAME, ...)                                                                                             \
    template <detail::plain_reals E, class... P>                                                                                      \
        requires((!active<P> && ...))                                                                                                 \
    auto NAME(E const& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), P&&... more) {                                                      \
        return detail::algebra([&](auto&& a) { return NAME(std::forward<decltype(a)>(a), __VA_OPT__(p, ) std::forward<P>(more)...); }, e); \
    }                                                                                                                                 \
    template <detail::plain_reals E, class I, std::size_t N, class... O>                                                              \
    auto NAME(E const& e __VA_OPT__(, ) __VA_ARGS__ __VA_OPT__(p), I const (&axes)[N], O const&... options) {                          \
        return detail::algebra([&](auto&& a) { return NAME(std::forward<decltype(a)>(a), __VA_OPT__(p, ) axes, options...); }, e);      \
    }
XGRAD_DETAIL_PLAIN_NORM(norm_l0)
XGRAD_DETAIL_PLAIN_NORM(norm_l1)
XGRAD_DETAIL_PLAIN_NORM(norm_l2)
XGRAD_DETAIL_PLAIN_NORM(norm_sq)
XGRAD_DETAIL_PLAIN_NORM(norm_linf)
XGRAD_DETAIL_PLAIN_NORM(norm_lp_to_p, double)
XGRAD_DETAIL_PLAIN_NORM(norm_lp, double)
#undef XGRAD_DETAIL_PLAIN_NORM
template <detail::plain_reals E>
auto norm_induced_l1(E const& e) { return detail::algebra([](auto&& a) { return norm_induced_l1(std::forward<decltype(a)>(a)); }, e); }
template <detail::plain_reals E>
auto norm_induced_linf(E const& e) { return detail::algebra([](auto&& a) { return norm_induced_linf(std::forward<decltype(a)>(a)); }, e); }

// By order, and places of elements.
XGRAD_DETAIL_PLAIN_FORM((), sort, (std::ptrdiff_t axis = -1), (axis))
XGRAD_DETAIL_PLAIN_FORM((), sort, (xt::placeholders::xtuph all), (all))
XGRAD_DETAIL_PLAIN_FORM((), partition, (auto const& places, std::ptrdiff_t axis = -1), (places, axis))
XGRAD_DETAIL_PLAIN_FORM((class I, std::size_t N), partition, (I const (&places)[N], std::ptrdiff_t axis = -1), (places, axis))
XGRAD_DETAIL_PLAIN_FORM((), median, (), ())
XGRAD_DETAIL_PLAIN_FORM((), median, (std::ptrdiff_t axis), (axis))
XGRAD_DETAIL_PLAIN_FORM((std::convertible_to<double> Q), quantile, (Q q), (q))
XGRAD_DETAIL_PLAIN_FORM((std::convertible_to<double> Q), quantile, (Q q, std::ptrdiff_t axis), (q, axis))
XGRAD_DETAIL_PLAIN_FORM((class I, std::size_t N), quantile, (I const (&q)[N]), (q))
XGRAD_DETAIL_PLAIN_FORM((class I, std::size_t N), quantile, (I const (&q)[N], std::ptrdiff_t axis), (q, axis))
XGRAD_DETAIL_PLAIN_FORM((), unique, (), ())
XGRAD_DETAIL_PLAIN_FORM((), argsort, (std::ptrdiff_t axis = -1), (axis))
XGRAD_DETAIL_PLAIN_FORM((), argsort, (xt::placeholders::xtuph all), (all))
XGRAD_DETAIL_PLAIN_FORM((), argpartition, (auto const& places, std::ptrdiff_t axis = -1), (places, axis))
XGRAD_DETAIL_PLAIN_FORM((), argmax, (), ())
XGRAD_DETAIL_PLAIN_FORM((), argmax, (std::ptrdiff_t axis), (axis))
XGRAD_DETAIL_PLAIN_FORM((), argmin, (), ())
XGRAD_DETAIL_PLAIN_FORM((), argmin, (std::ptrdiff_t axis), (axis))
// Shapes and indices.
XGRAD_DETAIL_PLAIN_FORM((), reshape, (auto const& shape), (shape))
XGRAD_DETAIL_PLAIN_FORM((class I, std::size_t N), reshape, (I const (&shape)[N]), (shape))
XGRAD_DETAIL_PLAIN_FORM((), swapaxes, (std::ptrdiff_t a_axis, std::ptrdiff_t b_axis), (a_axis, b_axis))
XGRAD_DETAIL_PLAIN_FORM((), moveaxis, (std::ptrdiff_t from, std::ptrdiff_t to), (from, to))
XGRAD_DETAIL_PLAIN_FORM((), trim_zeros, (std::string const& direction = "fb"), (direction))
XGRAD_DETAIL_PLAIN_FORM((detail::list_of_indices I), take, (I const& indices), (indices))
XGRAD_DETAIL_PLAIN_FORM((detail::list_of_indices I), take, (I const& indices, std::ptrdiff_t axis), (indices, axis))
XGRAD_DETAIL_PLAIN_FORM((), take, (std::initializer_list<std::ptrdiff_t> indices), (indices))
XGRAD_DETAIL_PLAIN_FORM((), take, (std::initializer_list<std::ptrdiff_t> indices, std::ptrdiff_t axis), (indices, axis))
#undef XGRAD_DETAIL_PLAIN_FORM
// Behind xtensor's own, or equal to them token by token, where their headers are included.
template <class E, std::size_t L>
    requires detail::plain_reals<E>
auto index_view(E&& e, const xt::xindex (&indices)[L]) {
    return detail::algebra([&](auto&& a) { return index_view(std::forward<decltype(a)>(a), indices); }, std::forward<E>(e));
}
#define XGRAD_DETAIL_PLAIN_REPEAT(...)                                                                                                \
    template <class E>                                                                                                                \
        requires detail::plain_reals<E>                                                                                               \
    auto repeat(E&& e, __VA_ARGS__ repeats, std::size_t axis) {                                                                       \
        return detail::algebra([&](auto&& a) { return repeat(std::forward<decltype(a)>(a), repeats, axis); }, std::forward<E>(e));     \
    }
XGRAD_DETAIL_PLAIN_REPEAT(std::size_t)
XGRAD_DETAIL_PLAIN_REPEAT(std::vector<std::size_t> const&)
XGRAD_DETAIL_PLAIN_REPEAT(std::vector<std::size_t>&&)
#undef XGRAD_DETAIL_PLAIN_REPEAT
template <detail::plain_reals E, class... I>
    requires(sizeof...(I) == 1 && (!active<I> && ...))
auto index_view(E&& e, I&&... indices) {
    return detail::algebra([&](auto&& a) { return index_view(std::forward<decltype(a)>(a), std::forward<I>(indices)...); }, std::forward<E>(e));
}
template <detail::plain_reals E, plain_array... C>
    requires(sizeof...(C) == 1)
auto filter(E&& e, C const&... condition) {
    return detail::algebra([&](auto&& a) { return filter(std::forward<decltype(a)>(a), condition...); }, std::forward<E>(e));
}
template <detail::plain_reals E, detail::list_of_indices I, detail::plain_reals V>
auto scatter_add(E&& e, I const& indices, V&& values, std::ptrdiff_t axis = 0) {
    return detail::algebra([&](auto&& a, auto&& v) { return scatter_add(std::forward<decltype(a)>(a), indices, std::forward<decltype(v)>(v), axis); },
                           std::forward<E>(e), std::forward<V>(values));
}
template <detail::plain_reals E, detail::plain_reals V>
auto scatter_add(E&& e, std::initializer_list<std::ptrdiff_t> indices, V&& values, std::ptrdiff_t axis = 0) {
    return scatter_add(std::forward<E>(e), std::vector<std::ptrdiff_t>(indices), std::forward<V>(values), axis);
}
// stack(v) of a std::vector or the like of plain numbers, and stack(xt::xtuple(a, b, ...)) of plain numbers: a line.
template <class V>
    requires(!active<V> && !plain_array<V> && requires(V const& v) {
        std::size(v);
        requires std::floating_point<std::remove_cvref_t<decltype(*std::begin(v))>>;
    })
auto stack(V const& v) {
    xt::xtensor<std::remove_cvref_t<decltype(*std::begin(v))>, 1> y(std::array<std::size_t, 1>{std::size(v)});
    std::copy(std::begin(v), std::end(v), y.begin());
    return y;
}

template <class... E>
    requires(detail::plain_numbers<E...> && sizeof...(E) != 0)
auto stack(std::tuple<E...>&& t, std::size_t = 0) {
    using T = std::common_type_t<float, std::remove_cvref_t<E>...>;
    return detail::call_with([](auto const&... e) { return xt::xtensor<T, 1>{static_cast<T>(e)...}; }, t);
}

// Lines below each other: xtensor's own refuses those of a static number of dimensions.
template <class... E>
    requires((plain_array<E> && ...) && ((rank_of<E> == 1) && ...))
auto vstack(std::tuple<E...>&& t) { return xt::stack(std::move(t)); }

// where and clip of plain numbers, of their common type.
template <class A, class B>
    requires((std::floating_point<A> && std::is_arithmetic_v<B>) || (detail::is_complex_number<A> && std::convertible_to<B, A>))
constexpr auto where(bool condition, A a, B b) {
    using T = std::common_type_t<A, B>;
    return condition ? static_cast<T>(a) : static_cast<T>(b);
}
template <class X, class L, class H>
    requires detail::plain_numbers<X, L, H>
constexpr auto clip(X x, L low, H high) {
    using T = std::common_type_t<X, L, H>;
    T const most = static_cast<T>(x) < static_cast<T>(low) ? static_cast<T>(low) : static_cast<T>(x);
    return static_cast<T>(high) < most ? static_cast<T>(high) : most;
}
// Of one number a sum, a mean or an extreme is that number, and a norm its absolute value.
#define XGRAD_DETAIL_PLAIN_NUMBER(T)                                                                     \
    constexpr T sum(T x) { return x; }                                                                   \
    constexpr T prod(T x) { return x; }                                                                  \
    constexpr T mean(T x) { return x; }                                                                  \
    constexpr T average(T x) { return x; }                                                               \
    constexpr T squeeze(T x) { return x; }
#define XGRAD_DETAIL_PLAIN_REAL(T)                                                                       \
    XGRAD_DETAIL_PLAIN_NUMBER(T)                                                                         \
    constexpr T amax(T x) { return x; }                                                                  \
    constexpr T amin(T x) { return x; }                                                                  \
    constexpr T logsumexp(T x) { return x; }                                                             \
    constexpr T nansum(T x) { return x == x ? x : T(0); }                                                \
    constexpr T nanprod(T x) { return x == x ? x : T(1); }                                               \
    constexpr T nanmean(T x) { return x; }                                                               \
    constexpr T nanmax(T x) { return x; }                                                                \
    constexpr T nanmin(T x) { return x; }
XGRAD_DETAIL_PLAIN_REAL(float)
XGRAD_DETAIL_PLAIN_REAL(double)
XGRAD_DETAIL_PLAIN_NUMBER(std::complex<float>)
XGRAD_DETAIL_PLAIN_NUMBER(std::complex<double>)
#undef XGRAD_DETAIL_PLAIN_REAL
#undef XGRAD_DETAIL_PLAIN_NUMBER
// Templates, as <xtensor/xnorm.hpp> has functions of numbers with these names in xtensor's namespace, into which these come, too.
namespace detail {
template <class T>
concept number_with_norm = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
}
template <detail::number_with_norm T>
auto norm_l1(T x) { return std::abs(x); }
template <detail::number_with_norm T>
auto norm_l2(T x) { return std::abs(x); }
template <detail::number_with_norm T>
auto norm_linf(T x) { return std::abs(x); }
template <detail::number_with_norm T>
constexpr auto norm_sq(T x) {
    if constexpr (std::floating_point<T>) return x * x;
    else return x.real() * x.real() + x.imag() * x.imag();
}
template <detail::number_with_norm T>
auto norm_lp(T x, double p) { return detail::reducers::require_root(p), std::abs(x); }
template <detail::number_with_norm T>
auto norm_lp_to_p(T x, double p) { return static_cast<decltype(std::abs(x))>(std::pow(std::abs(x), p)); }
template <std::floating_point T>
    requires detail::number_with_norm<T>
constexpr T norm_l0(T x) { return T(x != 0); }

// Comparisons of plain numbers give a bool, of plain arrays what xtensor gives.
using xt::allclose, xt::equal, xt::greater, xt::greater_equal, xt::isclose, xt::isfinite, xt::isinf, xt::isnan, xt::less, xt::less_equal, xt::not_equal;
#define XGRAD_DETAIL_PLAIN_COMPARISON(SYMBOL, NAME) \
    template <class E1, class E2> \
        requires detail::plain_numbers<E1, E2> \
    constexpr bool NAME(E1&& e1, E2&& e2) { return e1 SYMBOL e2; }
XGRAD_DETAIL_PLAIN_COMPARISON(==, equal)
XGRAD_DETAIL_PLAIN_COMPARISON(!=, not_equal)
XGRAD_DETAIL_PLAIN_COMPARISON(<, less)
XGRAD_DETAIL_PLAIN_COMPARISON(<=, less_equal)
XGRAD_DETAIL_PLAIN_COMPARISON(>, greater)
XGRAD_DETAIL_PLAIN_COMPARISON(>=, greater_equal)
#undef XGRAD_DETAIL_PLAIN_COMPARISON
template <class E1, class E2>
    requires detail::plain_numbers<E1, E2>
bool isclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) {
    return detail::are_close(e1, e2, rtol, atol, equal_nan);
}
template <class E1, class E2>
    requires detail::plain_numbers<E1, E2>
bool allclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08) { return detail::are_close(e1, e2, rtol, atol, false); }
template <class E>
    requires detail::plain_numbers<E>
bool isnan(E&& e) { return std::isnan(e); }
template <class E>
    requires detail::plain_numbers<E>
bool isinf(E&& e) { return std::isinf(e); }
template <class E>
    requires detail::plain_numbers<E>
bool isfinite(E&& e) { return std::isfinite(e); }

// The conjugate and the angle of plain complex numbers, element by element.
template <class... E>
    requires(sizeof...(E) == 1 && detail::all_plain<E...>)
auto conj(E&&... z) { return elementwise<op::conj>(std::forward<E>(z)...); }
template <class... E>
    requires(sizeof...(E) == 1 && detail::all_plain<E...>)
auto arg(E&&... z) { return elementwise<op::arg>(std::forward<E>(z)...); }

}

// Names that xtensor does not have are found without a prefix on its arrays, too.
namespace xt {
using xgrad::copysign, xgrad::cummax, xgrad::cummin, xgrad::digamma, xgrad::gelu, xgrad::log1m_exp, xgrad::log1p_exp, xgrad::log_softmax, xgrad::logaddexp,
    xgrad::logcumsumexp, xgrad::logsumexp, xgrad::median, xgrad::moveaxis, xgrad::norm_l0, xgrad::norm_l1, xgrad::norm_l2, xgrad::norm_linf, xgrad::norm_lp,
    xgrad::norm_lp_to_p, xgrad::norm_sq, xgrad::normal_cdf, xgrad::normal_log_cdf, xgrad::polygamma, xgrad::primal, xgrad::quantile, xgrad::relu,
    xgrad::reshape, xgrad::scatter_add, xgrad::select, xgrad::sigmoid, xgrad::silu, xgrad::sinc, xgrad::softmax, xgrad::softplus, xgrad::stop_gradient,
    xgrad::swapaxes, xgrad::take, xgrad::xlogy;
using xgrad::spelling_of_arrays::clamp, xgrad::spelling_of_arrays::max, xgrad::spelling_of_arrays::min;
}
