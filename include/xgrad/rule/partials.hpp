// Defines partials<Op>: the derivatives of a scalar operation with respect to each of its operands, one line an operation.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <xgrad/rule/flat_tuple.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

struct no_rule {};

// y = op(x...): partials<op>(y, x...) gives partial(dy/dx, ...). It sees scalars, SIMD batches or duals, never whole arrays.
template <class Op>
inline constexpr auto partials = no_rule{};

// Whether an operation, on numbers or on whole arrays, takes complex ones: it is holomorphic in each operand, or its partials say what they are.
template <class Op>
inline constexpr bool takes_complex = false;

// A partial of y = conj(x).
struct conjugating {};

template <class Op>
concept scalar_rule = !std::same_as<std::remove_cvref_t<decltype(partials<Op>)>, no_rule>;

// One derivative for each operand. An entry may be a nullary function: it is called only where its operand is active.
template <class... D>
XGRAD_DETAIL_INLINE constexpr auto partial(D... d) { return flat_tuple<D...>(std::move(d)...); }

// The I-th derivative.
template <std::size_t I, class P>
XGRAD_DETAIL_INLINE constexpr auto partial_at(P const& p) {
    auto const& d = item<I>(p);
    if constexpr (requires { d(); }) return d();
    else return d;
}

}
XGRAD_DETAIL_QUIET_END
