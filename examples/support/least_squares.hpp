// Defines least_squares: fits parameters by the method of Levenberg and Marquardt, given residuals and their gradients.
#pragma once

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// x with A x = y, for a symmetric positive definite A, by elimination.
inline vector solve(matrix A, vector y) {
    std::size_t const n = y.size();
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = k + 1; i < n; ++i) {
            double const factor = A(i, k) / A(k, k);
            for (std::size_t j = k; j < n; ++j) A(i, j) -= factor * A(k, j);
            y(i) -= factor * y(k);
        }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) y(k) -= A(k, j) * y(j);
        y(k) /= A(k, k);
    }
    return y;
}

// The b near the given one where the sum of squares is least. residual(i, b) gives {value, gradient} of the i-th of n.
// Each step solves (JᵀJ + damping diag JᵀJ) step = -Jᵀr (Marquardt 1963); a step that does not help is taken back and damped more.
template <class F>
vector least_squares(F residual, std::size_t n, vector b) {
    std::size_t const p = b.size();
    struct system { matrix JtJ; vector Jtr; double squares; };
    auto linearise = [&](vector const& at) {
        system s{xt::zeros<double>({p, p}), xt::zeros<double>({p}), 0};
        for (std::size_t i = 0; i < n; ++i) {
            auto const& [r, gradient] = residual(i, at);
            auto const& row = std::get<0>(gradient);
            for (std::size_t j = 0; j < p; ++j)
                for (std::size_t k = 0; k < p; ++k) s.JtJ(j, k) += row(j) * row(k);
            s.Jtr += r * row;
            s.squares += r * r;
        }
        return s;
    };
    system here = linearise(b);
    for (double damping = 1e-3; damping < 1e20;) {
        matrix A = here.JtJ;
        for (std::size_t j = 0; j < p; ++j) A(j, j) *= 1 + damping;
        vector const next = b - solve(std::move(A), here.Jtr);
        if (next == b) break;
        system there = linearise(next);
        if (there.squares <= here.squares) {
            b = next;
            here = std::move(there);
            damping /= 10;
        } else damping *= 10;  // also where the sum is not a number
    }
    // Close by, the sum of squares no longer tells points apart, but its gradient does.
    for (int i = 0; i < 30; ++i) {
        b -= solve(here.JtJ, here.Jtr);
        here = linearise(b);
    }
    return b;
}
