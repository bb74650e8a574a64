// Defines shape_alone<T, R>: a shape without elements, as an operand that the others of a formula broadcast to.
#pragma once

#include <cstddef>

#include <xgrad/scope/operand/constant.hpp>

namespace xgrad {

namespace detail {

template <class T, class R>
struct shape_alone {
    using value_type = T;
    using lifetime = void;
    static constexpr int rank = R::value;
    static constexpr bool is_active = false, is_batch = lanes<T> != 1;
    using frame = T;
    extents<rank> shape;

    context* owner() const noexcept { return nullptr; }
    void prepare() const {}
    extents<rank> extent() const { return shape; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <class Step>
    using cursor = number_cursor<T, Step>;
    template <class Step>
    cursor<Step> open(typename Step::plan_type&, bool) const noexcept { return cursor<Step>(T(0)); }
};

}

}
