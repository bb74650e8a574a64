// Defines of_rank<R>(a): an operand whose number of dimensions is known at run time, as one of R dimensions, and the other way round; and
// require_dimensions<R>(shape).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/operand/slot_view.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <int R, int D>
void require_dimensions(extents<D> const& shape) {
    if (R != dynamic_rank && shape.rank() != R)
        throw std::invalid_argument("xgrad[E201]: variable<P> requires an array of as many dimensions as P has, found the shape " + to_string(shape) + " and " +
                                    std::to_string(R) + " dimensions: reshape it, or reduce it to a number");
}

// Evaluates it. Throws std::invalid_argument where it has another number of dimensions.
template <int R, class A>
auto of_rank(A a) {
    auto whole = in_workspace(std::move(a));
    auto const& s = *whole.get();
    require_dimensions<R>(s.shape);
    extents<R> shape;
    strides<R> stride;
    shape.set_rank(s.shape.rank());
    stride.set_rank(s.shape.rank());
    for (int d = 0; d < s.shape.rank(); ++d) {
        shape[d] = s.shape[d];
        stride[d] = s.stride[d];
    }
    return make_slot_view(std::move(whole), 0, shape, stride);
}

}
XGRAD_DETAIL_QUIET_END
