// Defines limits::linear_regression: a least-squares fit and the error of its predictions, and their gradient by hand: one QR decomposition, whose factors
// serve the adjoint.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

namespace limits {

class linear_regression {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // |y - X b| for the b that makes it least. At a least value the change of b has no part in the gradient. xbar and ybar have their shapes already.
    double residual(matrix const& x, vector const& y, matrix& xbar, vector& ybar) {
        if (!fit(x, y)) return 0.0;
        double const norm = std::sqrt(dot(r_, r_));
        for (std::size_t i = 0; i < m_; ++i) {
            ybar(i) = r_[i] / norm;
            for (std::size_t j = 0; j < n_; ++j) xbar(i, j) = -ybar(i) * b_[j];
        }
        return norm;
    }
    // |v - U b| on other data, for the same b.
    double held_out(matrix const& x, vector const& y, matrix const& u, vector const& v, matrix& xbar, vector& ybar) {
        if (!fit(x, y)) return 0.0;
        auto const m = static_cast<index>(m_), n = static_cast<index>(n_), k = static_cast<index>(v.size());
        e_.assign(v.data(), v.data() + v.size());
        cxxblas::gemv<index>(cxxblas::RowMajor, cxxblas::NoTrans, k, n, -1.0, u.data(), n, b_.data(), 1, 1.0, e_.data(), 1);
        double const norm = std::sqrt(dot(e_, e_));
        // b̄ = -Uᵀ e / |e|, w = (Xᵀ X)⁻¹ b̄ = R⁻¹ R⁻ᵀ b̄: ȳ = X w = Q R⁻ᵀ b̄, X̄ = r wᵀ - ȳ bᵀ
        w_.resize(n_);
        cxxblas::gemv<index>(cxxblas::RowMajor, cxxblas::Trans, k, n, -1.0 / norm, u.data(), n, e_.data(), 1, 0.0, w_.data(), 1);
        cxxblas::trsv(cxxblas::RowMajor, cxxblas::Upper, cxxblas::Trans, cxxblas::NonUnit, n, upper_.data(), n, w_.data(), index(1));
        cxxblas::gemv<index>(cxxblas::RowMajor, cxxblas::NoTrans, m, n, 1.0, q_.data(), n, w_.data(), 1, 0.0, ybar.data(), 1);
        cxxblas::trsv(cxxblas::RowMajor, cxxblas::Upper, cxxblas::NoTrans, cxxblas::NonUnit, n, upper_.data(), n, w_.data(), index(1));
        for (std::size_t i = 0; i < m_; ++i)
            for (std::size_t j = 0; j < n_; ++j) xbar(i, j) = r_[i] * w_[j] - ybar(i) * b_[j];
        return norm;
    }

private:
    using index = xgrad::linalg::blas_index;
    std::size_t m_ = 0, n_ = 0;
    std::vector<double> q_, upper_, tau_, work_, b_, r_, e_, w_;

    // X = Q R, b = R⁻¹ Qᵀ y, r = y - X b.
    bool fit(matrix const& x, vector const& y) {
        m_ = x.shape(0);
        n_ = x.shape(1);
        auto const m = static_cast<index>(m_), n = static_cast<index>(n_), work = static_cast<index>(32 * n_);
        q_.assign(x.data(), x.data() + x.size());
        upper_.resize(n_ * n_);
        tau_.resize(n_);
        work_.resize(32 * n_);
        b_.resize(n_);
        // rows are LAPACK's columns: it decomposes Xᵀ = Rᵀ Qᵀ
        if (cxxlapack::gelqf(n, m, q_.data(), n, tau_.data(), work_.data(), work) != 0) return false;
        std::copy_n(q_.data(), n_ * n_, upper_.data());
        if (cxxlapack::orglq(n, m, n, q_.data(), n, tau_.data(), work_.data(), work) != 0) return false;
        cxxblas::gemv<index>(cxxblas::RowMajor, cxxblas::Trans, m, n, 1.0, q_.data(), n, y.data(), 1, 0.0, b_.data(), 1);
        cxxblas::trsv(cxxblas::RowMajor, cxxblas::Upper, cxxblas::NoTrans, cxxblas::NonUnit, n, upper_.data(), n, b_.data(), index(1));
        r_.assign(y.data(), y.data() + y.size());
        cxxblas::gemv<index>(cxxblas::RowMajor, cxxblas::NoTrans, m, n, -1.0, x.data(), n, b_.data(), 1, 1.0, r_.data(), 1);
        return true;
    }
    static double dot(std::vector<double> const& a, std::vector<double> const& b) {
        double s = 0.0;
        cxxblas::dot(static_cast<index>(a.size()), a.data(), index(1), b.data(), index(1), s);
        return s;
    }
};

}  // namespace limits
