// Defines left(a, b), which gives a the shape that both broadcast to.
#pragma once

#include <xgrad/rule/dual_number.hpp>
#include <xgrad/rule/pack.hpp>
#include <xgrad/rule/partials.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace op {
struct left {
    static constexpr char const* name = "broadcast(x, shape)";
    template <class A, class B>
    XGRAD_DETAIL_INLINE auto operator()(A const& a, B const&) const { return a; }
};
}

template <> inline constexpr bool takes_complex<op::left> = true;
template <> inline constexpr auto partials<op::left> = [](auto y, auto, auto) { return partial(one(y), zero(y)); };

}
XGRAD_DETAIL_QUIET_END
