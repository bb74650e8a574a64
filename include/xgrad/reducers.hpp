// Defines how the reductions of active values are made, over all elements or along axes: detail::reducers::norm_l2 and the like.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/elementwise.hpp>
#include <xgrad/reduce_with.hpp>
#include <xgrad/scope/call/keep_alive.hpp>

namespace xgrad {

// Beside detail's types, in a namespace of their own: those of duals are among them, and a call without a prefix would find these, too.
namespace detail::reducers {

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
inline void require_root(double p) {
    if (p == 0) throw std::invalid_argument("xgrad[E207]: norm_lp(x, p) requires a p that is not 0, found 0: take norm_l0(x)");
}
template <class E, class Axes, class Options>
XGRAD_DETAIL_INLINE auto norm_lp(E&& e, double p, Axes const& axes, Options const& options) {
    using T = real_type_t<scalar_of_t<typename std::remove_cvref_t<E>::value_type>>;
    require_root(p);
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
