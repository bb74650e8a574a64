// Defines give_times: adds g times what is known to be the derivative with respect to an operand to its cotangent.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/loops/rows.hpp>
#include <xgrad/scope/operand/give_each.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T, class G>
XGRAD_DETAIL_INLINE T times(T const& x, G const& g) {
    if constexpr (std::is_same_v<G, no_factor>) return x;
    else if constexpr (std::is_same_v<T, G> || !std::is_arithmetic_v<T>) return T(x * g);
    else return T(x * static_cast<T>(g));
}

// Into the place where the operand's cotangent is, without memory of its own.
template <class Debt, class T, class G>
void give_times(Debt const& debt, T from, G const& g) noexcept {
    using V = typename Debt::value_type;
    if constexpr (Debt::rank == 0) debt.add(times(V(from[0]), g));
    else give_each(debt, [&](std::size_t i) { return V(times(V(from[i]), g)); });
}

}
XGRAD_DETAIL_QUIET_END
