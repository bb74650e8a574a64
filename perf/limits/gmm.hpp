// Defines limits::gmm: the logarithm of a Gaussian mixture's posterior density and its gradient by hand: two matrix products for each block of points, and
// one pass over the elements between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>

#include <perf/mixture.hpp>

namespace limits {

class gmm {
public:
    using matrix = xt::xtensor<double, 2>;

    // The columns of `points` are points with a last coordinate of one: whole batches of them. Every array of `gradient` has its shape already.
    double operator()(cases::mixture const& p, matrix const& points, cases::wishart const& prior, cases::mixture& gradient) {
        k_ = p.means.shape(0);
        d_ = p.means.shape(1);
        n_ = points.shape(1);
        width_ = d_ + 1;
        unpack(p);
        affinebar_.assign(affine_.size(), 0.0);
        weights_.assign(k_, batch(0.0));
        y_.resize(k_ * d_ * block);
        e_.resize(k_);
        batch value(0.0);
        for (std::size_t i = 0; i < n_; i += block) value += add_block(points.data() + i, std::min(block, n_ - i));
        return sum(value) + finish(p, prior, gradient);
    }

private:
    using batch = xsimd::batch<double>;
    using index = xgrad::linalg::blas_index;
    static constexpr std::size_t block = 64;
    std::size_t k_ = 0, d_ = 0, n_ = 0, width_ = 0;
    std::vector<double> affine_, affinebar_, heights_, y_;
    std::vector<batch, xsimd::aligned_allocator<batch>> e_, weights_;

    // For each component the rows of (Q, -Q mean), which take a point to independent normal variables.
    void unpack(cases::mixture const& p) {
        affine_.assign(k_ * d_ * width_, 0.0);
        heights_.resize(k_);
        for (std::size_t k = 0; k < k_; ++k) {
            double const* icf = p.icf.data() + k * p.icf.shape(1);
            double const* mean = p.means.data() + k * d_;
            double* a = affine_.data() + k * d_ * width_;
            heights_[k] = p.alphas(k);
            for (std::size_t i = 0; i < d_; ++i) {
                heights_[k] += icf[i];
                a[i * width_ + i] = std::exp(icf[i]);
            }
            icf += d_;
            for (std::size_t i = 0; i < d_; ++i)
                for (std::size_t j = i + 1; j < d_; ++j) a[j * width_ + i] = *icf++;
            for (std::size_t i = 0; i < d_; ++i)
                for (std::size_t j = 0; j <= i; ++j) a[i * width_ + d_] -= a[i * width_ + j] * mean[j];
        }
    }
    // log Σ exp of m points, added up in lanes; affinebar_ and weights_ take what they add.
    batch add_block(double const* points, std::size_t m) {
        auto const rows = static_cast<index>(k_ * d_), width = static_cast<index>(width_), columns = static_cast<index>(m);
        auto const ld = static_cast<index>(block), all = static_cast<index>(n_);
        cxxblas::gemm<index>(cxxblas::RowMajor, cxxblas::NoTrans, cxxblas::NoTrans, rows, columns, width, 1.0, affine_.data(), width, points, all, 0.0,
                             y_.data(), ld);
        batch value(0.0);
        for (std::size_t j = 0; j < m; j += batch::size) value += densities(y_.data() + j);
        cxxblas::gemm<index>(cxxblas::RowMajor, cxxblas::NoTrans, cxxblas::Trans, rows, width, columns, 1.0, y_.data(), ld, points, all, 1.0,
                             affinebar_.data(), width);
        return value;
    }
    // The same for one batch of points. y becomes its own cotangent.
    batch densities(double* y) {
        batch top(-HUGE_VAL), total(0.0);
        for (std::size_t k = 0; k < k_; ++k) {
            batch squares(0.0);
            for (std::size_t i = 0; i < d_; ++i) {
                batch const v = batch::load_unaligned(y + (k * d_ + i) * block);
                squares = xsimd::fma(v, v, squares);
            }
            e_[k] = heights_[k] - 0.5 * squares;
            top = xsimd::max(top, e_[k]);
        }
        for (auto& e : e_) {
            e = xsimd::exp(e - top);
            total += e;
        }
        batch const inverse = 1.0 / total;
        for (std::size_t k = 0; k < k_; ++k) {
            batch const w = e_[k] * inverse;
            weights_[k] += w;
            for (std::size_t i = 0; i < d_; ++i) {
                double* v = y + (k * d_ + i) * block;
                (-w * batch::load_unaligned(v)).store_unaligned(v);
            }
        }
        return top + xsimd::log(total);
    }
    static double sum(batch const& v) {
        alignas(64) double t[batch::size];
        v.store_aligned(t);
        double s = 0.0;
        for (double e : t) s += e;
        return s;
    }
    // The normalisation of the weights and the prior, and what affinebar_ means for the parameters.
    double finish(cases::mixture const& p, cases::wishart const& prior, cases::mixture& gradient) const {
        auto const count = static_cast<double>(n_);
        double const top = *std::max_element(p.alphas.begin(), p.alphas.end()), square = prior.gamma * prior.gamma;
        double total = 0.0, squares = 0.0, logs = 0.0;
        for (double a : p.alphas) total += std::exp(a - top);
        for (std::size_t k = 0; k < k_; ++k) {
            double const weight = sum(weights_[k]);
            gradient.alphas(k) = weight - count * std::exp(p.alphas(k) - top) / total;
            double const* icf = p.icf.data() + k * p.icf.shape(1);
            double const* mean = p.means.data() + k * d_;
            double const* a = affine_.data() + k * d_ * width_;
            double const* abar = affinebar_.data() + k * d_ * width_;
            double* meanbar = gradient.means.data() + k * d_;
            double* icfbar = gradient.icf.data() + k * p.icf.shape(1);
            std::fill_n(meanbar, d_, 0.0);
            for (std::size_t i = 0; i < d_; ++i) {
                double const q = a[i * width_ + i], offset = abar[i * width_ + d_];
                for (std::size_t j = 0; j <= i; ++j) meanbar[j] -= offset * a[i * width_ + j];
                icfbar[i] = weight + q * (abar[i * width_ + i] - offset * mean[i] + square * q) - prior.m;
                squares += q * q;
                logs += icf[i];
            }
            icf += d_;
            icfbar += d_;
            for (std::size_t i = 0; i < d_; ++i)
                for (std::size_t j = i + 1; j < d_; ++j) {
                    squares += *icf * *icf;
                    *icfbar++ = abar[j * width_ + i] - abar[j * width_ + d_] * mean[i] + square * *icf++;
                }
        }
        return 0.5 * square * squares - prior.m * logs - count * (std::log(total) + top) + cases::constant_of_mixture(k_, d_, n_, prior);
    }
};

}  // namespace limits
