// Defines limits::solve: the sum of squares of A⁻¹ b and its gradient by hand: one LU factorisation, two solves with it, and one pass over Ā.
#pragma once

#include <cstddef>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

namespace limits {

class solve {
public:
    using matrix = xt::xtensor<double, 2>;
    using vector = xt::xtensor<double, 1>;

    // abar and bbar have their shapes already.
    double operator()(matrix const& a, vector const& b, matrix& abar, vector& bbar) {
        using index = xgrad::linalg::blas_index;
        std::size_t const size = b.size();
        auto const n = static_cast<index>(size);
        lu_.assign(a.data(), a.data() + a.size());
        x_.assign(b.data(), b.data() + b.size());
        pivots_.resize(size);
        // rows are LAPACK's columns
        if (cxxlapack::getrf(n, n, lu_.data(), n, pivots_.data()) != 0) return 0.0;
        cxxlapack::getrs('T', n, index(1), lu_.data(), n, pivots_.data(), x_.data(), n);
        double y = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            y += x_[i] * x_[i];
            bbar(i) = 2.0 * x_[i];
        }
        cxxlapack::getrs('N', n, index(1), lu_.data(), n, pivots_.data(), bbar.data(), n);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j) abar.data()[i * size + j] = -bbar(i) * x_[j];
        return y;
    }

private:
    std::vector<double> lu_, x_;
    std::vector<xgrad::linalg::blas_index> pivots_;
};

}  // namespace limits
