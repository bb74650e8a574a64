// Defines algebraic, an array that is active or plain, and how functions of such arrays are written once for both.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xgrad/array_operation.hpp>
#include <xgrad/rule/call_with.hpp>
#include <xgrad/view.hpp>

namespace xgrad {

// An array, active or plain.
template <class E>
concept algebraic = active<E> || plain_array<E>;

namespace detail {

template <class... E>
using operation_element = typename active_element<E...>::type;

// What an active value of no gradient call holds, as plain numbers and arrays.
struct plain_values {
    template <class E>
    auto operator()(E const& e) const {
        if constexpr (active<E>) {
            auto const p = part_source(e);
            if constexpr (std::remove_cvref_t<decltype(p)>::rank == 0) return primal(e);
            else return primal_copy(p.source());
        } else return e;
    }
    template <class... E>
    auto operator()(std::tuple<E...> const& t) const {
        return detail::call_with([this](auto const&... e) { return std::tuple((*this)(e)...); }, t);
    }
};

// f of active operands, or of plain ones alone as what f gives for them, plain.
template <class F, class... E>
XGRAD_DETAIL_INLINE auto algebra(F f, E&&... e) {
    if constexpr ((active<E> || ...)) return f(std::forward<E>(e)...);
    else {
        using T = std::common_type_t<float, std::conditional_t<std::is_integral_v<element_type_t<E>>, double, element_type_t<E>>...>;
        return plain_values{}(f(variable<typename primal_of<T, rank_of<std::remove_cvref_t<E>>>::type>(e)...));
    }
}
// Op<T>(e...), T their element type.
template <template <class> class Op, class... E>
XGRAD_DETAIL_INLINE auto algebraic_operation(E&&... e) {
    return algebra([](auto&&... a) XGRAD_DETAIL_LAMBDA { return array_operation(Op<operation_element<decltype(a)...>>{}, std::forward<decltype(a)>(a)...); },
                   std::forward<E>(e)...);
}

template <class E>
inline constexpr int operand_rank = rank_of<E>;
template <active E>
inline constexpr int operand_rank<E> = std::remove_cvref_t<E>::rank;
template <class E>
int rank_at_run_time(E const& e) {
    if constexpr (active<E>) return e.extent().rank();
    else return static_cast<int>(e.dimension());
}
// What is active, or a plain array of the same elements that is seen as active.
template <class T, class E>
auto active_or_variable(E&& e) {
    if constexpr (active<E>) return part_source(std::forward<E>(e));
    else return variable<typename primal_of<T, rank_of<std::remove_cvref_t<E>>>::type>(e);
}

template <class E>
auto window_on_all(E const& e) {
    auto const p = part_source(e);
    return make_slot_view(p, 0, p.extent(), steps_of(p));
}

// A window on elements of a result that holds several parts, one after the other in row-major order.
template <int R, class P>
auto part_of(P const& whole, std::size_t offset, extents<R> const& shape) {
    return make_slot_view(whole, static_cast<std::ptrdiff_t>(offset), shape, row_major_strides(shape));
}

}

}
