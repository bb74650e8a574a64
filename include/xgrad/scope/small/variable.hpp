// Defines variable_shape<P> of small arrays of static shape in row-major order: of which variables know the shape by their type.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <xgrad/scope/operand/variable_shape.hpp>
#include <xgrad/scope/small/leaf.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

template <class T, std::size_t... N, bool Sharable, class Tag>
    requires(std::is_floating_point_v<T> && sizeof...(N) != 0 && (N * ... * 1) - 1 < most_static_elements)
struct variable_shape<xt::xfixed_container<T, xt::fixed_shape<N...>, xt::layout_type::row_major, Sharable, Tag>> {
    using element = T;
    using rank = rank_c<static_cast<int>(sizeof...(N))>;
    using shape_type = static_extents<N...>;
};

}
XGRAD_DETAIL_QUIET_END
#endif
