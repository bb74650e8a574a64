// Defines limits::gaussian_density: the logarithm of a Gaussian density at many points and its gradient by hand: one Cholesky factorisation, two triangular
// solves for all points, and one symmetric product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

#if defined(HAVE_CBLAS)
#include <xflens/cxxblas/level3/syrk.tcc>
#endif

namespace limits {

class gaussian_density {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // Σ log N(row of x; mean, covariance), whole batches of rows. meanbar and covariancebar have their shapes already; covariancebar is symmetric.
    double operator()(vector const& mean, matrix const& covariance, matrix const& x, vector& meanbar, matrix& covariancebar) {
        using index = xgrad::linalg::blas_index;
        std::size_t const rows = x.shape(0), size = mean.size();
        auto const n = static_cast<index>(rows), d = static_cast<index>(size);
        auto const count = static_cast<double>(rows);
        l_.assign(covariance.data(), covariance.data() + covariance.size());
        if (cxxlapack::potrf('U', d, l_.data(), d) != 0) return 0.0;
        double logdet = 0.0;
        for (std::size_t i = 0; i < size; ++i) logdet += 2.0 * std::log(l_[i * (size + 1)]);
        // z = L⁻¹ (x - mean)ᵀ, w = L⁻ᵀ z: from the left, where OpenBLAS is faster
        z_.resize(rows * size);
        for (std::size_t first = 0; first < rows; first += 8)
            for (std::size_t j = 0; j < size; ++j)
                for (std::size_t i = first; i < std::min(first + 8, rows); ++i) z_[j * rows + i] = x.data()[i * size + j] - mean.data()[j];
        cxxblas::trsm(cxxblas::RowMajor, cxxblas::Left, cxxblas::Lower, cxxblas::NoTrans, cxxblas::NonUnit, d, n, 1.0, l_.data(), d, z_.data(), n);
        double const squares = sum([](batch v) { return v * v; }, z_.data(), z_.size());
        cxxblas::trsm(cxxblas::RowMajor, cxxblas::Left, cxxblas::Lower, cxxblas::Trans, cxxblas::NonUnit, d, n, 1.0, l_.data(), d, z_.data(), n);
        for (std::size_t j = 0; j < size; ++j) meanbar(j) = sum([](batch v) { return v; }, z_.data() + j * rows, rows);
        // ½ (w wᵀ - n S⁻¹), in the lower triangle
        cxxlapack::potri('U', d, l_.data(), d);
        cxxblas::syrk(cxxblas::RowMajor, cxxblas::Lower, cxxblas::NoTrans, d, n, 0.5, z_.data(), n, -0.5 * count, l_.data(), d);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j <= i; ++j) covariancebar(i, j) = covariancebar(j, i) = l_[i * size + j];
        return -0.5 * (squares + count * (logdet + static_cast<double>(size) * std::log(2.0 * std::acos(-1.0))));
    }

private:
    using batch = xsimd::batch<double>;
    std::vector<double> l_, z_;

    // Σ f(p[i]) over whole batches.
    template <class F>
    static double sum(F f, double const* p, std::size_t n) {
        batch total(0.0);
        for (std::size_t i = 0; i < n; i += batch::size) total += f(batch::load_unaligned(p + i));
        alignas(64) double lanes[batch::size];
        total.store_aligned(lanes);
        double s = 0.0;
        for (double v : lanes) s += v;
        return s;
    }
};

}  // namespace limits
