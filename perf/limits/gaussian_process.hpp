// Defines limits::gaussian_process: the negative logarithm of the marginal likelihood of a Gaussian process and its gradient by hand: one Cholesky
// factorisation, the inverse from it, and sums over one triangle.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

namespace limits {

class gaussian_process {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // ½ (yᵀ K⁻¹ y + log det K), K = exp(2s) exp(-½ d² exp(-2l)) + exp(2t) I, for squared distances d² and theta = (s, l, t).
    double operator()(std::array<double, 3> const& theta, matrix const& squares, vector const& y, std::array<double, 3>& gradient) {
        using index = xgrad::linalg::blas_index;
        std::size_t const size = y.size();
        auto const n = static_cast<index>(size);
        double const variance = std::exp(2.0 * theta[0]), rate = -0.5 * std::exp(-2.0 * theta[1]), noise = std::exp(2.0 * theta[2]);
        k_.resize(size * size);
        l_.resize(size * size);
        w_.assign(y.data(), y.data() + size);
        double const* d = squares.data();
        for (std::size_t i = 0; i < size; ++i) {
            std::size_t j = 0;
            for (; j <= i && j + batch::size <= size; j += batch::size)
                (variance * xsimd::exp(batch::load_unaligned(d + i * size + j) * rate)).store_unaligned(k_.data() + i * size + j);
            for (; j <= i; ++j) k_[i * size + j] = variance * std::exp(d[i * size + j] * rate);
            for (j = 0; j <= i; ++j) l_[i * size + j] = k_[i * size + j];
            l_[i * size + i] += noise;
        }
        if (cxxlapack::potrf('U', n, l_.data(), n) != 0) return 0.0;
        double logdet = 0.0, quadratic = 0.0;
        for (std::size_t i = 0; i < size; ++i) logdet += 2.0 * std::log(l_[i * (size + 1)]);
        cxxblas::trsv(cxxblas::RowMajor, cxxblas::Lower, cxxblas::NoTrans, cxxblas::NonUnit, n, l_.data(), n, w_.data(), index(1));
        cxxblas::trsv(cxxblas::RowMajor, cxxblas::Lower, cxxblas::Trans, cxxblas::NonUnit, n, l_.data(), n, w_.data(), index(1));
        for (std::size_t i = 0; i < size; ++i) quadratic += y(i) * w_[i];
        cxxlapack::potri('U', n, l_.data(), n);
        // ∂/∂K = ½ (K⁻¹ - w wᵀ), symmetric
        double by_variance = 0.0, by_rate = 0.0, trace = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            double v = 0.0, r = 0.0;
            for (std::size_t j = 0; j < i; ++j) {
                double const g = (l_[i * size + j] - w_[i] * w_[j]) * k_[i * size + j];
                v += g;
                r += g * d[i * size + j];
            }
            double const diagonal = l_[i * (size + 1)] - w_[i] * w_[i];
            by_variance += 2.0 * v + diagonal * k_[i * (size + 1)];
            by_rate += 2.0 * r + diagonal * k_[i * (size + 1)] * d[i * (size + 1)];
            trace += diagonal;
        }
        gradient = {by_variance, -rate * by_rate, noise * trace};
        return 0.5 * (quadratic + logdet);
    }

private:
    using batch = xsimd::batch<double>;
    std::vector<double> k_, l_, w_;
};

}  // namespace limits
