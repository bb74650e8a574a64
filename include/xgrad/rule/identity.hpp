// Defines identity_op: the operation that only carries a value on, into a slot of its own or out of a cast.
#pragma once

#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

struct identity_op {
    static constexpr char const* name = "x";
    template <class T>
    XGRAD_DETAIL_INLINE constexpr T operator()(T const& x) const noexcept { return x; }
};
template <>
inline constexpr auto partials<identity_op> = [](auto y, auto) { return partial(one(y)); };

}
XGRAD_DETAIL_QUIET_END
