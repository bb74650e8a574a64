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

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_shape(std::string const& found, std::string const& required) {
    throw std::invalid_argument("xgrad[E201]: variable<P> requires an array of P's shape, which is fixed, found the shape " + found + " and " + required +
                                ": reshape it, or declare a variable of an xt::xtensor");
}
template <int R, int D>
void require_dimensions(extents<D> const& shape) {
    if (R != dynamic_rank && shape.rank() != R)
        throw std::invalid_argument("xgrad[E201]: variable<P> requires an array of as many dimensions as P has, found the shape " + to_string(shape) + " and " +
                                    std::to_string(R) + " dimensions: reshape it, or reduce it to a number");
}

// The same of a shape that is known at compile time.
template <class R, int D>
XGRAD_DETAIL_INLINE void require_shape(extents<D> const& shape) {
    bool fits = shape.rank() == R::value;
    for (int d = 0; d < R::value && fits; ++d) fits = shape[d] == R::shape[d];
    if (!fits) [[unlikely]] refuse_shape(to_string(shape), to_string(R::shape));
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
