// Defines limits::rosenbrock, burgers, taps, differences, five_point and nine_point: sums over stencils, and their gradients, by hand: each residual once, then
// for each element what the residuals around it send back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <perf/limits/elementwise.hpp>

namespace limits {

// Elements of B from p on: a batch of them, or one.
template <class B>
B at(double const* p) {
    if constexpr (std::is_same_v<B, double>) return *p;
    else return B::load_unaligned(p);
}
inline void put(double* p, double v) { *p = v; }
inline void put(double* p, batch v) { v.store_unaligned(p); }

// Σ f(i, B()) over i = begin, ..., end - 1, in two sums of batches, and the last ones one by one.
template <class F>
inline double sum_over(std::size_t begin, std::size_t end, F f) {
    constexpr std::size_t w = batch::size;
    batch s(0.0), t(0.0);
    std::size_t i = begin;
    for (; i + 2 * w <= end; i += 2 * w) {
        s += f(i, batch());
        t += f(i + w, batch());
    }
    double sum = sum_first(s + t, w);
    for (; i < end; ++i) sum += f(i, 0.0);
    return sum;
}
template <class F>
inline void for_all(std::size_t n, F f) {
    constexpr std::size_t w = batch::size;
    std::size_t i = 0;
    for (; i + w <= n; i += w) f(i, batch());
    for (; i < n; ++i) f(i, 0.0);
}

// Σ 100 (x[i + 1] - x[i]²)² + (1 - x[i])², of at least two numbers.
struct rosenbrock {
    explicit rosenbrock(std::size_t n) : n_(n) {}
    double operator()(double const* x, double* xbar) const {
        double const t = x[1] - x[0] * x[0], s = 1.0 - x[0];
        xbar[0] = -400.0 * x[0] * t - 2.0 * s;
        xbar[n_ - 1] = 200.0 * (x[n_ - 1] - x[n_ - 2] * x[n_ - 2]);
        return 100.0 * t * t + s * s + sum_over(1, n_ - 1, [=]<class B>(std::size_t i, B) {
                   B const left = at<B>(x + i - 1), here = at<B>(x + i);
                   B const r = at<B>(x + i + 1) - here * here, q = B(1.0) - here;
                   put(xbar + i, B(200.0) * (here - left * left) - B(400.0) * here * r - B(2.0) * q);
                   return B(100.0) * r * r + q * q;
               });
    }

private:
    std::size_t n_;
};

// Σ v², v = c - k c (r - l) + m (r - 2 c + l), where l, c, r are neighbours.
struct burgers {
    static constexpr double k = 0.1, m = 0.05;
    explicit burgers(std::size_t n) : n_(n), g_(n + 2) {}
    double operator()(double const* x, double* xbar) {
        double* const g = g_.data() + 1;  // 0 outside of 1, ..., n - 2
        double const y = sum_over(1, n_ - 1, [=]<class B>(std::size_t i, B) {
            B const l = at<B>(x + i - 1), c = at<B>(x + i), r = at<B>(x + i + 1);
            B const v = c - B(k) * c * (r - l) + B(m) * (r - B(2.0) * c + l);
            put(g + i, v + v);
            return v * v;
        });
        double const first = g[1] * (k * x[1] + m), last = g[n_ - 2] * (m - k * x[n_ - 2]);
        for_all(n_ - 2, [=]<class B>(std::size_t j, B) {
            std::size_t const i = j + 1;
            B const l = at<B>(x + i - 1), r = at<B>(x + i + 1);
            put(xbar + i, at<B>(g + i) * (B(1.0 - 2.0 * m) - B(k) * (r - l)) + at<B>(g + i - 1) * (B(m) - B(k) * l) + at<B>(g + i + 1) * (B(m) + B(k) * r));
        });
        xbar[0] = first;
        xbar[n_ - 1] = last;
        return y;
    }

private:
    std::size_t n_;
    std::vector<double> g_;
};

// Σ v², v = Σ w[k] x[i + k], of five taps.
struct taps {
    static constexpr double w[5] = {0.1, -0.4, 0.9, -0.3, 0.2};
    explicit taps(std::size_t n) : n_(n), g_(n + 4) {}
    double operator()(double const* x, double* xbar) {
        double* const g = g_.data() + 4;  // 0 outside of 0, ..., n - 5
        double const y = sum_over(0, n_ - 4, [=]<class B>(std::size_t i, B) {
            B v = B(w[0]) * at<B>(x + i);
            for (std::size_t t = 1; t < 5; ++t) v += B(w[t]) * at<B>(x + i + t);
            put(g + i, v + v);
            return v * v;
        });
        for_all(n_, [=]<class B>(std::size_t i, B) {
            B v = B(w[0]) * at<B>(g + i);
            for (std::size_t t = 1; t < 5; ++t) v += B(w[t]) * at<B>(g + i - t);
            put(xbar + i, v);
        });
        return y;
    }

private:
    std::size_t n_;
    std::vector<double> g_;
};

// The squares of the differences of neighbours, along rows and along columns of n × n, all summed.
struct differences {
    explicit differences(std::size_t n) : n_(n) {}
    double operator()(double const* x, double* xbar) const {
        std::size_t const n = n_;
        double y = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            double const* const here = x + i * n;
            double const* const up = i > 0 ? here - n : here;
            double const* const down = i + 1 < n ? here + n : here;
            double* const to = xbar + i * n;
            auto const point = [=]<class B>(std::size_t j, B left, B right) {
                B const c = at<B>(here + j), u = c - at<B>(up + j), d = at<B>(down + j) - c, l = c - left, r = right - c;
                put(to + j, B(2.0) * (u - d + l - r));
                return d * d + r * r;
            };
            y += point(0, here[0], here[1]) + point(n - 1, here[n - 2], here[n - 1]);
            y += sum_over(1, n - 1, [=]<class B>(std::size_t j, B) { return point(j, at<B>(here + j - 1), at<B>(here + j + 1)); });
        }
        return y;
    }

private:
    std::size_t n_;
};

// Σ v² over the inner points of n × n, v = a c - b (the four neighbours) - d (the four at the corners). The residuals are in three rows that go round.
template <bool Corners>
struct grid_energy {
    static constexpr double a = Corners ? 20.0 / 6.0 : 4.0, b = Corners ? 4.0 / 6.0 : 1.0, d = 1.0 / 6.0;
    explicit grid_energy(std::size_t n) : n_(n), rows_(3 * (n + 2)) {}
    double operator()(double const* x, double* xbar) {
        std::size_t const n = n_;
        std::fill(rows_.begin(), rows_.end(), 0.0);
        double* up = rows_.data() + 1;
        double* here = up + (n + 2);
        double* down = here + (n + 2);
        double y = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            // the residuals of row i + 1
            if (i + 2 < n) {
                double const* const p = x + (i + 1) * n;
                y += sum_over(1, n - 1, [=]<class B>(std::size_t j, B) {
                    B const v = stencil<B>(p - n + j, p + j, p + n + j);
                    put(down + j, v + v);
                    return v * v;
                });
            } else std::fill_n(down, n, 0.0);
            for_all(n, [=]<class B>(std::size_t j, B) { put(xbar + i * n + j, stencil<B>(up + j, here + j, down + j)); });
            std::swap(up, here);
            std::swap(here, down);
        }
        return y;
    }

private:
    std::size_t n_;
    std::vector<double> rows_;

    // It is its own transpose.
    template <class B>
    static B stencil(double const* up, double const* here, double const* down) {
        B v = B(a) * at<B>(here) - B(b) * ((at<B>(up) + at<B>(down)) + (at<B>(here - 1) + at<B>(here + 1)));
        if constexpr (Corners) v -= B(d) * ((at<B>(up - 1) + at<B>(up + 1)) + (at<B>(down - 1) + at<B>(down + 1)));
        return v;
    }
};
using five_point = grid_energy<false>;
using nine_point = grid_energy<true>;

}  // namespace limits
