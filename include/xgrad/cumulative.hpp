// Defines running sums, products and extremes, differences and softmax of active arrays, along one axis.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/reduce.hpp>
#include <xgrad/ruleset/along_lines.hpp>
#include <xgrad/ruleset/cumulative.hpp>

namespace xgrad {

namespace detail {

// Op along one axis: the result has the rank of e.
template <class Op, class E>
auto along_axis(char const* call, Op op, E&& e, std::ptrdiff_t axis) {
    constexpr int R = std::remove_cvref_t<E>::rank;
    static_assert(R != 0, "xgrad[E062]: this function requires an array, but its operand is a number: it has no axis");
    auto const s = e.extent();
    return array_operation(along_lines<Op, rank_c<R>>{op, 1u << checked_axis(call, axis, s), true}, std::forward<E>(e));
}
// All elements as one line.
template <class Op, class E>
auto along_everything(Op, E&& e) {
    static_assert(std::remove_cvref_t<E>::rank != 0, "xgrad[E062]: this function requires an array, but its operand is a number: it has no axis");
    return array_operation(flat_line<Op>{}, std::forward<E>(e));
}
// The same of a plain array, as an array of its own.
template <class Op, class E>
auto plain_along_axis(char const* call, Op op, E&& e, std::ptrdiff_t axis) {
    using T = std::common_type_t<typename std::remove_cvref_t<E>::value_type, float>;
    constexpr int R = rank_of<E>;
    auto const s = shape_of<R>(e);
    return plain_result<T>(along_lines<Op, rank_c<R>>{op, 1u << checked_axis(call, axis, s), true}, std::forward<E>(e));
}

}

}

// Running sums and products: cumsum(x), cumprod(x) of all elements in row-major order, one line; cumsum(x, axis), cumprod(x, axis) along an axis, of the shape
// of x. Negative axes count from the end. Throws std::invalid_argument for an axis that x does not have; a number has none (E062). Nothing is divided, so zeros
// are right. The heads equal xtensor's.
namespace xt {
#define XGRAD_DETAIL_RUNNING(NAME, OP, ...)                                                                                                              \
    template <class T = void, class E>                                                                                                                   \
        requires xgrad::active<E>                                                                                                                        \
    auto NAME(E&& e) {                                                                                                                                   \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                                        \
        return xgrad::detail::along_everything(xgrad::op::OP{}, __VA_ARGS__(std::forward<E>(e)));                                                        \
    }                                                                                                                                                    \
    template <class T = void, class E>                                                                                                                   \
        requires xgrad::active<E>                                                                                                                        \
    auto NAME(E&& e, std::ptrdiff_t axis) {                                                                                                              \
        XGRAD_DETAIL_GIVES(T, E);                                                                                                                        \
        return xgrad::detail::along_axis(#NAME "(x, axis)", xgrad::op::OP{}, __VA_ARGS__(std::forward<E>(e)), axis);                                     \
    }
XGRAD_DETAIL_RUNNING(cumsum, cumsum)
XGRAD_DETAIL_RUNNING(cumprod, cumprod)
// The same where a NaN is no element: it counts as 0, or as 1, and gets no derivative.
XGRAD_DETAIL_RUNNING(nancumsum, cumsum, xgrad::elementwise<xgrad::op::zero_for_nan>)
XGRAD_DETAIL_RUNNING(nancumprod, cumprod, xgrad::elementwise<xgrad::op::one_for_nan>)
#undef XGRAD_DETAIL_RUNNING
}

namespace xgrad {

// The differences of neighbours along an axis, n times: the axis has n elements less, and none where it had no more than n. Throws std::invalid_argument for an
// axis that x does not have; a number has none (E062).
template <active E>
auto diff(E&& e, unsigned n = 1, std::ptrdiff_t axis = -1) { return detail::along_axis("diff(x, n, axis)", op::diff{n}, std::forward<E>(e), axis); }

// softmax(x, axis), log_softmax(x, axis): exp(x) / Σ exp(x) along an axis, and its logarithm, of the shape of x; the greatest element is taken away first, so
// that nothing overflows; where that is infinite, the result is NaN. For plain arrays, too. Throws std::invalid_argument for an axis that x does not have; a
// number has none (E062).
#define XGRAD_DETAIL_OF_LINES(NAME)                                                                                                                      \
    template <active E>                                                                                                                                  \
    auto NAME(E&& e, std::ptrdiff_t axis = -1) { return detail::along_axis(#NAME "(x, axis)", op::NAME{}, std::forward<E>(e), axis); }                   \
    template <plain_array E>                                                                                                                             \
    auto NAME(E&& e, std::ptrdiff_t axis = -1) { return detail::plain_along_axis(#NAME "(x, axis)", op::NAME{}, std::forward<E>(e), axis); }
XGRAD_DETAIL_OF_LINES(softmax)
XGRAD_DETAIL_OF_LINES(log_softmax)
// cummax(x, axis), cummin(x, axis): the greatest, or the least, so far along an axis, of the shape of x; of equal ones the first has the derivative, and from a
// NaN on it is NaN. For plain arrays, too. Throws std::invalid_argument for an axis that x does not have; a number has none (E062).
XGRAD_DETAIL_OF_LINES(cummax)
XGRAD_DETAIL_OF_LINES(cummin)
// logcumsumexp(x, axis): log Σ exp(x) of the elements so far along an axis, of the shape of x, where nothing overflows. For plain arrays, too. Throws
// std::invalid_argument for an axis that x does not have; a number has none (E062).
XGRAD_DETAIL_OF_LINES(logcumsumexp)
#undef XGRAD_DETAIL_OF_LINES

}

namespace xt {
using xgrad::diff;
}
namespace xgrad {
using xt::cumprod, xt::cumsum, xt::diff, xt::nancumprod, xt::nancumsum;
}
