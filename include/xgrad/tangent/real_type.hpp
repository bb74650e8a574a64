// real_type_t<T>: the real numbers of a number type, in which factors and inner products are.
#pragma once

#include <complex>

namespace xgrad {

namespace detail {

template <class T>
struct real_type {
    using type = T;
};
template <class T>
struct real_type<std::complex<T>> {
    using type = T;
};

}  // namespace detail

template <class T>
using real_type_t = typename detail::real_type<T>::type;

// Convention for complex numbers. What a user sees is the cotangent of the real inner product, zbar = df/d(re z) + i df/d(im z), the direction in
// which f grows: df = Re(conj(zbar) dz). Inside a call a cotangent is kept conjugated, df = Re(g dz): then a holomorphic y = f(z) has
// g_z = f'(z) g_y, the same line as for real numbers, and no rule conjugates anything. Where cotangents come in or go out they are conjugated.
namespace detail {
template <class T>
constexpr T conjugate(T const& x) { return x; }
template <class T>
constexpr std::complex<T> conjugate(std::complex<T> const& x) { return {x.real(), -x.imag()}; }

// The parts of a number, real ones as they are, and the number of two parts.
template <class T>
constexpr T real_part(T const& x) { return x; }
template <class T>
constexpr T real_part(std::complex<T> const& x) { return x.real(); }
template <class T>
constexpr T imaginary_part(std::complex<T> const& x) { return x.imag(); }
template <class T>
constexpr std::complex<T> from_parts(T const& re, T const& im) { return {re, im}; }
}

}  // namespace xgrad
