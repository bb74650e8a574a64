// Defines shape_alone<T, R>: a shape without elements, as an operand that the others broadcast to.
#pragma once

#include <xgrad/scope/operand/leaf.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class T, class R>
struct shape_alone : constant_operand<shape_alone<T, R>> {
    using value_type = T;
    static constexpr int rank = R::value;
    static constexpr bool is_batch = lanes<T> != 1;
    using frame = T;
    extents<rank> shape;

    explicit shape_alone(extents<rank> const& s) : shape(s) {}
    extents<rank> extent() const { return shape; }
    bool is_same(shape_alone const& o) const noexcept { return shape == o.shape; }
    template <class Step>
    using cursor = number_cursor<T, Step>;
    template <class Step>
    cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return cursor<Step>(T(0)); }
};

}

}
XGRAD_DETAIL_QUIET_END
