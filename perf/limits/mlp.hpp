// Defines limits::mlp: the mean cross-entropy of a perceptron with two hidden layers and its gradient by hand: matrix products, and one
// pass over the elements between them.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/blas_host.hpp>

#include <perf/cases.hpp>

namespace limits {

class mlp {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // Every array of `gradient` has its shape already.
    double operator()(cases::perceptron const& p, matrix const& x, matrix const& y, cases::perceptron& gradient) {
        rows_ = x.shape(0);
        double const loss = forward(p, x, y);
        pull(p.output, b_.data(), z_.data(), gradient.output, bbar_.data());
        times_derivative(b_, bbar_);
        pull(p.second, a_.data(), bbar_.data(), gradient.second, abar_.data());
        times_derivative(a_, abar_);
        pull(p.first, x.data(), abar_.data(), gradient.first, nullptr);
        return loss;
    }

private:
    using batch = xsimd::batch<double>;
    std::size_t rows_ = 0;
    std::vector<double> a_, b_, z_, abar_, bbar_;

    double forward(cases::perceptron const& p, matrix const& x, matrix const& y) {
        product(x.data(), p.first, a_);
        abar_.resize(a_.size());
        tanh_of_sum(a_, p.first.bias);
        product(a_.data(), p.second, b_);
        bbar_.resize(b_.size());
        tanh_of_sum(b_, p.second.bias);
        product(b_.data(), p.output, z_);
        return softmax(p.output.bias, y);
    }
    void product(double const* x, cases::layer const& l, std::vector<double>& y) {
        std::size_t const inner = l.weight.shape(0), columns = l.weight.shape(1);
        y.resize(rows_ * columns);
        gemm(false, false, rows_, columns, inner, x, l.weight.data(), y.data());
    }
    // y = op(a) op(b), of m rows and n columns.
    static void gemm(bool ta, bool tb, std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, double* y) {
        using index = xgrad::linalg::blas_index;
        auto const lda = static_cast<index>(ta ? m : k), ldb = static_cast<index>(tb ? k : n);
        cxxblas::gemm<index>(cxxblas::RowMajor, ta ? cxxblas::Trans : cxxblas::NoTrans, tb ? cxxblas::Trans : cxxblas::NoTrans, static_cast<index>(m),
                             static_cast<index>(n), static_cast<index>(k), 1.0, a, lda, b, ldb, 0.0, y, static_cast<index>(n));
    }
    // The columns of the hidden layers are whole batches.
    void tanh_of_sum(std::vector<double>& y, vector const& bias) const {
        for (std::size_t r = 0; r < rows_; ++r) {
            double* row = y.data() + r * bias.size();
            for (std::size_t i = 0; i < bias.size(); i += batch::size)
                xsimd::tanh(batch::load_unaligned(row + i) + batch::load_unaligned(bias.data() + i)).store_unaligned(row + i);
        }
    }
    // The loss; z becomes its own cotangent.
    double softmax(vector const& bias, matrix const& y) {
        std::size_t const classes = bias.size();
        double const weight = 1.0 / static_cast<double>(rows_);
        double loss = 0.0;
        for (std::size_t r = 0; r < rows_; ++r) {
            double* z = z_.data() + r * classes;
            double total = 0.0, of_class = 0.0;
            for (std::size_t j = 0; j < classes; ++j) {
                double const v = z[j] + bias(j);
                of_class += y(r, j) * v;
                z[j] = std::exp(v);
                total += z[j];
            }
            loss += std::log(total) - of_class;
            for (std::size_t j = 0; j < classes; ++j) z[j] = (z[j] / total - y(r, j)) * weight;
        }
        return loss * weight;
    }
    void pull(cases::layer const& l, double const* x, double const* ybar, cases::layer& gradient, double* xbar) const {
        std::size_t const inner = l.weight.shape(0), columns = l.weight.shape(1);
        gemm(true, false, inner, columns, rows_, x, ybar, gradient.weight.data());
        double* bias = gradient.bias.data();
        for (std::size_t i = 0; i < columns; ++i) bias[i] = 0.0;
        for (std::size_t r = 0; r < rows_; ++r)
            for (std::size_t i = 0; i < columns; ++i) bias[i] += ybar[r * columns + i];
        if (xbar) gemm(false, true, rows_, inner, columns, ybar, l.weight.data(), xbar);
    }
    static void times_derivative(std::vector<double> const& y, std::vector<double>& ybar) {
        for (std::size_t i = 0; i < y.size(); ++i) ybar[i] *= 1.0 - y[i] * y[i];
    }
};

}  // namespace limits
