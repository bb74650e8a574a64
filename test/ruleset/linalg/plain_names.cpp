// Linear algebra of plain arrays without a prefix: what each gives alone is what it gives inside of a call.
#include "../../plain_names.hpp"

#include <xgrad/linalg.hpp>

#if defined(HAVE_CBLAS)

using plain_names::vector, plain_names::matrix;

namespace {

matrix const A{{4, 1, 0.5}, {1, 3, 0.25}, {0.5, 0.25, 2}};
vector const v{0.3, 0.5, 0.7};

}

BOOST_AUTO_TEST_CASE(of_arrays) {
    AS(A, cholesky(a)); AS(A, solve(a, v)); AS(A, inv(a)); AS(A, det(a)); AS(A, logdet(a)); AS(A, slogdet(a)); AS(A, eigvalsh(a)); AS(A, expm(a));
    AS(A, sqrtm(a)); AS(A, logm(a)); AS(A, pinv(a)); AS(A, trace(a)); AS(A, matrix_power(a, 3)); AS(A, svdvals(a)); AS(A, cond(a)); AS(A, norm(a));
    AS(A, corrcoef(a)); AS(A, dot(a, v)); AS(A, dot(v, a)); AS(A, matmul(a, a)); AS(v, outer(a, v)); AS(v, inner(a, v)); AS(v, vdot(a, v));
    AS(v, cross(a, v)); AS(A, kron(a, a)); AS(A, tensordot(a, a, 1)); AS(A, xgrad::einsum<"ij,jk->ik">(a, a)); AS(A, solve_cholesky(a, v));
    AS(A, cholesky_solve(cholesky(a), v)); AS(A, solve_triangular(a, v)); AS(A, lstsq(a, v)); AS(A, sylvester(a, a, a)); AS(A, lu(a)); AS(A, qr(a));
    AS(v, convolve(a, v)); AS(A, matrix_rank(a)); AS(A, gaussian_quadratic(a, v));
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
