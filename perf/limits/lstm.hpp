// Defines limits::lstm: a recurrent network of long short-term memory and its gradient by hand: matrix products, and one pass over the elements between them.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>

namespace limits {

// Steps of some rows from zeros: z = x + h W, whose columns are those of the gates i, f, o and of the candidate g; c' = f c + i g, h' = o tanh(c'), with
// sigmoid(i), sigmoid(f), sigmoid(o), tanh(g) in their places. The value is Σ h² after the last step; whole registers of units.
class lstm {
public:
    lstm(std::size_t steps, std::size_t rows, std::size_t units)
        : n_(steps), rows_(rows), units_(units), h_((steps + 1) * rows * units), c_(h_.size()), tanh_c_(h_.size()), gates_(steps * rows * 4 * units),
          hbar_(rows * units), cbar_(rows * units) {}
    // x has 4 units for each row of each step; it is overwritten by no one, and xbar has its shape.
    double operator()(double const* x, double const* w, double* xbar, double* wbar) {
        std::size_t const size = rows_ * units_;
        for (std::size_t t = 0; t < n_; ++t) {
            double* z = gates_.data() + t * 4 * size;
            std::copy_n(x + t * 4 * size, 4 * size, z);
            gemm(false, false, rows_, 4 * units_, units_, h_.data() + t * size, w, 1.0, z);
            for (std::size_t r = 0; r < rows_; ++r)
                for (std::size_t j = 0; j < units_; j += batch::size) {
                    double* const g = z + r * 4 * units_ + j;
                    std::size_t const at = t * size + r * units_ + j;
                    batch const i = sigmoid(load(g)), f = sigmoid(load(g + units_)), o = sigmoid(load(g + 2 * units_)), k = tanh(load(g + 3 * units_));
                    batch const c = f * load(&c_[at]) + i * k, y = tanh(c);
                    i.store_unaligned(g);
                    f.store_unaligned(g + units_);
                    o.store_unaligned(g + 2 * units_);
                    k.store_unaligned(g + 3 * units_);
                    c.store_unaligned(&c_[at + size]);
                    y.store_unaligned(&tanh_c_[at + size]);
                    (o * y).store_unaligned(&h_[at + size]);
                }
        }
        double value = 0.0;
        for (std::size_t j = 0; j < size; ++j) {
            double const h = h_[n_ * size + j];
            value += h * h;
            hbar_[j] = 2.0 * h;
            cbar_[j] = 0.0;
        }
        for (std::size_t t = n_; t-- > 0;) {
            double* zbar = xbar + t * 4 * size;
            for (std::size_t r = 0; r < rows_; ++r)
                for (std::size_t j = 0; j < units_; j += batch::size) {
                    double const* const g = gates_.data() + t * 4 * size + r * 4 * units_ + j;
                    double* const gbar = zbar + r * 4 * units_ + j;
                    std::size_t const here = r * units_ + j, at = t * size + here;
                    batch const i = load(g), f = load(g + units_), o = load(g + 2 * units_), k = load(g + 3 * units_), y = load(&tanh_c_[at + size]);
                    batch const one(1.0), hbar = load(&hbar_[here]), cbar = load(&cbar_[here]) + hbar * o * (one - y * y);
                    (cbar * k * i * (one - i)).store_unaligned(gbar);
                    (cbar * load(&c_[at]) * f * (one - f)).store_unaligned(gbar + units_);
                    (hbar * y * o * (one - o)).store_unaligned(gbar + 2 * units_);
                    (cbar * i * (one - k * k)).store_unaligned(gbar + 3 * units_);
                    (cbar * f).store_unaligned(&cbar_[here]);
                }
            gemm(false, true, rows_, units_, 4 * units_, zbar, w, 0.0, hbar_.data());
        }
        // all steps at once
        gemm(true, false, units_, 4 * units_, n_ * rows_, h_.data(), xbar, 0.0, wbar);
        return value;
    }

private:
    using batch = xsimd::batch<double>;
    std::size_t n_, rows_, units_;
    std::vector<double> h_, c_, tanh_c_, gates_, hbar_, cbar_;

    static batch load(double const* p) { return batch::load_unaligned(p); }
    static batch sigmoid(batch const& x) { return batch(1.0) / (batch(1.0) + xsimd::exp(-x)); }
    static batch tanh(batch const& x) { return batch(2.0) / (batch(1.0) + xsimd::exp(batch(-2.0) * x)) - batch(1.0); }
    // y = op(a) op(b) + keep y, of m rows and n columns.
    static void gemm(bool ta, bool tb, std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, double keep, double* y) {
        using index = xgrad::linalg::blas_index;
        auto const lda = static_cast<index>(ta ? m : k), ldb = static_cast<index>(tb ? k : n);
        cxxblas::gemm<index>(cxxblas::RowMajor, ta ? cxxblas::Trans : cxxblas::NoTrans, tb ? cxxblas::Trans : cxxblas::NoTrans, static_cast<index>(m),
                             static_cast<index>(n), static_cast<index>(k), 1.0, a, lda, b, ldb, keep, y, static_cast<index>(n));
    }
};

}  // namespace limits
