// Defines give_times: adds g times what is known to be the derivative with respect to an operand to its cotangent.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/loops/rows.hpp>

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
    else {
        bool add = false;
        auto const to = debt.target(add);
        auto put = [&](std::size_t i, std::ptrdiff_t at) {
            V const own = times(V(from[i]), g);
            to.data[at] = add ? V(V(to.data[at]) + own) : own;
        };
        if (is_contiguous(to.shape, to.stride)) {
            std::size_t const n = element_count(to.shape);
            for (std::size_t i = 0; i < n; ++i) put(i, static_cast<std::ptrdiff_t>(i));
        } else for_each_offset(to.shape, to.stride, put);
    }
}

}
XGRAD_DETAIL_QUIET_END
