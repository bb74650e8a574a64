// Defines frame_of: the value of an operation for one element, or for a pack of them, with the frames of its operands.
#pragma once

#include <xgrad/rule/flat_tuple.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

// A frame holds an operation's value for one element (or one pack of them) and the frames of its operands, so nothing is computed twice.
template <class Y, class... F>
struct frame_of {
    Y y;
    flat_tuple<F...> x;
    XGRAD_DETAIL_INLINE frame_of() {}
};

template <class F>
XGRAD_DETAIL_INLINE constexpr F const& value_of(F const& f) { return f; }
template <class Y, class... F>
XGRAD_DETAIL_INLINE constexpr Y const& value_of(frame_of<Y, F...> const& f) { return f.y; }

}
XGRAD_DETAIL_QUIET_END
