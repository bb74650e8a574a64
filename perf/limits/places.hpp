// Defines limits::thomas, burgers_steps, neighbours, rows and in_place_lu: programs that write into arrays, and their gradients, by hand.
#pragma once

#include <algorithm>
#include <cmath>
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

// Σ y², y[i] = x[i] sin(x[i + 1]), and its gradient.
inline double neighbours(std::size_t n, double const* x, double* xbar) {
    double s = 0.0;
    std::fill_n(xbar, n, 0.0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        double const t = std::sin(x[i + 1]), y = x[i] * t;
        s += y * y;
        xbar[i] += 2.0 * y * t;
        xbar[i + 1] += 2.0 * y * x[i] * std::cos(x[i + 1]);
    }
    return s;
}

// Σ h², where the rows of h are the states of u[t + 1] = u[t] (1 + k - k u[t]), and its gradient by the first.
class rows {
public:
    static constexpr double k = 0.1;
    rows(std::size_t n, std::size_t steps) : n_(n), steps_(steps), h_(n * steps) {}
    double operator()(double const* x, double* xbar) {
        std::copy_n(x, n_, h_.data());
        for (std::size_t t = 1; t < steps_; ++t) {
            double const* const u = h_.data() + (t - 1) * n_;
            double* const y = h_.data() + t * n_;
            for (std::size_t i = 0; i < n_; ++i) y[i] = u[i] * (1.0 + k - k * u[i]);
        }
        double s = 0.0;
        for (double h : h_) s += h * h;
        std::fill_n(xbar, n_, 0.0);
        for (std::size_t t = steps_; t-- > 0;) {
            double const* const u = h_.data() + t * n_;
            for (std::size_t i = 0; i < n_; ++i) xbar[i] = (t + 1 == steps_ ? 0.0 : xbar[i] * (1.0 + k - 2.0 * k * u[i])) + 2.0 * u[i];
        }
        return s;
    }

private:
    std::size_t n_, steps_;
    std::vector<double> h_;
};

// Σ u², u the factors of a where it stands, element by element without pivots, and its gradient: what each overwrites is kept.
class in_place_lu {
public:
    explicit in_place_lu(std::size_t n) : n_(n), u_(n * n) { kept_.reserve(n * n * n / 3 + n * n); }
    double operator()(double const* a, double* abar) {
        std::copy_n(a, n_ * n_, u_.data());
        kept_.clear();
        auto const u = [this](std::size_t i, std::size_t j) -> double& { return u_[i * n_ + j]; };
        auto const g = [=, this](std::size_t i, std::size_t j) -> double& { return abar[i * n_ + j]; };
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t i = k + 1; i < n_; ++i) {
                kept_.push_back(u(i, k));
                u(i, k) /= u(k, k);
                for (std::size_t j = k + 1; j < n_; ++j) {
                    kept_.push_back(u(i, j));
                    u(i, j) -= u(i, k) * u(k, j);
                }
            }
        double s = 0.0;
        for (std::size_t i = 0; i < n_ * n_; ++i) {
            s += u_[i] * u_[i];
            abar[i] = 2.0 * u_[i];
        }
        for (std::size_t k = n_; k-- > 0;)
            for (std::size_t i = n_; i-- > k + 1;) {
                for (std::size_t j = n_; j-- > k + 1;) {
                    u(i, j) = kept_.back();
                    kept_.pop_back();
                    g(i, k) -= g(i, j) * u(k, j);
                    g(k, j) -= g(i, j) * u(i, k);
                }
                double const l = u(i, k);
                u(i, k) = kept_.back();
                kept_.pop_back();
                g(i, k) /= u(k, k);
                g(k, k) -= g(i, k) * l;
            }
        return s;
    }

private:
    std::size_t n_;
    std::vector<double> u_, kept_;
};

}  // namespace limits
