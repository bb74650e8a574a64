// Linear algebra of plain arrays without a prefix: what each gives alone is what it gives inside of a call.
#include "../../plain_names.hpp"

#include <xgrad/linalg.hpp>

using plain_names::vector, plain_names::matrix;

namespace {

matrix const A{{4, 1, 0.5}, {1, 3, 0.25}, {0.5, 0.25, 2}};
vector const v{0.3, 0.5, 0.7};

}

BOOST_AUTO_TEST_CASE(of_arrays) {
    OF(A, cholesky(a)); OF(A, solve(a, v)); OF(A, inv(a)); OF(A, det(a)); OF(A, logdet(a)); OF(A, slogdet(a)); OF(A, eigvalsh(a)); OF(A, expm(a));
    OF(A, sqrtm(a)); OF(A, logm(a)); OF(A, pinv(a)); OF(A, trace(a)); OF(A, matrix_power(a, 3)); OF(A, svdvals(a)); OF(A, cond(a)); OF(A, norm(a));
    OF(A, corrcoef(a)); OF(A, dot(a, v)); OF(A, dot(v, a)); OF(A, matmul(a, a)); OF(v, outer(a, v)); OF(v, inner(a, v)); OF(v, vdot(a, v));
    OF(v, cross(a, v)); OF(A, kron(a, a)); OF(A, tensordot(a, a, 1)); OF(A, xgrad::einsum<"ij,jk->ik">(a, a)); OF(A, solve_cholesky(a, v));
    OF(A, cholesky_solve(cholesky(a), v)); OF(A, solve_triangular(a, v)); OF(A, lstsq(a, v)); OF(A, sylvester(a, a, a)); OF(A, lu(a)); OF(A, qr(a));
    OF(v, convolve(a, v)); OF(A, matrix_rank(a)); OF(A, gaussian_quadratic(a, v));
}
