// Defines evaluated_number: the value of an operation on numbers, in a call that never goes backward.
#pragma once

#include <type_traits>
#include <utility>

#include <xgrad/scope/node/formula.hpp>
#include <xgrad/scope/operand/valued_number.hpp>
#include <xgrad/scope/storage/check_finite.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad::detail {

// Whether an operation has operands that are more than numbers by themselves.
template <class N>
inline constexpr bool reads_values = false;
template <class Op, class... A>
inline constexpr bool reads_values<node<Op, A...>> = ((A::is_active && !is_valued_number<A>) || ...);

// Whoever computes it for a pullback owes something to its operands, and an argument that was assigned to keeps the versions that are owed something: so they
// last until the call ends here, too.
template <class N>
[[gnu::cold, gnu::noinline]] void hold_operands(N n, context& c) {
    counted_storage<N> s(std::in_place, std::move(n));
    auto debt = s.detach();
    ++debt.get()->owed;
    c.hold(debt.get());
}

template <class N>
XGRAD_DETAIL_INLINE auto evaluated_number(N n) {
    n.prepare();
    using T = typename N::value_type;
    T const y = n.value();
    if constexpr (checks_finite) check_finite_value<N>([&](std::size_t) { return y; }, extents<0>());
    if constexpr (reads_values<N>)
        if (context* const c = n.owner(); c && c->assigns) [[unlikely]] hold_operands(std::move(n), *c);
    return valued_number<T>(y);
}

}
XGRAD_DETAIL_QUIET_END
