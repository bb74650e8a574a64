// Defines limits::attention: the squared error of an attention block and its gradient by hand: matrix products, and one pass over the elements between them.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/hana.hpp>
#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>

namespace limits {

struct projections {
    xt::xtensor<double, 2> query, key, value, output;
};
XGRAD_REFLECT(projections, query, key, value, output)

class attention {
public:
    using matrix = xt::xtensor<double, 2>;

    // The mean of (softmax(Q Kᵀ / √d) V O - target)² for Q = x query and so on, whole batches of rows of x. Every array of `gradient` has its shape already.
    double operator()(projections const& p, matrix const& x, matrix const& target, projections& gradient) {
        n_ = x.shape(0);
        d_ = x.shape(1);
        for (auto* a : {&q_, &k_, &v_, &y_, &z_, &qbar_, &kbar_, &vbar_, &ybar_}) a->resize(n_ * d_);
        for (auto* a : {&s_, &sbar_}) a->resize(n_ * n_);
        double const scale = 1.0 / std::sqrt(static_cast<double>(d_));
        gemm(false, false, n_, d_, d_, 1.0, x.data(), p.query.data(), q_.data());
        gemm(false, false, n_, d_, d_, 1.0, x.data(), p.key.data(), k_.data());
        gemm(false, false, n_, d_, d_, 1.0, x.data(), p.value.data(), v_.data());
        gemm(false, true, n_, n_, d_, scale, q_.data(), k_.data(), s_.data());
        softmax();
        gemm(false, false, n_, d_, n_, 1.0, s_.data(), v_.data(), y_.data());
        gemm(false, false, n_, d_, d_, 1.0, y_.data(), p.output.data(), z_.data());
        double const loss = error(target);

        gemm(true, false, d_, d_, n_, 1.0, y_.data(), z_.data(), gradient.output.data());
        gemm(false, true, n_, d_, d_, 1.0, z_.data(), p.output.data(), ybar_.data());
        gemm(true, false, n_, d_, n_, 1.0, s_.data(), ybar_.data(), vbar_.data());
        gemm(false, true, n_, n_, d_, 1.0, ybar_.data(), v_.data(), sbar_.data());
        pull_softmax();
        gemm(false, false, n_, d_, n_, scale, sbar_.data(), k_.data(), qbar_.data());
        gemm(true, false, n_, d_, n_, scale, sbar_.data(), q_.data(), kbar_.data());
        gemm(true, false, d_, d_, n_, 1.0, x.data(), qbar_.data(), gradient.query.data());
        gemm(true, false, d_, d_, n_, 1.0, x.data(), kbar_.data(), gradient.key.data());
        gemm(true, false, d_, d_, n_, 1.0, x.data(), vbar_.data(), gradient.value.data());
        return loss;
    }

private:
    using batch = xsimd::batch<double>;
    std::size_t n_ = 0, d_ = 0;
    std::vector<double> q_, k_, v_, s_, y_, z_, qbar_, kbar_, vbar_, sbar_, ybar_;

    // y = scale op(a) op(b), of m rows and n columns.
    static void gemm(bool ta, bool tb, std::size_t m, std::size_t n, std::size_t k, double scale, double const* a, double const* b, double* y) {
        using index = xgrad::linalg::blas_index;
        auto const lda = static_cast<index>(ta ? m : k), ldb = static_cast<index>(tb ? k : n);
        cxxblas::gemm<index>(cxxblas::RowMajor, ta ? cxxblas::Trans : cxxblas::NoTrans, tb ? cxxblas::Trans : cxxblas::NoTrans, static_cast<index>(m),
                             static_cast<index>(n), static_cast<index>(k), scale, a, lda, b, ldb, 0.0, y, static_cast<index>(n));
    }
    template <class F>
    static double fold(batch const& v, F f) {
        alignas(64) double lanes[batch::size];
        v.store_aligned(lanes);
        double s = lanes[0];
        for (std::size_t i = 1; i < batch::size; ++i) s = f(s, lanes[i]);
        return s;
    }
    static double sum(batch const& v) {
        return fold(v, [](double a, double b) { return a + b; });
    }
    void softmax() {
        for (std::size_t i = 0; i < n_; ++i) {
            double* row = s_.data() + i * n_;
            batch top = batch::load_unaligned(row), total(0.0);
            for (std::size_t j = batch::size; j < n_; j += batch::size) top = xsimd::max(top, batch::load_unaligned(row + j));
            batch const largest(fold(top, [](double a, double b) { return a < b ? b : a; }));
            for (std::size_t j = 0; j < n_; j += batch::size) {
                batch const e = xsimd::exp(batch::load_unaligned(row + j) - largest);
                e.store_unaligned(row + j);
                total += e;
            }
            batch const inverse(1.0 / sum(total));
            for (std::size_t j = 0; j < n_; j += batch::size) (batch::load_unaligned(row + j) * inverse).store_unaligned(row + j);
        }
    }
    // sbar = s (sbar - Σ s sbar), row by row.
    void pull_softmax() {
        for (std::size_t i = 0; i < n_; ++i) {
            double const* s = s_.data() + i * n_;
            double* sbar = sbar_.data() + i * n_;
            batch total(0.0);
            for (std::size_t j = 0; j < n_; j += batch::size) total = xsimd::fma(batch::load_unaligned(s + j), batch::load_unaligned(sbar + j), total);
            batch const mean(sum(total));
            for (std::size_t j = 0; j < n_; j += batch::size)
                (batch::load_unaligned(s + j) * (batch::load_unaligned(sbar + j) - mean)).store_unaligned(sbar + j);
        }
    }
    // z becomes its own cotangent.
    double error(matrix const& target) {
        double const weight = 1.0 / static_cast<double>(z_.size());
        batch total(0.0), twice(2.0 * weight);
        for (std::size_t i = 0; i < z_.size(); i += batch::size) {
            batch const e = batch::load_unaligned(z_.data() + i) - batch::load_unaligned(target.data() + i);
            total = xsimd::fma(e, e, total);
            (e * twice).store_unaligned(z_.data() + i);
        }
        return sum(total) * weight;
    }
};

}  // namespace limits
