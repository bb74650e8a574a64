// Defines check_finite_value and check_finite_cotangent: where XGRAD_CHECK_FINITE is defined, for the whole program, each value in a slot and each cotangent
// that settles is looked at while check_finite runs, and the first that is not finite is said to be so. Where it is not defined there is nothing of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <xgrad/rule/array_ref.hpp>
#include <xgrad/tangent/dual_arithmetic.hpp>
#include <xgrad/tangent/type_name.hpp>

namespace xgrad {

#ifdef XGRAD_CHECK_FINITE
inline constexpr bool checks_finite = true;
#else
inline constexpr bool checks_finite = false;
#endif

template <class Op, class... A>
struct node;
template <class Op, class... A>
class formula;
template <class N>
class nested;

namespace detail {

// Where check_finite wants to read what is found on the way back, which cannot throw; while it is there, the forward pass throws.
inline thread_local std::string* finite_report = nullptr;

// "nan at (1, 0) of an array of shape (2, 3)", or "inf" of a number, or nothing where all are finite: element(i) in row-major order.
template <class F, int R>
std::string find_infinite(F const& element, extents<R> const& shape) {
    std::size_t const n = element_count(shape);
    for (std::size_t i = 0; i < n; ++i) {
        long double const v = static_cast<long double>(innermost_primal(element(i)));
        if (std::isfinite(v)) continue;
        std::string const kind = std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
        if (shape.rank() == 0) return kind;
        extents<R> at = shape;
        std::size_t rest = i;
        for (int d = shape.rank() - 1; d >= 0; --d) {
            at[d] = rest % shape[d];
            rest /= shape[d];
        }
        return kind + " at " + to_string(at) + " of an array of shape " + to_string(shape);
    }
    return {};
}

// "log(x) of a - b": an operation and those that are fused into it.
template <class A>
inline constexpr auto operation_text = [] { return std::string(); };
template <class Op, class... A>
inline constexpr auto operation_text<node<Op, A...>> = [] {
    std::string inner;
    auto add = [&](std::string const& t) {
        if (!t.empty()) inner += (inner.empty() ? " of " : ", ") + t;
    };
    (add(operation_text<A>()), ...);
    if constexpr (requires { Op::name; }) return Op::name + inner;
    else return std::string(type_name<Op>()) + inner;
};
template <class Op, class... A>
inline constexpr auto operation_text<formula<Op, A...>> = operation_text<node<Op, A...>>;
template <class N>
inline constexpr auto operation_text<nested<N>> = operation_text<N>;

template <class N, class F, int R>
void check_finite_value(F const& element, extents<R> const& shape) {
    if (!finite_report) return;
    if (auto const found = find_infinite(element, shape); !found.empty())
        throw std::domain_error("xgrad[E209]: check_finite(f, x...) requires finite values, and the first that is not is " + found + ", the value of " +
                                operation_text<N>());
}
template <class N, class F, int R>
void check_finite_cotangent(F const& element, extents<R> const& shape) noexcept {
    if (!finite_report || !finite_report->empty()) return;
    if (auto const found = find_infinite(element, shape); !found.empty())
        *finite_report = "xgrad[E209]: check_finite(f, x...) requires finite cotangents, and the first that is not is " + found + ", that of the value of " +
                         operation_text<N>() + ": what is computed from it has an infinite derivative there";
}

}
}
