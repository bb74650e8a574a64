// Defines linear algebra on active and plain arrays: products through BLAS, and factorisations through LAPACK, each kept for its pullback. The umbrella.
//
// Operands may be active, plain, views, transposes or expressions. Shapes that do not fit throw std::invalid_argument with the shapes; a matrix that a
// factorisation cannot take throws std::runtime_error with LAPACK's info, one with NaN or infinity std::domain_error: all in the forward pass.
//
// A cotangent is in the space of what is read: symmetric where a matrix is read as its symmetric part, zero outside of the one triangle or the diagonal
// that is read. Paired with a tangent of that space, Σ Ā(i, j) Ȧ(i, j), it gives the derivative along it. Matrices of up to 4×4 are computed without BLAS,
// LAPACK and the heap.
#pragma once

#include <xgrad/refusals.hpp>

#include <xgrad/linalg/condition.hpp>
#include <xgrad/linalg/convolution.hpp>
#include <xgrad/linalg/covariance.hpp>
#include <xgrad/linalg/decompositions.hpp>
#include <xgrad/linalg/einsum.hpp>
#include <xgrad/linalg/least_squares.hpp>
#include <xgrad/linalg/norm.hpp>
#include <xgrad/linalg/packed.hpp>
#include <xgrad/linalg/powers.hpp>
#include <xgrad/linalg/products.hpp>
#include <xgrad/linalg/solve.hpp>

// Found without a prefix on plain arrays, too; cov is xtensor's own there.
namespace xt {
using xgrad::cholesky, xgrad::cholesky_solve, xgrad::cond, xgrad::conv1d, xgrad::conv2d, xgrad::conv3d, xgrad::convolve, xgrad::corrcoef, xgrad::cross,
    xgrad::det, xgrad::dot, xgrad::eig, xgrad::eigh, xgrad::eigvals, xgrad::eigvalsh, xgrad::einsum, xgrad::expm, xgrad::gaussian_quadratic, xgrad::inner,
    xgrad::inv, xgrad::kron, xgrad::logdet, xgrad::logm, xgrad::lower_triangular, xgrad::lstsq, xgrad::lu, xgrad::matmul, xgrad::matrix_power,
    xgrad::matrix_rank, xgrad::norm, xgrad::outer, xgrad::packed, xgrad::pinv, xgrad::qr, xgrad::slogdet, xgrad::solve, xgrad::solve_cholesky,
    xgrad::solve_triangular, xgrad::sqrtm, xgrad::svd, xgrad::svdvals, xgrad::sylvester, xgrad::symmetric, xgrad::tensordot, xgrad::trace, xgrad::vdot;
}
