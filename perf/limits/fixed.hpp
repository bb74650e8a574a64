// Defines limits::determinant, inverse, solution and recursion: functions of 3×3 and 4×4 matrices of xt::xtensor_fixed and their gradients, written out by
// hand: cofactors, no loops of unknown length, no memory but the result's, and that of the states.
#pragma once

#include <cstddef>

#include <xgrad/host.hpp>

namespace limits {

template <std::size_t N>
using fixed_matrix = xt::xtensor_fixed<double, xt::xshape<N, N>>;
template <std::size_t N>
using fixed_vector = xt::xtensor_fixed<double, xt::xshape<N>>;

// The matrix of cofactors, and the determinant.
inline double cofactors(double const* a, double (&c)[9]) {
    c[0] = a[4] * a[8] - a[5] * a[7], c[1] = a[5] * a[6] - a[3] * a[8], c[2] = a[3] * a[7] - a[4] * a[6];
    c[3] = a[2] * a[7] - a[1] * a[8], c[4] = a[0] * a[8] - a[2] * a[6], c[5] = a[1] * a[6] - a[0] * a[7];
    c[6] = a[1] * a[5] - a[2] * a[4], c[7] = a[2] * a[3] - a[0] * a[5], c[8] = a[0] * a[4] - a[1] * a[3];
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
}
inline double cofactors(double const* a, double (&c)[16]) {
    double const s0 = a[0] * a[5] - a[4] * a[1], s1 = a[0] * a[6] - a[4] * a[2], s2 = a[0] * a[7] - a[4] * a[3], s3 = a[1] * a[6] - a[5] * a[2],
                 s4 = a[1] * a[7] - a[5] * a[3], s5 = a[2] * a[7] - a[6] * a[3];
    double const t0 = a[8] * a[13] - a[12] * a[9], t1 = a[8] * a[14] - a[12] * a[10], t2 = a[8] * a[15] - a[12] * a[11], t3 = a[9] * a[14] - a[13] * a[10],
                 t4 = a[9] * a[15] - a[13] * a[11], t5 = a[10] * a[15] - a[14] * a[11];
    c[0] = a[5] * t5 - a[6] * t4 + a[7] * t3, c[1] = a[6] * t2 - a[4] * t5 - a[7] * t1, c[2] = a[4] * t4 - a[5] * t2 + a[7] * t0,
    c[3] = a[5] * t1 - a[4] * t3 - a[6] * t0;
    c[4] = a[2] * t4 - a[1] * t5 - a[3] * t3, c[5] = a[0] * t5 - a[2] * t2 + a[3] * t1, c[6] = a[1] * t2 - a[0] * t4 - a[3] * t0,
    c[7] = a[0] * t3 - a[1] * t1 + a[2] * t0;
    c[8] = a[13] * s5 - a[14] * s4 + a[15] * s3, c[9] = a[14] * s2 - a[12] * s5 - a[15] * s1, c[10] = a[12] * s4 - a[13] * s2 + a[15] * s0,
    c[11] = a[13] * s1 - a[12] * s3 - a[14] * s0;
    c[12] = a[10] * s4 - a[9] * s5 - a[11] * s3, c[13] = a[8] * s5 - a[10] * s2 + a[11] * s1, c[14] = a[9] * s2 - a[8] * s4 - a[11] * s0,
    c[15] = a[8] * s3 - a[9] * s1 + a[10] * s0;
    return s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0;
}

// det A.
struct determinant {
    template <std::size_t N>
    static double gradient(fixed_matrix<N> const& a, fixed_matrix<N>& abar) {
        double c[N * N];
        double const d = cofactors(a.data(), c);
        for (std::size_t i = 0; i < N * N; ++i) abar.data()[i] = c[i];
        return d;
    }
};

// The sum of squares of A⁻¹: Ā = -2 A⁻ᵀ A⁻¹ A⁻ᵀ.
struct inverse {
    template <std::size_t N>
    static double gradient(fixed_matrix<N> const& a, fixed_matrix<N>& abar) {
        double c[N * N], t[N * N], y = 0.0;
        double const r = 1.0 / cofactors(a.data(), c);  // the inverse is the transpose of c
        for (double& e : c) e *= r, y += e * e;
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = 0; j < N; ++j) {
                double s = 0.0;
                for (std::size_t k = 0; k < N; ++k) s += c[i * N + k] * c[j * N + k];
                t[i * N + j] = -2.0 * s;
            }
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = 0; j < N; ++j) {
                double s = 0.0;
                for (std::size_t k = 0; k < N; ++k) s += t[i * N + k] * c[k * N + j];
                abar.data()[i * N + j] = s;
            }
        return y;
    }
};

// The sum of squares of x = A⁻¹ b: b̄ = 2 A⁻ᵀ x, Ā = -b̄ xᵀ.
struct solution {
    template <std::size_t N>
    static double gradient(fixed_matrix<N> const& a, fixed_vector<N> const& b, fixed_matrix<N>& abar, fixed_vector<N>& bbar) {
        double c[N * N], x[N], y = 0.0;
        double const r = 1.0 / cofactors(a.data(), c);
        for (std::size_t i = 0; i < N; ++i) {
            double s = 0.0;
            for (std::size_t k = 0; k < N; ++k) s += c[k * N + i] * b.data()[k];
            x[i] = s * r;
            y += x[i] * x[i];
        }
        for (std::size_t i = 0; i < N; ++i) {
            double s = 0.0;
            for (std::size_t k = 0; k < N; ++k) s += c[i * N + k] * x[k];
            s *= 2.0 * r;
            bbar.data()[i] = s;
            for (std::size_t k = 0; k < N; ++k) abar.data()[i * N + k] = -s * x[k];
        }
        return y;
    }
};

// The sum of squares of the last of 100 states x = A x + b, of which the first is b.
struct recursion {
    static constexpr std::size_t steps = 100;
    template <std::size_t N>
    static double gradient(fixed_matrix<N> const& a, fixed_vector<N> const& b, fixed_matrix<N>& abar, fixed_vector<N>& bbar) {
        double x[steps + 1][N], g[N], y = 0.0;
        for (std::size_t i = 0; i < N; ++i) x[0][i] = b.data()[i];
        for (std::size_t t = 0; t < steps; ++t)
            for (std::size_t i = 0; i < N; ++i) {
                double s = b.data()[i];
                for (std::size_t k = 0; k < N; ++k) s += a.data()[i * N + k] * x[t][k];
                x[t + 1][i] = s;
            }
        for (std::size_t i = 0; i < N; ++i) {
            y += x[steps][i] * x[steps][i];
            g[i] = 2.0 * x[steps][i];
            bbar.data()[i] = 0.0;
        }
        for (std::size_t i = 0; i < N * N; ++i) abar.data()[i] = 0.0;
        for (std::size_t t = steps; t-- > 0;) {
            double before[N] = {};
            for (std::size_t i = 0; i < N; ++i) {
                bbar.data()[i] += g[i];
                for (std::size_t k = 0; k < N; ++k) {
                    abar.data()[i * N + k] += g[i] * x[t][k];
                    before[k] += g[i] * a.data()[i * N + k];
                }
            }
            for (std::size_t i = 0; i < N; ++i) g[i] = before[i];
        }
        for (std::size_t i = 0; i < N; ++i) bbar.data()[i] += g[i];
        return y;
    }
};

}  // namespace limits
