// Defines limits::solve: the sum of |x|² of x = A⁻¹ b and its gradient by hand, of complex numbers df/d(re) + i df/d(im): one LU factorisation, two solves
// with it, and one pass over Ā = -b̄ xᴴ, where b̄ = A⁻ᴴ x̄.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <xgrad/host.hpp>
#include <xgrad/ruleset/linalg/lapack_host.hpp>

namespace limits {

template <class T>
class solve {
public:
    using matrix = xt::xtensor<T, 2>;
    using vector = xt::xtensor<T, 1>;

    // abar and bbar have their shapes already.
    double operator()(matrix const& a, vector const& b, matrix& abar, vector& bbar) {
        using index = xgrad::linalg::blas_index;
        std::size_t const size = b.size();
        auto const n = static_cast<index>(size);
        lu_.assign(a.data(), a.data() + a.size());
        x_.assign(b.data(), b.data() + b.size());
        pivots_.resize(size);
        // rows are LAPACK's columns: it factorises Aᵀ, and the conjugate of b̄ solves Aᵀ conj(b̄) = conj(x̄)
        if (cxxlapack::getrf(n, n, lu_.data(), n, pivots_.data()) != 0) return 0.0;
        cxxlapack::getrs('T', n, index(1), lu_.data(), n, pivots_.data(), x_.data(), n);
        double y = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            y += std::norm(x_[i]);
            bbar(i) = 2.0 * conjugate(x_[i]);
        }
        cxxlapack::getrs('N', n, index(1), lu_.data(), n, pivots_.data(), bbar.data(), n);
        for (T& g : bbar) g = conjugate(g);
        for (std::size_t i = 0; i < size; ++i) give_row(abar.data() + i * size, -bbar(i));
        return y;
    }

private:
    std::vector<T> lu_, x_;
    std::vector<xgrad::linalg::blas_index> pivots_;

    static T conjugate(T const& x) {
        if constexpr (std::is_floating_point_v<T>) return x;
        else return std::conj(x);
    }
    // row = g xᴴ, of complex numbers in parts: their own product asks for NaN.
    void give_row(T* row, T const& g) const {
        std::size_t const size = x_.size();
        if constexpr (std::is_floating_point_v<T>)
            for (std::size_t j = 0; j < size; ++j) row[j] = g * x_[j];
        else {
            double const re = g.real(), im = g.imag();
            for (std::size_t j = 0; j < size; ++j) {
                double const u = x_[j].real(), v = x_[j].imag();
                row[j] = T(re * u + im * v, im * u - re * v);
            }
        }
    }
};

}  // namespace limits
