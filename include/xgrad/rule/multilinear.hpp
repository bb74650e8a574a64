// Defines multilinear: a product of arrays that is linear in each of them, on arrays of duals: the product of the primals, and by the product
// rule one product for each operand that has tangents. Each goes to the same kernel, which sees plain arrays only.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/rule/array_ref.hpp>

XGRAD_DETAIL_QUIET_BEGIN
namespace xgrad {

namespace detail {

template <class A>
inline constexpr bool is_dual_ref = false;
template <class T, int R>
inline constexpr bool is_dual_ref<array_ref<T, R>> = number_dual<T>;

template <class T, int R>
auto primal_part(array_ref<T, R> const& a) {
    if constexpr (!number_dual<T>) return a;
    else {
        using P = std::remove_const_t<T>::primal_type;
        return array_ref<std::conditional_t<std::is_const_v<T>, P const, P>, R>{a.data.primal(), a.shape, a.stride};
    }
}
template <class T, int R>
auto direction_part(array_ref<T, R> const& a, std::size_t k) {
    using P = std::remove_const_t<T>::primal_type;
    return array_ref<std::conditional_t<std::is_const_v<T>, P const, P>, R>{a.data.direction(k), a.shape, a.stride};
}

}

// kernel(y, add, a, b): y = a b or y += a b. Of the operands those of dual elements are of y's.
template <class T, int R, class A, class B, class Kernel>
void multilinear(array_ref<T, R> const& y, bool add, A const& a, B const& b, Kernel const& kernel) noexcept {
    if constexpr (!number_dual<T>) kernel(y, add, a, b);
    else {
        auto const ap = detail::primal_part(a);
        auto const bp = detail::primal_part(b);
        multilinear(detail::primal_part(y), add, ap, bp, kernel);
        for (std::size_t k = 0; k < T::count; ++k) {
            auto const yk = detail::direction_part(y, k);
            bool more = add;
            if constexpr (detail::is_dual_ref<A>) {
                multilinear(yk, more, detail::direction_part(a, k), bp, kernel);
                more = true;
            }
            if constexpr (detail::is_dual_ref<B>) multilinear(yk, more, ap, detail::direction_part(b, k), kernel);
        }
    }
}

}
XGRAD_DETAIL_QUIET_END
