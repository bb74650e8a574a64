// Defines limits::thomas and burgers_steps: programs that write into arrays, and their gradients, by hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace limits {

// Σ x², where x solves the tridiagonal system of a below, b on and c above the diagonal, and its gradient by all of them.
class thomas {
public:
    explicit thomas(std::size_t n) : n_(n), w_(n), b_(n), d_(n), x_(n), xbar_(n) {}
    double operator()(double const* a, double const* b, double const* c, double const* d, double* abar, double* bbar, double* cbar, double* dbar) {
        b_[0] = b[0];
        d_[0] = d[0];
        for (std::size_t i = 1; i < n_; ++i) {
            w_[i] = a[i] / b_[i - 1];
            b_[i] = b[i] - w_[i] * c[i - 1];
            d_[i] = d[i] - w_[i] * d_[i - 1];
        }
        double s = 0.0, right = 0.0;
        for (std::size_t i = n_; i-- > 0;) {
            right = x_[i] = (d_[i] - (i + 1 == n_ ? 0.0 : c[i] * right)) / b_[i];
            s += right * right;
            xbar_[i] = 2.0 * right;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            double const t = xbar_[i] / b_[i];
            dbar[i] = t;
            bbar[i] = -t * x_[i];
            cbar[i] = 0.0;
            if (i + 1 == n_) break;
            cbar[i] = -t * x_[i + 1];
            xbar_[i + 1] -= t * c[i];
        }
        for (std::size_t i = n_; i-- > 1;) {
            abar[i] = -(dbar[i] * d_[i - 1] + bbar[i] * c[i - 1]) / b_[i - 1];
            dbar[i - 1] -= w_[i] * dbar[i];
            cbar[i - 1] -= w_[i] * bbar[i];
            bbar[i - 1] -= abar[i] * w_[i];
        }
        abar[0] = 0.0;
        return s;
    }

private:
    std::size_t n_;
    std::vector<double> w_, b_, d_, x_, xbar_;
};

// Σ u² after so many steps u[i] += m (u[i + 1] - 2 u[i] + u[i - 1]) - k u[i] (u[i + 1] - u[i - 1]) of the inner points, and its gradient by the first u.
class burgers_steps {
public:
    static constexpr double k = 0.1, m = 0.05;
    burgers_steps(std::size_t n, std::size_t steps) : n_(n), steps_(steps), u_(n * (steps + 1)), g_(n) {}
    double operator()(double const* x, double* xbar) {
        std::copy_n(x, n_, u_.data());
        for (std::size_t t = 0; t < steps_; ++t) {
            double const* const u = u_.data() + t * n_;
            double* const y = u_.data() + (t + 1) * n_;
            y[0] = u[0];
            y[n_ - 1] = u[n_ - 1];
            for (std::size_t i = 1; i + 1 < n_; ++i) y[i] = u[i] + m * (u[i + 1] - 2.0 * u[i] + u[i - 1]) - k * u[i] * (u[i + 1] - u[i - 1]);
        }
        double const* const last = u_.data() + steps_ * n_;
        double s = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            s += last[i] * last[i];
            g_[i] = 2.0 * last[i];
        }
        for (std::size_t t = steps_; t-- > 0;) {
            double const* const u = u_.data() + t * n_;
            double const* const g = g_.data();
            auto const here = [=](std::size_t i) { return g[i] * (1.0 - 2.0 * m - k * (u[i + 1] - u[i - 1])); };
            auto const from_right = [=](std::size_t i) { return g[i + 1] * (m + k * u[i + 1]); };
            auto const from_left = [=](std::size_t i) { return g[i - 1] * (m - k * u[i - 1]); };
            std::size_t const e = n_ - 1;
            xbar[0] = g[0] + from_right(0);
            xbar[1] = here(1) + from_right(1);
            for (std::size_t i = 2; i + 1 < e; ++i) xbar[i] = here(i) + from_right(i) + from_left(i);
            xbar[e - 1] = here(e - 1) + from_left(e - 1);
            xbar[e] = g[e] + from_left(e);
            std::copy_n(xbar, n_, g_.data());
        }
        return s;
    }

private:
    std::size_t n_, steps_;
    std::vector<double> u_, g_;
};

}  // namespace limits
