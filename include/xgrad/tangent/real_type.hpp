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

}  // namespace xgrad
