// Defines what tests of complex numbers share: types, matrices without a pattern, a real function of a number, and central differences in both directions.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <xgrad/xgrad.hpp>

namespace complex_numbers {

using number = std::complex<double>;
using line = xt::xtensor<number, 1>;
using matrix = xt::xtensor<number, 2>;
using reals = xt::xtensor<double, 1>;

inline matrix matrix_of(std::size_t n, std::size_t m, double s) {
    matrix a({n, m});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) a(i, j) = number(std::sin(s + static_cast<double>(3 * i + j)), std::cos(s * static_cast<double>(i + 2 * j + 1)));
    return a;
}

// Reduces a complex number in a way that tells its parts apart.
inline auto const both = [](auto const& z) { return 1.5 * real(z) - 0.7 * imag(z); };

// The difference quotients of value() in x, which it reads: by the real and the imaginary part, as a gradient has them.
template <class T, class V>
T difference(V const& value, T& x) {
    double const h = 1e-6;
    T const kept = x;
    auto const along = [&](T const& step) {
        x = kept + step * T(h);
        double const up = value();
        x = kept - step * T(h);
        double const down = value();
        x = kept;
        return (up - down) / (2 * h);
    };
    if constexpr (std::is_floating_point_v<T>) return along(T(1));
    else return T(along(T(1)), along(T(0, 1)));
}

}  // namespace complex_numbers
