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
    layout classify(extents<S> const&) const noexcept { return layout::flat; }
    template <int S>
    void ensure_cotangents(extents<S> const&) const noexcept {}
    template <layout, std::size_t W, int S>
    auto open(extents<S> const&, bool) const noexcept { return number_cursor<T, W>{pack_t<T, W>(T(0))}; }
};

}

}
