// The forward mode of linear algebra of complex numbers: the derivative along a tangent is what the gradient, which is checked against differences, says.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/jvp.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "complex_differences.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
namespace xg = xgrad;

namespace {

template <class F>
void agree_along(char const* name, F const& f, cmatrix const& a) {
    cmatrix const adot = numbers({a.shape(0), a.shape(1)}, 0.55);
    auto const g = std::get<0>(xg::gradient(f, a));
    double expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) expected += std::real(std::conj(g.flat(i)) * adot.flat(i));
    double const along = xg::jvp(f, std::tuple(a), std::tuple(adot)).tangent;
    BOOST_TEST(std::abs(along - expected) <= 1e-9 * (1 + std::abs(expected)), name << ": found " << along << ", expected " << expected);
}

}

BOOST_AUTO_TEST_CASE(linear_systems) {
    auto const f = [](auto const& A) {
        auto [sign, l] = slogdet(A);
        auto [P, L, U] = lu(A);
        return weighed(dot(A, conj(transpose(A)))) + weighed(solve(A, A * A)) + weighed(inv(A)) + both(det(A)) + both(sign) * l + weighed(L) + weighed(U) +
               weighed(solve_triangular(A, A)) + weighed(expm(A));
    };
    agree_along("of few rows", f, regular(3));
    agree_along("of more rows", f, regular(6));
}
BOOST_AUTO_TEST_CASE(hermitian_matrices) {
    agree_along("Hermitian", [](auto const& A) {
        auto [q, l] = gaussian_quadratic(A, col(A, 0));
        auto [w, V] = eigh(A);
        return weighed(cholesky(A)) + logdet(A) + weighed(solve_cholesky(A, A * A)) + q * l + weighed(V * conj(V) * w) + sum(exp(eigvalsh(A) * 0.1));
    }, definite(6));
}
BOOST_AUTO_TEST_CASE(decompositions) {
    for (std::array<std::size_t, 2> const s : {std::array<std::size_t, 2>{3, 3}, {5, 3}, {3, 5}})
        agree_along("factors", [](auto const& A) {
            auto [Q, R] = qr(A);
            auto [U, w, Vt] = svd(A);
            return weighed(Q) + weighed(R) + weighed(dot(U * w * w, Vt)) + weighed(dot(U, Vt)) + weighed(U * conj(U) * w) +
                   weighed(transpose(Vt * conj(Vt)) * w) + sum(exp(svdvals(A))) + weighed(pinv(A)) + weighed(lstsq(A, A * A));
        }, numbers(s, 0.37));
    agree_along("eigenvalues", [](auto const& A) { auto [w, V] = eig(A); return weighed(V * conj(V) * w) + sum(abs(eigvals(A))); }, numbers({3, 3}, 0.37));
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
