// pairing(t, s): the real inner product of two tangents; of complex numbers, that of their real and imaginary parts.
#pragma once

#include <xgrad/tangent/no_tangent.hpp>
#include <xgrad/tangent/object_table.hpp>
#include <xgrad/tangent/parts.hpp>

namespace xgrad {

namespace detail {

struct sum_of_products : operation {
    double* sum;
    template <class T>
    constexpr void operator()([[maybe_unused]] T const& t, [[maybe_unused]] T const& s) const {
        if constexpr (has_parts<T>)
            parts<T>::each(*this, t, s);
        else if constexpr (requires { t.imag(); })
            *sum += static_cast<double>(t.real() * s.real() + t.imag() * s.imag());
        else if constexpr (!absent<T>)
            *sum += static_cast<double>(t * s);
    }
};

struct pairing_fn {
    template <class T>
    [[nodiscard]] constexpr double operator()(T const& t, T const& s) const {
        double sum = 0;
        with_object_table<T>(sum_of_products{{}, &sum}, t, s);
        return sum;
    }
};

}  // namespace detail

inline constexpr detail::pairing_fn pairing{};

}  // namespace xgrad
