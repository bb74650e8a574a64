// Defines primal(x), the plain value of an active one, and the comparisons of active scalars, which give bool.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include <xgrad/scope/variable.hpp>

namespace xgrad {

namespace detail {

// Evaluates and owes nothing: a name into its slot, a temporary for this once.
template <class E>
auto scalar_primal(E const& e) {
    if constexpr (std::is_arithmetic_v<E>) return e;
    else if constexpr (requires { e.hold(); }) {
        e.hold();
        return e.slot_at()->value;
    } else if constexpr (requires { e.share(); }) return e.share().get()->value;
    else return e.forward();
}

template <class E>
auto array_primal(E const& e) {
    if constexpr (requires { e.hold(); }) {
        e.hold();
        return primal_copy(e.source());
    } else if constexpr (requires { e.share(); }) return primal_copy(e.share().source());
    else return primal_copy(e.source());
}

}

// The plain value: a number, an xt::xtensor or an xt::xarray of its own. A plain x is returned as it is.
template <class E>
decltype(auto) primal(E const& e) {
    if constexpr (!active<E>) return (e);
    else if constexpr (E::rank == 0) return detail::scalar_primal(e);
    else return detail::array_primal(e);
}

#define XGRAD_DETAIL_COMPARISON(SYMBOL)                                                                                           \
    template <class E1, class E2>                                                                                                 \
        requires((active<E1> && (active<E2> || plain_operand<E2>)) || (plain_operand<E1> && active<E2>))                          \
    bool operator SYMBOL(E1&& e1, E2&& e2) {                                                                                      \
        if constexpr (requires { requires std::remove_cvref_t<E1>::rank != 0; } || requires { requires std::remove_cvref_t<E2>::rank != 0; } || plain_array<E1> || plain_array<E2>) { \
            static_assert(detail::never<E1>, "xgrad[E027]: a comparison of active values requires scalars: compare xgrad::primal(x), element by element"); \
            return false;                                                                                                         \
        } else return detail::scalar_primal(e1) SYMBOL detail::scalar_primal(e2);                                                 \
    }
XGRAD_DETAIL_COMPARISON(<)
XGRAD_DETAIL_COMPARISON(<=)
XGRAD_DETAIL_COMPARISON(>)
XGRAD_DETAIL_COMPARISON(>=)
XGRAD_DETAIL_COMPARISON(==)
XGRAD_DETAIL_COMPARISON(!=)
#undef XGRAD_DETAIL_COMPARISON

}
