// Defines give_each: a cotangent for each element of an array that lies in memory.
#pragma once

#include <cstddef>

#include <xgrad/rule/extents.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Gives each element of the operand a the cotangent f(i), i in row-major order.
template <class A, class F>
void give_each(A const& a, F f) noexcept {
    using T = typename A::value_type;
    bool add = false;
    auto const to = a.target(add);
    for_each_offset(to.shape, to.stride, [&](std::size_t i, std::ptrdiff_t at) {
        T const own = f(i);
        to.data[at] = add ? T(T(to.data[at]) + own) : own;
    });
}

}
XGRAD_DETAIL_QUIET_END
