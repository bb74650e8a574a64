// Defines limits::lorenz, plain Runge-Kutta steps, and limits::recurrent_cell and limits::hidden_states: a small recurrent network, a hidden Markov model, and
// their gradients by hand.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace limits {

// x² + y² + z² after so many steps of Lorenz' equations, by numbers.
inline double lorenz(std::size_t steps, double h, double const* s, double const* p) {
    double x = s[0], y = s[1], z = s[2];
    auto const slope = [p](double u, double v, double w, double (&k)[3]) {
        k[0] = p[0] * (v - u);
        k[1] = u * (p[1] - w) - v;
        k[2] = u * v - p[2] * w;
    };
    for (std::size_t i = 0; i < steps; ++i) {
        double a[3], b[3], c[3], d[3];
        slope(x, y, z, a);
        slope(x + 0.5 * h * a[0], y + 0.5 * h * a[1], z + 0.5 * h * a[2], b);
        slope(x + 0.5 * h * b[0], y + 0.5 * h * b[1], z + 0.5 * h * b[2], c);
        slope(x + h * c[0], y + h * c[1], z + h * c[2], d);
        x += h / 6.0 * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0]);
        y += h / 6.0 * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1]);
        z += h / 6.0 * (a[2] + 2.0 * b[2] + 2.0 * c[2] + d[2]);
    }
    return x * x + y * y + z * z;
}

// Σ h² after the last of so many steps h = tanh(W h + u x + b), and its gradient.
class recurrent_cell {
public:
    recurrent_cell(std::size_t units, std::size_t times) : n_(units), times_(times), h_(units * (times + 1)), hbar_(units), z_(units) {}
    double operator()(double const* w, double const* u, double const* b, double const* x, double* wbar, double* ubar, double* bbar) {
        for (std::size_t t = 0; t < times_; ++t) {
            double const* const h = h_.data() + t * n_;
            for (std::size_t i = 0; i < n_; ++i) {
                double s = 0.0;
                for (std::size_t j = 0; j < n_; ++j) s += w[i * n_ + j] * h[j];
                h_[(t + 1) * n_ + i] = std::tanh(s + u[i] * x[t] + b[i]);
            }
        }
        double const* const last = h_.data() + times_ * n_;
        double value = 0.0;
        for (std::size_t i = 0; i < n_; ++i) value += last[i] * last[i], hbar_[i] = 2.0 * last[i], ubar[i] = bbar[i] = 0.0;
        std::fill_n(wbar, n_ * n_, 0.0);
        for (std::size_t t = times_; t-- > 0;) {
            double const *const h = h_.data() + t * n_, *const y = h + n_;
            for (std::size_t i = 0; i < n_; ++i) {
                z_[i] = hbar_[i] * (1.0 - y[i] * y[i]);
                ubar[i] += z_[i] * x[t];
                bbar[i] += z_[i];
            }
            std::fill_n(hbar_.data(), n_, 0.0);
            for (std::size_t i = 0; i < n_; ++i)
                for (std::size_t j = 0; j < n_; ++j) {
                    wbar[i * n_ + j] += z_[i] * h[j];
                    hbar_[j] += z_[i] * w[i * n_ + j];
                }
        }
        return value;
    }

private:
    std::size_t n_, times_;
    std::vector<double> h_, hbar_, z_;
};

// The logarithm of the likelihood of observations by a hidden Markov model of four states and its gradient: of the first state's probabilities p, of
// transitions a from row to column, and of observations b, a row for each state.
class hidden_states {
public:
    explicit hidden_states(std::size_t times) : before_(times), scale_(times) {}
    double operator()(double const* p, double const* a, double const* b, std::size_t kinds, std::size_t const* seen, double* pbar, double* abar, double* bbar) {
        std::fill_n(abar, n * n, 0.0);
        std::fill_n(bbar, n * kinds, 0.0);
        // the probabilities before each observation, of which those with it are normalised
        double value = 0.0, now[n], next[n];
        for (std::size_t i = 0; i < n; ++i) before_[0][i] = p[i];
        for (std::size_t t = 0;;) {
            double c = 0.0;
            for (std::size_t i = 0; i < n; ++i) c += now[i] = before_[t][i] * b[i * kinds + seen[t]];
            value += std::log(scale_[t] = c);
            if (++t == before_.size()) break;
            std::fill_n(next, n, 0.0);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) next[j] += now[i] / c * a[i * n + j];
            std::copy_n(next, n, before_[t].begin());
        }
        double bar[n] = {};  // of the normalised ones
        for (std::size_t t = before_.size(); t-- > 0;) {
            double along = 0.0, before_bar[n];
            for (std::size_t i = 0; i < n; ++i) now[i] = before_[t][i] * b[i * kinds + seen[t]] / scale_[t], along += now[i] * bar[i];
            for (std::size_t i = 0; i < n; ++i) {
                double const g = (bar[i] - along + 1.0) / scale_[t];
                bbar[i * kinds + seen[t]] += g * before_[t][i];
                before_bar[i] = g * b[i * kinds + seen[t]];
            }
            if (t == 0) {
                std::copy_n(before_bar, n, pbar);
                break;
            }
            for (std::size_t i = 0; i < n; ++i) now[i] = before_[t - 1][i] * b[i * kinds + seen[t - 1]] / scale_[t - 1], bar[i] = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    abar[i * n + j] += now[i] * before_bar[j];
                    bar[i] += a[i * n + j] * before_bar[j];
                }
        }
        return value;
    }

private:
    static constexpr std::size_t n = 4;
    std::vector<std::array<double, n>> before_;
    std::vector<double> scale_;
};

}  // namespace limits
