// Defines primal(x), the plain value of an active one, and what asks about values and has no derivative: comparisons, isnan, isclose and their like.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/ask.hpp>
#include <xgrad/elementwise.hpp>
#include <xgrad/lazy_truth.hpp>
#include <xgrad/scope/call/variable.hpp>
#include <xgrad/truth_array.hpp>

namespace xgrad {

namespace detail {

template <class E>
auto array_primal(E const& e) {
    if constexpr (is_formula<E>) {
        e.materialise();
        return primal_copy(e.source());
    } else return primal_copy(e.share().source());
}

}

// The plain value: a number, an xt::xtensor or an xt::xarray of its own. A plain x is returned as it is.
template <class E>
decltype(auto) primal(E const& e) {
    if constexpr (!active<E>) return (e);
    else if constexpr (E::rank == 0) return detail::only_number(detail::scalar_primal(e));
    else return detail::array_primal(e);
}

namespace detail {

// f of two: of arrays in a call it is an operation, which a choice takes as it is.
template <class E1, class E2>
constexpr bool compares_reals() {
    if constexpr (is_scalar_operand<E1> && is_scalar_operand<E2>) return false;
    else return std::is_arithmetic_v<scalar_of_t<element_type_t<E1>>> && std::is_arithmetic_v<scalar_of_t<element_type_t<E2>>>;
}
template <class Op, class F, class E1, class E2>
auto compare(F const& f, E1&& e1, E2&& e2) {
    if constexpr (compares_reals<E1, E2>()) {
        using formula_type = decltype(make_formula<Op>(std::forward<E1>(e1), std::forward<E2>(e2)));
        if constexpr (compares_later<formula_type>) return compare_later(make_formula<Op>(std::forward<E1>(e1), std::forward<E2>(e2)));
        else return ask(Op::name, f, e1, e2);
    } else return ask(Op::name, f, e1, e2);
}

// What comparisons of arrays give, and what may be joined with it.
template <class C>
concept truth = requires { typename std::remove_cvref_t<C>::truth_tag; };
template <class C>
inline constexpr bool may_be_joined = std::is_same_v<std::remove_cvref_t<C>, bool>;
template <plain_array C>
inline constexpr bool may_be_joined<C> = std::is_same_v<typename std::remove_cvref_t<C>::value_type, bool>;
template <class A, class B>
concept truths = (truth<A> || truth<B>) && may_be_joined<A> && may_be_joined<B>;

// What Op joins of them, which refers to none of them. Those that somebody has written to are asked as they are.
template <class Op, class F, class... C>
auto join_truths(F const& f, C&&... c) {
    if constexpr ((lazy_truth<C> && ...)) {
        if ((is_as_compared(c) && ...)) return compare_later(make_formula<Op>(compared(std::forward<C>(c))...));
        auto const now = ask(Op::name, f, std::as_const(c)...);
        decltype(compare_later(make_formula<Op>(compared(std::forward<C>(c))...))) y;
        y = now;
        return y;
    } else return ask(Op::name, f, std::as_const(c)...);
}
#define XGRAD_DETAIL_JOIN(SYMBOL, OP)                                                                                              \
    template <class A, class B>                                                                                                    \
        requires truths<A, B>                                                                                                      \
    auto operator SYMBOL(A&& a, B&& b) {                                                                                           \
        return join_truths<op::OP>([](bool v, bool w) { return static_cast<bool>(v SYMBOL w); }, std::forward<A>(a), std::forward<B>(b)); \
    }
XGRAD_DETAIL_JOIN(&&, logical_and)
XGRAD_DETAIL_JOIN(||, logical_or)
XGRAD_DETAIL_JOIN(&, logical_and)
XGRAD_DETAIL_JOIN(|, logical_or)
#undef XGRAD_DETAIL_JOIN
template <truth A>
auto operator!(A&& a) {
    return join_truths<op::logical_not>([](bool v) { return !v; }, std::forward<A>(a));
}

}

// Of numbers a comparison is a bool; of arrays a plain array of bool of the shape that they broadcast to: where(x > 0.0, a, b). Throws
// std::invalid_argument where the shapes do not broadcast.
#define XGRAD_DETAIL_COMPARISON(SYMBOL, NAME)                                                                         \
    template <class E1, class E2>                                                                                     \
        requires active_pair<E1, E2>                                                                                  \
    auto operator SYMBOL(E1&& e1, E2&& e2) {                                                                          \
        return detail::compare<op::NAME>([](auto const& a, auto const& b) { return a SYMBOL b; }, std::forward<E1>(e1), std::forward<E2>(e2)); \
    }                                                                                                                 \
    template <class E1, class E2>                                                                                     \
        requires active_pair<E1, E2>                                                                                  \
    auto NAME(E1&& e1, E2&& e2) { return std::forward<E1>(e1) SYMBOL std::forward<E2>(e2); }
XGRAD_DETAIL_COMPARISON(<, less)
XGRAD_DETAIL_COMPARISON(<=, less_equal)
XGRAD_DETAIL_COMPARISON(>, greater)
XGRAD_DETAIL_COMPARISON(>=, greater_equal)
#undef XGRAD_DETAIL_COMPARISON

// The same element by element, with the same errors; a == b and a != b compare arrays as a whole.
template <class E1, class E2>
    requires active_pair<E1, E2>
auto equal(E1&& e1, E2&& e2) {
    return detail::compare<op::equal>([](auto const& a, auto const& b) { return a == b; }, std::forward<E1>(e1), std::forward<E2>(e2));
}
template <class E1, class E2>
    requires active_pair<E1, E2>
auto not_equal(E1&& e1, E2&& e2) {
    return detail::compare<op::not_equal>([](auto const& a, auto const& b) { return !(a == b); }, std::forward<E1>(e1), std::forward<E2>(e2));
}

// Of whole arrays, as in xtensor: true where they have one shape and the same elements; of numbers where they are equal. A number beside an array is refused
// (E027).
template <class E1, class E2>
    requires active_pair<E1, E2>
bool operator==(E1&& e1, E2&& e2) {
    using A = std::remove_cvref_t<E1>;
    using B = std::remove_cvref_t<E2>;
    if constexpr (detail::is_scalar_operand<A> && detail::is_scalar_operand<B>) return detail::decide(detail::scalar_primal(e1) == detail::scalar_primal(e2));
    else if constexpr (detail::is_scalar_operand<A> || detail::is_scalar_operand<B>) {
        static_assert(
            detail::never<E1>,
            "xgrad[E027]: x == y and x != y require two numbers or two arrays, which they compare as a whole, but one is a number and one an array: write "
            "equal(x, y) or not_equal(x, y)");
        return false;
    } else {
        auto const a = detail::read_elements(e1);
        auto const b = detail::read_elements(e2);
        auto const x = detail::in_memory(a);
        auto const y = detail::in_memory(b);
        if (!std::ranges::equal(x.shape, y.shape)) return false;
        auto const same = detail::ask("a == b", [](auto const& v, auto const& w) { return v == w; }, e1, e2);
        return std::ranges::all_of(same.data(), same.data() + same.size(), [](bool s) { return s; });
    }
}
template <class E1, class E2>
    requires active_pair<E1, E2>
bool operator!=(E1&& e1, E2&& e2) { return !(e1 == e2); }

namespace detail {
// One atomic constraint: a <=> b that were more constrained than a < b would be what a < b means.
template <class E1, class E2>
constexpr bool have_order() {
    if constexpr (active_pair<E1, E2>) return is_scalar_operand<std::remove_cvref_t<E1>> && is_scalar_operand<std::remove_cvref_t<E2>>;
    else return false;
}
}
// Of numbers, as C++ has it; a NaN is unordered. Arrays have no order.
template <class E1, class E2>
    requires(detail::have_order<E1, E2>())
std::partial_ordering operator<=>(E1&& e1, E2&& e2) {
    if (e1 < e2) return std::partial_ordering::less;
    if (e1 > e2) return std::partial_ordering::greater;
    return e1 == e2 ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

// Whether a number is finite, infinite, NaN: a bool; of an array a plain array of bool of its shape.
#define XGRAD_DETAIL_CLASSIFICATION(NAME)                                                                             \
    template <class E>                                                                                                \
        requires active<E>                                                                                            \
    auto NAME(E&& e) {                                                                                                \
        return detail::ask(#NAME "(x)", detail::of_each_lane{[](auto const& x) { return std::NAME(x); }}, e);         \
    }                                                                                                                 \
    template <class E>                                                                                                \
        requires number_dual<E>                                                                                       \
    auto NAME(E const& x) {                                                                                           \
        using std::NAME;                                                                                              \
        return NAME(detail::innermost_primal(x));                                                                               \
    }
XGRAD_DETAIL_CLASSIFICATION(isfinite)
XGRAD_DETAIL_CLASSIFICATION(isinf)
XGRAD_DETAIL_CLASSIFICATION(isnan)
#undef XGRAD_DETAIL_CLASSIFICATION

namespace detail {
inline bool are_close(double a, double b, double rtol, double atol, bool equal_nan) {
    if (std::isnan(a) && std::isnan(b)) return equal_nan;
    if (std::isinf(a) && std::isinf(b)) return a == b;
    double const d = std::abs(a - b);
    return d <= atol || d <= rtol * std::max(std::abs(a), std::abs(b));
}
}
// |a - b| <= atol or <= rtol max(|a|, |b|), as xtensor has it; infinities are close where they are equal, and two NaN where the last argument says so.
// Of numbers a bool, of arrays a plain array of bool; allclose says whether all are. Throws std::invalid_argument where the shapes do not broadcast.
template <class E1, class E2>
    requires active_pair<E1, E2>
auto isclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) {
    auto const close = [=](auto const& a, auto const& b) { return detail::are_close(static_cast<double>(a), static_cast<double>(b), rtol, atol, equal_nan); };
    return detail::ask("isclose(a, b)", detail::of_each_lane{close}, e1, e2);
}
template <class E1, class E2>
    requires active_pair<E1, E2>
bool allclose(E1&& e1, E2&& e2, double rtol = 1e-05, double atol = 1e-08) {
    auto const close = isclose(e1, e2, rtol, atol);
    if constexpr (std::is_same_v<decltype(close), bool const>) return close;
    else return std::ranges::all_of(close.data(), close.data() + close.size(), [](bool c) { return c; });
}

}

namespace xt {
using xgrad::allclose, xgrad::equal, xgrad::greater, xgrad::greater_equal, xgrad::isclose, xgrad::isfinite, xgrad::isinf, xgrad::isnan, xgrad::less,
    xgrad::less_equal, xgrad::not_equal;
}
