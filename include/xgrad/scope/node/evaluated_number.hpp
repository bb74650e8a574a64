// Defines evaluated_number: the value of an operation on numbers, in a call that never goes backward.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/operand/valued_number.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class N>
XGRAD_DETAIL_INLINE auto evaluated_number(N n) {
    n.prepare();
    using T = typename N::value_type;
    T const y = n.value();
    if constexpr (checks_finite) check_finite_value<N>([&](std::size_t) { return y; }, extents<0>());
    return valued_number<T>(y);
}

}
XGRAD_DETAIL_QUIET_END
