// Defines real, imag, conj and arg of active values and duals with complex elements; abs and the arithmetic are where those of real ones are.
#pragma once

#include <utility>

#include <xgrad/elementwise.hpp>

namespace xgrad {

// In a namespace of their own, as xgrad::real is the result type: real(z), or xt::real(z).
namespace spelling {
template <class E>
    requires active<E>
auto real(E&& z) { return make_formula<op::real>(std::forward<E>(z)); }
template <class E>
    requires active<E>
auto imag(E&& z) { return make_formula<op::imag>(std::forward<E>(z)); }
template <class E>
    requires number_dual<E>
auto real(E&& z) { return op::real{}(z); }
template <class E>
    requires number_dual<E>
auto imag(E&& z) { return op::imag{}(z); }
}

template <class E>
    requires active<E>
auto conj(E&& z) { return make_formula<op::conj>(std::forward<E>(z)); }
// The angle, in radians.
template <class E>
    requires active<E>
auto arg(E&& z) { return make_formula<op::arg>(std::forward<E>(z)); }
template <class E>
    requires number_dual<E>
auto conj(E&& z) { return op::conj{}(z); }
template <class E>
    requires number_dual<E>
auto arg(E&& z) { return op::arg{}(z); }

}

namespace xt {
using xgrad::arg, xgrad::conj;
using xgrad::spelling::real, xgrad::spelling::imag;
}
namespace xgrad {
using xt::arg, xt::conj;
}
