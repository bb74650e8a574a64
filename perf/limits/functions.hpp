// Defines limits::function_of: Σ f(x) and its gradient in one pass over xsimd batches, and, for some f, value and derivative of a batch; and limits::roots.
#pragma once

#include <array>
#include <cstddef>

#include <xgrad/host.hpp>

namespace limits {

using batch = xsimd::batch<double>;

struct value_and_slope {
    batch value, slope;
};
inline constexpr auto sine = [](batch x) {
    auto const [s, c] = xsimd::sincos(x);
    return value_and_slope{s, c};
};
inline constexpr auto hyperbolic_tangent = [](batch x) {
    batch const y = xsimd::tanh(x);
    return value_and_slope{y, batch(1.0) - y * y};
};
inline constexpr auto sigmoid = [](batch x) {
    batch const y = batch(1.0) / (batch(1.0) + xsimd::exp(-x));
    return value_and_slope{y, y * (batch(1.0) - y)};
};
inline constexpr auto silu = [](batch x) {
    auto const [y, slope] = sigmoid(x);
    return value_and_slope{x * y, y + x * slope};
};

// By xsimd's power, which is off by up to 15 units in the last place.
inline constexpr auto power = [](batch x) {
    batch const p(1.7), y = xsimd::pow(x, p);
    return value_and_slope{y, p * y / x};
};

// Whole batches.
template <class F>
double function_of(F f, std::size_t n, double const* x, double* xbar) {
    batch sum(0.0);
    for (std::size_t i = 0; i < n; i += batch::size) {
        auto const [y, slope] = f(batch::load_unaligned(x + i));
        sum += y;
        slope.store_unaligned(xbar + i);
    }
    return xsimd::hadd(sum);
}

// Σ sqrt(a) by Newton's steps from 1, until each lane is near; the states are kept, and the steps reversed, each lane by as many as it took.
inline double roots(std::size_t n, double const* a, double* abar) {
    constexpr std::size_t most = 64;
    batch sum(0.0), states[most];
    batch const half(0.5), zero(0.0);
    for (std::size_t i = 0; i < n; i += batch::size) {
        batch const b = batch::load_unaligned(a + i);
        batch x(1.0);
        std::size_t steps = 0;
        for (auto open = xsimd::abs(x * x - b) > batch(1e-10); xsimd::any(open); open = xsimd::abs(x * x - b) > batch(1e-10)) {
            states[steps++] = x;
            x = xsimd::select(open, half * (x + b / x), x);
        }
        sum += x;
        batch xbar(1.0), bbar(0.0);
        while (steps-- > 0) {
            batch const s = states[steps], quotient = b / s;
            auto const open = xsimd::abs(s * s - b) > batch(1e-10);
            batch const g = half * xbar;
            bbar += xsimd::select(open, g / s, zero);
            xbar = xsimd::select(open, g - g * quotient / s, xbar);
        }
        bbar.store_unaligned(abar + i);
    }
    return xsimd::hadd(sum);
}

}  // namespace limits
