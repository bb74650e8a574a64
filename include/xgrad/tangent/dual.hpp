// dual<P>: a value and one tangent of it: what a forward rule takes and gives. Of numbers it computes: see number_dual.hpp.
#pragma once

#include <cstddef>
#include <type_traits>

#include <xgrad/tangent/tangent_type.hpp>

namespace xgrad {

// The tangent has the form of the primal (its shape, its keys, what is there of it).
template <class P, std::size_t N = 1, class Tag = void>
struct dual {
    static_assert(N == 1, "xgrad: dual<P, N> with several tangents requires a number P");
    using primal_type = P;
    P primal;
    [[no_unique_address]] tangent_type_t<P> tangent;
};
template <class P, class T>
dual(P, T) -> dual<P>;

// A dual that computes: its primal is a floating-point or complex number, a SIMD batch, or a dual of another derivative.
template <class X>
concept number_dual = is_number_dual<std::remove_cvref_t<X>>;

}  // namespace xgrad
