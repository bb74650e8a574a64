// Defines variable_shape<P>: what the type of a variable says of its value: its elements, its rank, and of small arrays all of its shape.
#pragma once

#include <xgrad/rule/extents.hpp>
#include <xgrad/scope/operand/plain_array.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// What is not an array is a number, if need be one of the user's own.
template <class P>
struct variable_shape {
    using element = P;
    using rank = rank_c<0>;
    using shape_type = rank;
};
template <plain_array P>
struct variable_shape<P> {
    using element = typename P::value_type;
    using rank = rank_c<rank_of<P>>;
    using shape_type = rank;
};

}
XGRAD_DETAIL_QUIET_END
