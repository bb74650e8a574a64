// Defines limits::padded, rolled and joined: sums of squares of moved elements, and their gradients, by hand: what is moved has an array, and so has its
// cotangent, as where a function that is not elementwise follows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace limits {

struct moved {
    std::vector<double> y, ybar;
    explicit moved(std::size_t n) : y(n), ybar(n) {}
    double square() {
        double sum[8] = {};
        std::size_t const n = y.size();
        double const* __restrict const p = y.data();
        double* __restrict const q = ybar.data();
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (std::size_t k = 0; k < 8; ++k) {
                sum[k] += p[i + k] * p[i + k];
                q[i + k] = 2 * p[i + k];
            }
        for (; i < n; ++i) {
            sum[0] += p[i] * p[i];
            q[i] = 2 * p[i];
        }
        return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
};

// `width` ones on each side.
struct padded : moved {
    std::size_t width;
    padded(std::size_t n, std::size_t w) : moved(n + 2 * w), width(w) {}
    double operator()(double const* x, double* xbar) {
        std::fill_n(y.data(), width, 1.0);
        std::copy_n(x, y.size() - 2 * width, y.data() + width);
        std::fill_n(y.data() + y.size() - width, width, 1.0);
        double const value = square();
        std::copy_n(ybar.data() + width, y.size() - 2 * width, xbar);
        return value;
    }
};

struct rolled : moved {
    std::size_t shift;
    rolled(std::size_t n, std::size_t s) : moved(n), shift(s) {}
    double operator()(double const* x, double* xbar) {
        std::size_t const n = y.size();
        std::copy_n(x + n - shift, shift, y.data());
        std::copy_n(x, n - shift, y.data() + shift);
        double const value = square();
        std::copy_n(ybar.data(), shift, xbar + n - shift);
        std::copy_n(ybar.data() + shift, n - shift, xbar);
        return value;
    }
};

struct joined : moved {
    explicit joined(std::size_t n) : moved(2 * n) {}
    double operator()(double const* a, double const* b, double* abar, double* bbar) {
        std::size_t const n = y.size() / 2;
        std::copy_n(a, n, y.data());
        std::copy_n(b, n, y.data() + n);
        double const value = square();
        std::copy_n(ybar.data(), n, abar);
        std::copy_n(ybar.data() + n, n, bbar);
        return value;
    }
};

}  // namespace limits
