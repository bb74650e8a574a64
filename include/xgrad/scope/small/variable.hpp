// Defines variable_shape<P> of small arrays of static shape in row-major order, of which variables know the shape by their type; and which operands hold one.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/scope/operand/variable_shape.hpp>
#include <xgrad/scope/small/leaf.hpp>
#include <xgrad/scope/storage/storage_for.hpp>

#ifndef XGRAD_DETAIL_WITHOUT_SMALL

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

template <class T, std::size_t... N, class M>
inline constexpr bool lies_with_variables<slot_ref<T, static_extents<N...>, M>> = true;
template <class Op, class... A>
inline constexpr bool lies_with_variables<node<Op, A...>> = (lies_with_variables<A> || ...);
template <class Op, class... A>
inline constexpr bool lies_with_variables<formula<Op, A...>> = formula<Op, A...>::rank != 0 && lies_with_variables<node<Op, A...>>;
template <class N>
inline constexpr bool lies_with_variables<nested<N>> = lies_with_variables<N>;

namespace detail {

template <class T, std::size_t... N, bool Sharable, class Tag>
    requires(std::is_floating_point_v<T> && sizeof...(N) != 0 && (N * ... * 1) - 1 < most_static_elements)
struct variable_shape<xt::xfixed_container<T, xt::fixed_shape<N...>, xt::layout_type::row_major, Sharable, Tag>> {
    using element = T;
    using rank = rank_c<static_cast<int>(sizeof...(N))>;
    using shape_type = static_extents<N...>;
};

}

}
XGRAD_DETAIL_QUIET_END
#endif
