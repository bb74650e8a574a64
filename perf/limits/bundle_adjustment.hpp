// Defines the point at which the residual is measured, its value in plain numbers, and its gradient by complex steps.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <utility>

#include <perf/cases.hpp>

namespace limits {

using camera_and_point = std::array<double, 15>;

inline camera_and_point bundle_adjustment_point() { return {0.1, -0.2, 0.3, 0.5, -0.4, 0.2, 500.0, 10.0, 20.0, 0.01, 0.002, 1.0, 2.0, 9.0, 0.9}; }

// f(x[0], x[1], ...).
template <class F, class X>
decltype(auto) apply(F&& f, X const& x) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) { return f(x[I]...); }(std::make_index_sequence<std::tuple_size_v<X>>{});
}

inline double bundle_adjustment(camera_and_point const& x) { return apply(cases::bundle_adjustment, x); }

// Im f(x + ih) / h is exact to rounding: nothing is subtracted.
inline camera_and_point bundle_adjustment_gradient(camera_and_point const& x) {
    constexpr double h = 1e-100;
    std::array<std::complex<double>, 15> z;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = x[i];
    camera_and_point gradient;
    for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] = {x[i], h};
        gradient[i] = apply(cases::bundle_adjustment, z).imag() / h;
        z[i] = x[i];
    }
    return gradient;
}

}  // namespace limits
