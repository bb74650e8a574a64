// Defines limits::filter: a Kalman filter of four states over many observations, and the gradient of its likelihood by hand, which stores the states.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace limits {

// Minus the logarithm of the likelihood, without its constant, of observations y = hᵀ x + noise of variance r of x' = F x + noise of covariance Q. The mean
// begins with 0, the covariance with 1.
class filter {
public:
    using vector = std::array<double, 4>;
    using matrix = std::array<double, 16>;
    struct system {
        matrix f, q;
        vector h;
        double r;
    };
    explicit filter(std::size_t n) : states_(n) {}
    double operator()(system const& a, double const* y, system& bar) {
        state s{};
        for (std::size_t i = 0; i < 4; ++i) s.p[5 * i] = 1.0;
        double cost = 0.0;
        for (std::size_t t = 0; t < states_.size(); ++t) {
            states_[t] = s;
            step const k(a, s, y[t]);
            for (std::size_t i = 0; i < 4; ++i) {
                s.mean[i] = k.mean[i] + k.gain[i] * k.error;
                for (std::size_t j = 0; j < 4; ++j) s.p[4 * i + j] = k.p[4 * i + j] - k.gain[i] * k.ph[j];
            }
            cost += 0.5 * (k.error * k.error / k.variance + std::log(k.variance));
        }
        bar = {};
        state g{};
        for (std::size_t t = states_.size(); t-- > 0;) pull(a, states_[t], y[t], g, bar);
        return cost;
    }

private:
    struct state {
        vector mean;
        matrix p;
    };
    std::vector<state> states_;

    static vector times(matrix const& a, vector const& x) {
        vector y{};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) y[i] += a[4 * i + j] * x[j];
        return y;
    }
    static vector transposed_times(matrix const& a, vector const& x) {
        vector y{};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) y[j] += a[4 * i + j] * x[i];
        return y;
    }
    // y += op(a) op(b)
    template <bool TransposeA, bool TransposeB>
    static void add_product(matrix const& a, matrix const& b, matrix& y) {
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t k = 0; k < 4; ++k)
                for (std::size_t j = 0; j < 4; ++j) y[4 * i + j] += (TransposeA ? a[4 * k + i] : a[4 * i + k]) * (TransposeB ? b[4 * j + k] : b[4 * k + j]);
    }
    static void add_outer(vector const& x, vector const& y, double scale, matrix& a) {
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) a[4 * i + j] += scale * x[i] * y[j];
    }
    static double dot(vector const& x, vector const& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3]; }
    // From a state: the prediction F m, F P Fᵀ + Q, and what the observation says of it.
    struct step {
        vector mean, ph, gain;
        matrix fp{}, p;
        double variance, error;
        step(system const& a, state const& s, double y) : mean(times(a.f, s.mean)), p(a.q) {
            add_product<false, false>(a.f, s.p, fp);
            add_product<false, true>(fp, a.f, p);
            ph = times(p, a.h);
            variance = dot(a.h, ph) + a.r;
            error = y - dot(a.h, mean);
            for (std::size_t i = 0; i < 4; ++i) gain[i] = ph[i] / variance;
        }
    };
    // g: the cotangent of the state after the step, and then of that before it.
    static void pull(system const& a, state const& s, double y, state& g, system& bar) {
        step const k(a, s, y);
        vector phbar{};
        vector const from_p = transposed_times(g.p, k.gain), to_gain = times(g.p, k.ph);
        double const ebar = dot(g.mean, k.gain) + k.error / k.variance;
        double vbar = 0.5 * (1.0 / k.variance - k.error * k.error / (k.variance * k.variance));
        for (std::size_t i = 0; i < 4; ++i) {
            double const gainbar = g.mean[i] * k.error - to_gain[i];
            phbar[i] = gainbar / k.variance - from_p[i];
            vbar -= gainbar * k.gain[i] / k.variance;
        }
        vector mbar;
        for (std::size_t i = 0; i < 4; ++i) {
            mbar[i] = g.mean[i] - ebar * a.h[i];
            bar.h[i] += vbar * k.ph[i] - ebar * k.mean[i];
            phbar[i] += vbar * a.h[i];
        }
        bar.r += vbar;
        matrix pbar = g.p, fpbar{};
        add_outer(phbar, a.h, 1.0, pbar);
        vector const hbar = transposed_times(k.p, phbar);
        for (std::size_t i = 0; i < 4; ++i) bar.h[i] += hbar[i];
        for (std::size_t i = 0; i < 16; ++i) bar.q[i] += pbar[i];
        add_product<false, false>(pbar, a.f, fpbar);
        add_product<true, false>(pbar, k.fp, bar.f);
        add_product<false, true>(fpbar, s.p, bar.f);
        add_outer(mbar, s.mean, 1.0, bar.f);
        g.mean = transposed_times(a.f, mbar);
        g.p = {};
        add_product<true, false>(a.f, fpbar, g.p);
    }
};

}  // namespace limits
