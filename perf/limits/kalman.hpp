// Defines limits::kalman: one step of a Kalman filter, its cost and its gradient by hand: one Cholesky factorisation, and products of small matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/hana.hpp>
#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

namespace limits {

// x' = F x + noise of covariance Q, y = H x' + noise of covariance R.
struct linear_system {
    xt::xtensor<double, 2> f, q, h, r;
};
XGRAD_REFLECT(linear_system, f, q, h, r)

class kalman {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // Minus the logarithm of the density of the observation y, and half the expected square of the state after it: mean and covariance p are the state's
    // before. Every array of `gradient` has its shape already.
    double operator()(linear_system const& s, vector const& mean, matrix const& p, vector const& y, linear_system& gradient) {
        n_ = mean.size();
        m_ = y.size();
        for (auto* a : {&predicted_, &updated_, &meanbar_}) a->resize(n_);
        for (auto* a : {&fp_, &p1_, &fpbar_}) a->resize(n_ * n_);
        for (auto* a : {&b_, &c_, &cbar_}) a->resize(m_ * n_);
        for (auto* a : {&l_, &sbar_}) a->resize(m_ * m_);
        for (auto* a : {&w_, &wbar_}) a->resize(m_);
        auto const n = static_cast<index>(n_), m = static_cast<index>(m_);
        double const* f = s.f.data();
        double const* h = s.h.data();

        // the prediction: F mean, F P Fᵀ + Q
        gemv(false, n_, n_, 1.0, f, mean.data(), 0.0, predicted_.data());
        gemm(false, false, n_, n_, n_, 1.0, f, p.data(), 0.0, fp_.data());
        copy(s.q, p1_);
        gemm(false, true, n_, n_, n_, 1.0, fp_.data(), f, 1.0, p1_.data());
        // L Lᵀ = H P Hᵀ + R, C = L⁻¹ H P, w = L⁻¹ (y - H mean)
        gemm(false, false, m_, n_, n_, 1.0, h, p1_.data(), 0.0, b_.data());
        copy(s.r, l_);
        gemm(false, true, m_, m_, n_, 1.0, b_.data(), h, 1.0, l_.data());
        if (cxxlapack::potrf('U', m, l_.data(), m) != 0) return 0.0;
        copy(y, w_);
        gemv(false, m_, n_, -1.0, h, predicted_.data(), 1.0, w_.data());
        c_ = b_;
        solve(cxxblas::NoTrans, c_, n);
        solve(cxxblas::NoTrans, w_, 1);
        // the update: mean + Cᵀ w, P - Cᵀ C
        updated_ = predicted_;
        gemv(true, m_, n_, 1.0, c_.data(), w_.data(), 1.0, updated_.data());
        double cost = 0.5 * (dot(w_, w_) + dot(updated_, updated_) - dot(c_, c_)) + 0.5 * static_cast<double>(m_) * std::log(2.0 * std::acos(-1.0));
        for (std::size_t i = 0; i < n_; ++i) cost += 0.5 * p1_[i * (n_ + 1)];
        for (std::size_t i = 0; i < m_; ++i) cost += std::log(l_[i * (m_ + 1)]);

        // w̄ = w + C u, C̄ = w uᵀ - C for the updated mean u; B̄ = L⁻ᵀ C̄, ȳ = L⁻ᵀ w̄
        wbar_ = w_;
        gemv(false, m_, n_, 1.0, c_.data(), updated_.data(), 1.0, wbar_.data());
        for (std::size_t i = 0; i < m_; ++i)
            for (std::size_t j = 0; j < n_; ++j) cbar_[i * n_ + j] = w_[i] * updated_[j] - c_[i * n_ + j];
        // L̄ = -(B̄ Cᵀ + ȳ wᵀ) + diag(1 / l): S̄ = ½ L⁻ᵀ (T + Tᵀ - diag T) L⁻¹ for the lower triangle T of Lᵀ L̄ = -(C̄ Cᵀ + w̄ wᵀ) + I
        gemm(false, true, m_, m_, n_, -1.0, cbar_.data(), c_.data(), 0.0, sbar_.data());
        for (std::size_t i = 0; i < m_; ++i) {
            for (std::size_t j = 0; j <= i; ++j) sbar_[j * m_ + i] = sbar_[i * m_ + j] = 0.5 * (sbar_[i * m_ + j] - wbar_[i] * w_[j]);
            sbar_[i * (m_ + 1)] += 0.5;
        }
        solve(cxxblas::Trans, sbar_, m);
        cxxblas::trsm(cxxblas::RowMajor, cxxblas::Right, cxxblas::Lower, cxxblas::NoTrans, cxxblas::NonUnit, m, m, 1.0, l_.data(), m, sbar_.data(), m);
        solve(cxxblas::Trans, cbar_, n);
        solve(cxxblas::Trans, wbar_, 1);

        // S = B Hᵀ + R, B = H P
        copy(sbar_, gradient.r);
        double* hbar = gradient.h.data();
        gemm(false, false, m_, n_, m_, 1.0, sbar_.data(), b_.data(), 0.0, hbar);
        gemm(false, false, m_, n_, m_, 1.0, sbar_.data(), h, 1.0, cbar_.data());
        gemm(false, true, m_, n_, n_, 1.0, cbar_.data(), p1_.data(), 1.0, hbar);
        meanbar_ = updated_;
        gemv(true, m_, n_, -1.0, h, wbar_.data(), 1.0, meanbar_.data());
        for (std::size_t i = 0; i < m_; ++i)
            for (std::size_t j = 0; j < n_; ++j) hbar[i * n_ + j] -= wbar_[i] * predicted_[j];
        double* qbar = gradient.q.data();
        gemm(true, false, n_, n_, m_, 1.0, h, cbar_.data(), 0.0, qbar);
        for (std::size_t i = 0; i < n_; ++i) qbar[i * (n_ + 1)] += 0.5;
        // P = (F p) Fᵀ + Q
        double* fbar = gradient.f.data();
        gemm(false, false, n_, n_, n_, 1.0, qbar, f, 0.0, fpbar_.data());
        gemm(true, false, n_, n_, n_, 1.0, qbar, fp_.data(), 0.0, fbar);
        gemm(false, true, n_, n_, n_, 1.0, fpbar_.data(), p.data(), 1.0, fbar);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < n_; ++j) fbar[i * n_ + j] += meanbar_[i] * mean(j);
        return cost;
    }

private:
    using index = xgrad::linalg::blas_index;
    std::size_t n_ = 0, m_ = 0;
    std::vector<double> predicted_, updated_, fp_, p1_, b_, c_, l_, w_, meanbar_, fpbar_, cbar_, sbar_, wbar_;

    template <class A, class B>
    static void copy(A const& a, B& b) {
        std::copy_n(a.data(), a.size(), b.data());
    }
    static double dot(std::vector<double> const& a, std::vector<double> const& b) {
        double s = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
        return s;
    }
    // y = alpha op(a) op(b) + beta y, of m rows and n columns.
    static void gemm(bool ta, bool tb, std::size_t m, std::size_t n, std::size_t k, double alpha, double const* a, double const* b, double beta, double* y) {
        auto const lda = static_cast<index>(ta ? m : k), ldb = static_cast<index>(tb ? k : n);
        cxxblas::gemm<index>(cxxblas::RowMajor, ta ? cxxblas::Trans : cxxblas::NoTrans, tb ? cxxblas::Trans : cxxblas::NoTrans, static_cast<index>(m),
                             static_cast<index>(n), static_cast<index>(k), alpha, a, lda, b, ldb, beta, y, static_cast<index>(n));
    }
    // y = alpha op(a) x + beta y, a of m rows and n columns.
    static void gemv(bool t, std::size_t m, std::size_t n, double alpha, double const* a, double const* x, double beta, double* y) {
        auto const rows = static_cast<index>(m), columns = static_cast<index>(n);
        cxxblas::gemv<index>(cxxblas::RowMajor, t ? cxxblas::Trans : cxxblas::NoTrans, rows, columns, alpha, a, columns, x, 1, beta, y, 1);
    }
    // y = op(L)⁻¹ y for y of n columns.
    void solve(cxxblas::Transpose t, std::vector<double>& y, index n) const {
        auto const m = static_cast<index>(m_);
        if (n == 1) cxxblas::trsv(cxxblas::RowMajor, cxxblas::Lower, t, cxxblas::NonUnit, m, l_.data(), m, y.data(), index(1));
        else cxxblas::trsm(cxxblas::RowMajor, cxxblas::Left, cxxblas::Lower, t, cxxblas::NonUnit, m, n, 1.0, l_.data(), m, y.data(), n);
    }
};

}  // namespace limits
