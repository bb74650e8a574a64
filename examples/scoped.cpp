// Two lines of Hamilton's equations swing a double pendulum. Its energy declares its result, so it is *scoped*: every value stays on
// the stack, and every pullback runs at the closing brace. That is for scalar code that runs hot.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <xgrad/xgrad.hpp>

struct pendulum { double a, b, p, q; };  // two angles and their momenta
XGRAD_REFLECT(pendulum, a, b, p, q)

// Masses, lengths and gravity are 1.
auto energy = [](auto const& s) -> xgrad::real {
    auto c = cos(s.a - s.b);
    auto twice_kinetic = s.p * s.p + 2.0 * s.q * s.q - 2.0 * s.p * s.q * c;
    auto height = -2.0 * cos(s.a) - cos(s.b);
    return twice_kinetic / (4.0 - 2.0 * c * c) + height;
};

int main() {
    pendulum s{2.0, 1.0, 0.0, 0.0};
    auto gradient = xgrad::prepare_gradient(energy, s);
    auto rate = [&](pendulum const& at) {
        auto& [d] = gradient(at).gradient;
        return pendulum{d.p, d.q, -d.a, -d.b};
    };
    auto moved = [](pendulum const& x, double h, pendulum const& k) { return pendulum{x.a + h * k.a, x.b + h * k.b, x.p + h * k.p, x.q + h * k.q}; };

    double const before = xgrad::value(energy, s), h = 1e-3;
    auto const start = std::chrono::steady_clock::now();
    for (int step = 0; step < 20'000; ++step) {
        if (step % 2'000 == 0) std::printf("t = %3.0f   angles %8.4f %8.4f   energy %.12f\n", step * h, s.a, s.b, xgrad::value(energy, s));
        auto const k1 = rate(s), k2 = rate(moved(s, h / 2, k1)), k3 = rate(moved(s, h / 2, k2)), k4 = rate(moved(s, h, k3));
        s = moved(moved(moved(moved(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    std::chrono::duration<double, std::nano> const time = std::chrono::steady_clock::now() - start;
    double const drift = std::abs(xgrad::value(energy, s) - before);
    std::printf("energy lost %.1e; %.0f ns for each gradient, the integrator's arithmetic included\n", drift, time.count() / 80'000);
    return drift < 1e-8 ? 0 : 1;
}
