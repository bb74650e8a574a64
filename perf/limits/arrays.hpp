// Defines limits::mixture, distances, centres, normalised_rows, products, polynomial and jacobian_of_elements: programs on arrays, and their derivatives.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <perf/limits/elementwise.hpp>

namespace limits {

// Σ over points of logsumexp over components c of α[c] + Σ l[c, j] - ½ Σ ((x[j] - m[c, j]) exp(l[c, j]))², and its gradient by α, m and l. The points
// are columns, as many as some batches have lanes: each batch has the same coordinate of some.
class mixture {
public:
    mixture(std::size_t points, std::size_t dimensions, std::size_t components)
        : n_(points), d_(dimensions), k_(components), t_(points * components), top_(points), sum_(points) {}
    double operator()(double const* x, double const* a, double const* m, double const* l, double* abar, double* mbar, double* lbar) {
        constexpr std::size_t w = batch::size;
        for (std::size_t c = 0; c < k_; ++c) {
            double height = a[c];
            scale_.assign(d_, 0.0);
            for (std::size_t j = 0; j < d_; ++j) {
                height += l[c * d_ + j];
                scale_[j] = std::exp(l[c * d_ + j]);
            }
            for (std::size_t i = 0; i < n_; i += w) {
                batch q(0.0);
                for (std::size_t j = 0; j < d_; ++j) {
                    batch const z = (batch::load_unaligned(x + j * n_ + i) - batch(m[c * d_ + j])) * batch(scale_[j]);
                    q += z * z;
                }
                batch const t = batch(height) - batch(0.5) * q;
                t.store_unaligned(t_.data() + c * n_ + i);
                (c == 0 ? t : xsimd::max(t, batch::load_unaligned(top_.data() + i))).store_unaligned(top_.data() + i);
            }
        }
        batch value(0.0);
        for (std::size_t i = 0; i < n_; i += w) {
            batch const top = batch::load_unaligned(top_.data() + i);
            batch s(0.0);
            for (std::size_t c = 0; c < k_; ++c) {
                double* const t = t_.data() + c * n_ + i;
                batch const e = xsimd::exp(batch::load_unaligned(t) - top);
                e.store_unaligned(t);
                s += e;
            }
            value += xsimd::log(s) + top;
            (batch(1.0) / s).store_unaligned(sum_.data() + i);
        }
        for (std::size_t c = 0; c < k_; ++c) {
            batch weights(0.0);
            for (std::size_t i = 0; i < n_; i += w) {
                double* const t = t_.data() + c * n_ + i;
                batch const g = batch::load_unaligned(t) * batch::load_unaligned(sum_.data() + i);
                g.store_unaligned(t);
                weights += g;
            }
            double const total = abar[c] = sum_first(weights, w);
            for (std::size_t j = 0; j < d_; ++j) {
                double const e = std::exp(l[c * d_ + j]);
                batch first(0.0), second(0.0);
                for (std::size_t i = 0; i < n_; i += w) {
                    batch const z = (batch::load_unaligned(x + j * n_ + i) - batch(m[c * d_ + j])) * batch(e);
                    batch const g = batch::load_unaligned(t_.data() + c * n_ + i) * z;
                    first += g;
                    second += g * z;
                }
                mbar[c * d_ + j] = e * sum_first(first, w);
                lbar[c * d_ + j] = total - sum_first(second, w);
            }
        }
        return sum_first(value, w);
    }

private:
    std::size_t n_, d_, k_;
    std::vector<double> t_, top_, sum_, scale_;
};

// Σ over rows of the distance of two points, and its gradient: rows of as many numbers as a line of the cache has.
inline double distances(std::size_t rows, double const* a, double const* b, double* abar, double* bbar) {
    constexpr std::size_t n = 8;
    double s = 0.0;
    for (std::size_t r = 0; r < rows; ++r, a += n, b += n, abar += n, bbar += n) {
        double d[n], q[n];
        for (std::size_t j = 0; j < n; ++j) {
            d[j] = a[j] - b[j];
            q[j] = d[j] * d[j];
        }
        for (std::size_t m = n / 2; m != 0; m /= 2)
            for (std::size_t j = 0; j < m; ++j) q[j] += q[j + m];
        double const y = std::sqrt(q[0]), g = 1.0 / y;
        s += y;
        for (std::size_t j = 0; j < n; ++j) {
            abar[j] = g * d[j];
            bbar[j] = -abar[j];
        }
    }
    return s;
}

// Σ √(|p_i − c_j|² + 0.1) of n points and k centres in the plane, with both gradients: coordinates apart, along the points, of which there are whole
// batches.
inline double centres(std::size_t n, std::size_t k, double const* p, double const* c, double* pbar, double* cbar) {
    constexpr std::size_t w = batch::size;
    static std::vector<double> all;
    all.assign(4 * n, 0.0);
    double *const x = all.data(), *const y = x + n, *const xbar = y + n, *const ybar = xbar + n;
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = p[2 * i];
        y[i] = p[2 * i + 1];
    }
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
        batch const cx(c[2 * j]), cy(c[2 * j + 1]);
        batch s(0.0), sx(0.0), sy(0.0);
        for (std::size_t i = 0; i < n; i += w) {
            batch const dx = batch::load_unaligned(x + i) - cx, dy = batch::load_unaligned(y + i) - cy, d = xsimd::sqrt(dx * dx + dy * dy + batch(0.1));
            batch const r = batch(1.0) / d, gx = dx * r, gy = dy * r;
            s += d;
            sx -= gx;
            sy -= gy;
            (batch::load_unaligned(xbar + i) + gx).store_unaligned(xbar + i);
            (batch::load_unaligned(ybar + i) + gy).store_unaligned(ybar + i);
        }
        sum += sum_first(s, w);
        cbar[2 * j] = sum_first(sx, w);
        cbar[2 * j + 1] = sum_first(sy, w);
    }
    for (std::size_t i = 0; i < n; ++i) {
        pbar[2 * i] = xbar[i];
        pbar[2 * i + 1] = ybar[i];
    }
    return sum;
}

// Σ a², a the polynomial of x whose k coefficients c are given, the lowest first: Horner's steps in place, one loop each. There are whole batches.
inline double polynomial(std::size_t n, std::size_t k, double const* x, double const* c, double* a) {
    constexpr std::size_t w = batch::size;
    for (std::size_t i = 0; i < n; i += w) batch(c[k - 1]).store_unaligned(a + i);
    for (std::size_t j = k - 1; j-- != 0;)
        for (std::size_t i = 0; i < n; i += w)
            xsimd::fma(batch::load_unaligned(a + i), batch::load_unaligned(x + i), batch(c[j])).store_unaligned(a + i);
    batch s(0.0);
    for (std::size_t i = 0; i < n; i += w) s = xsimd::fma(batch::load_unaligned(a + i), batch::load_unaligned(a + i), s);
    return sum_first(s, w);
}

// The dense Jacobian of x exp(x) in lanes, eight directions in each pass.
inline void jacobian_of_elements(std::size_t n, double const* x, double* y) {
    constexpr std::size_t lanes = 8;
    for (std::size_t k = 0; k < n; k += lanes)
        for (std::size_t i = 0; i < n; ++i) {
            double const slope = k <= i && i < k + lanes ? std::exp(x[i]) * (1.0 + x[i]) : 0.0;
            for (std::size_t j = 0; j < lanes; ++j) y[i * n + k + j] = k + j == i ? slope : 0.0;
        }
}

// Σ (g z)², where z is x - m, m the mean of a row x, over the root of the mean of its squares plus 1e-5; its gradient by x and g. Rows of whole batches.
inline double normalised_rows(std::size_t rows, std::size_t n, double const* x, double const* g, double* xbar, double* gbar) {
    constexpr std::size_t w = batch::size;
    auto const mean = [n](auto f) {
        batch s(0.0);
        for (std::size_t j = 0; j < n; j += w) s += f(j);
        return sum_first(s, w) / static_cast<double>(n);
    };
    batch value(0.0);
    for (std::size_t j = 0; j < n; ++j) gbar[j] = 0.0;
    for (std::size_t i = 0; i < rows; ++i, x += n, xbar += n) {
        batch const m(mean([=](std::size_t j) { return batch::load_unaligned(x + j); }));
        auto const centred = [=](std::size_t j) { return batch::load_unaligned(x + j) - m; };
        double const scale = 1.0 / std::sqrt(mean([=](std::size_t j) { return centred(j) * centred(j); }) + 1e-5);
        batch sum(0.0), product(0.0);
        for (std::size_t j = 0; j < n; j += w) {
            batch const z = centred(j) * batch(scale), a = batch::load_unaligned(g + j), y = a * z, h = batch(2.0) * y * a;
            value += y * y;
            (batch::load_unaligned(gbar + j) + batch(2.0) * y * z).store_unaligned(gbar + j);
            h.store_unaligned(xbar + j);
            sum += h;
            product += h * z;
        }
        batch const s(sum_first(sum, w) / static_cast<double>(n)), p(sum_first(product, w) / static_cast<double>(n));
        for (std::size_t j = 0; j < n; j += w)
            (batch(scale) * (batch::load_unaligned(xbar + j) - s - centred(j) * batch(scale) * p)).store_unaligned(xbar + j);
    }
    return sum_first(value, w);
}

// Σ (a b)² of pairs of 3 x 3 matrices a and b, and its gradient by all of them.
inline double products(std::size_t pairs, double const* a, double const* b, double* abar, double* bbar) {
    double value = 0.0;
    for (std::size_t k = 0; k < pairs; ++k, a += 9, b += 9, abar += 9, bbar += 9) {
        double y[9];
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                double const z = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
                value += z * z;
                y[3 * i + j] = 2.0 * z;
            }
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                abar[3 * i + j] = y[3 * i] * b[3 * j] + y[3 * i + 1] * b[3 * j + 1] + y[3 * i + 2] * b[3 * j + 2];
                bbar[3 * i + j] = a[i] * y[j] + a[3 + i] * y[3 + j] + a[6 + i] * y[6 + j];
            }
    }
    return value;
}

}  // namespace limits
