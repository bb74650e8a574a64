// Defines real, imag, conj and arg of active values and duals with complex elements; abs and the arithmetic are where those of real ones are.
#pragma once

#include <utility>

#include <xgrad/elementwise.hpp>

namespace xgrad {

// The real and the imaginary part, element by element, of the shape of z; the gradient of an imaginary part is imaginary. In a namespace of their own, as
// xgrad::real is the result type: real(z), or xt::real(z).
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

// z.real() and z.imag() of a number.
template <class D, class T, int R>
auto array_interface<D, T, R>::real() const
    requires(R == 0 && detail::is_complex_number<T>)
{
    return spelling::real(self());
}
template <class D, class T, int R>
auto array_interface<D, T, R>::imag() const
    requires(R == 0 && detail::is_complex_number<T>)
{
    return spelling::imag(self());
}

// The conjugate, element by element, of the shape of z.
template <class E>
    requires active<E>
auto conj(E&& z) { return make_formula<op::conj>(std::forward<E>(z)); }
// The angle, in radians, element by element; at 0 it has no derivative, and its gradient is not finite.
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
