// Second derivatives of factorisations of complex numbers: hvp of real losses against differences of their gradients in a complex direction, jvp against both,
// and what det has at singular matrices against sums of minors.
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/hessian.hpp>
#include <xgrad/hvp.hpp>
#include <xgrad/jvp.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../complex_directions.hpp"
#include "by_minors.hpp"
#include "complex_differences.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
namespace xg = xgrad;
namespace along = along_complex_directions;

namespace {

cmatrix cofactors_of(cmatrix const& a) {
    cmatrix y = a;
    for (std::size_t i = 0; i < a.shape(0); ++i)
        for (std::size_t j = 0; j < a.shape(0); ++j) {
            cmatrix m = a;
            for (std::size_t k = 0; k < a.shape(0); ++k) m(i, k) = k == j ? 1.0 : 0.0;
            y(i, j) = by_minors(m);
        }
    return y;
}

}

BOOST_AUTO_TEST_CASE(determinants_of_singular_matrices) {
    // f = Re(c det A), whose gradient is conj(c cof A)
    auto const f = [](auto const& A) { return both(det(A)); };
    number const c(1.5, 0.7);
    auto const compare = [&](cmatrix const& a, double tolerance) {
        cmatrix const e = numbers(std::array<std::size_t, 2>{a.shape(0), a.shape(1)}, 0.4), cofactors = cofactors_of(a);
        double const h = 1e-3;
        auto const quotient = [&](double t) { return cmatrix((cofactors_of(cmatrix(a + t * e)) - cofactors_of(cmatrix(a - t * e))) / (2 * t)); };
        cmatrix const second = (4.0 * quotient(h) - quotient(2 * h)) / 3.0;
        auto const one = xg::jvp(f, std::tuple(a), std::tuple(e));
        auto const two = xg::hvp(f, std::tuple(a), std::tuple(e));
        BOOST_TEST(std::abs(one.primal - std::real(c * by_minors(a))) < tolerance);
        BOOST_TEST(std::abs(one.tangent - std::real(c * xt::sum(cofactors * e)())) < 10 * tolerance);
        for (std::size_t i = 0; i < a.size(); ++i) {
            number const g = std::get<0>(two.gradient).flat(i), s = std::get<0>(two.product).flat(i);
            BOOST_TEST(std::abs(g - std::conj(c * cofactors.flat(i))) < tolerance * (1 + std::abs(g)), "gradient " << i << ": " << g);
            BOOST_TEST(std::abs(s - std::conj(c * second.flat(i))) < 1e-8 * (1 + std::abs(s)),
                       "second order " << i << ": " << s << ", the differences say " << std::conj(c * second.flat(i)));
        }
    };
    for (std::size_t const n : {std::size_t{3}, std::size_t{5}, std::size_t{6}})
        for (std::size_t rank = n - 3; rank <= n; ++rank)
            BOOST_TEST_CONTEXT(n << " rows, rank " << rank) compare(by_loops(numbers({n, rank}), numbers({rank, n}, 0.9)), 1e-10);
    // two singular values of 1e-9
    compare(cmatrix(by_loops(numbers({6, 4}), numbers({4, 6}, 0.9)) + 1e-9 * numbers({6, 6}, 0.7)), 1e-10);
}
BOOST_AUTO_TEST_CASE(linear_systems) {
    auto const f = [](auto const& A, auto const& b) {
        auto [sign, l] = slogdet(A);
        auto [P, L, U] = lu(A);
        auto x = solve(A, b);
        auto y = inv(A);
        return weighed(x * x) + weighed(y * y) + both(det(A)) + both(sign) * l + weighed(L * L) + weighed(U * L) + weighed(solve_triangular(A, b)) +
               weighed(expm(A * 0.3));
    };
    for (std::size_t const n : {std::size_t{1}, std::size_t{3}, std::size_t{6}})
        BOOST_TEST_CONTEXT("of " << n << " rows") along::check("systems", f, regular(n), line(n, 0.6));
    // every complex number counts as its real and its imaginary part
    auto const g = [](auto const& A) { return weighed(inv(A)); };
    cmatrix const a = regular(2), d = numbers({2, 2}, 0.8);
    auto const h = xg::hessian(g, a);
    cmatrix const s = std::get<0>(xg::hvp(g, std::tuple(a), std::tuple(d)).product);
    for (std::size_t i = 0; i < 8; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < 8; ++j) row += h(i, j) * (j % 2 ? d.flat(j / 2).imag() : d.flat(j / 2).real());
        BOOST_TEST(std::abs(row - (i % 2 ? s.flat(i / 2).imag() : s.flat(i / 2).real())) < 1e-11);
    }
}
BOOST_AUTO_TEST_CASE(hermitian_matrices) {
    auto const f = [](auto const& A) {
        auto [w, V] = eigh(A);
        auto L = cholesky(A);
        auto l = logdet(A);
        return weighed(L * L) + l * l + weighed(solve_cholesky(A, A * A)) + weighed(V * conj(V) * w) + weighed(dot(V * w * w, conj(transpose(V)))) +
               sum(exp(eigvalsh(A) * 0.3));
    };
    for (std::size_t const n : {std::size_t{1}, std::size_t{3}, std::size_t{6}})
        BOOST_TEST_CONTEXT("of " << n << " rows") along::check("Hermitian", f, definite(n));
}
BOOST_AUTO_TEST_CASE(orthogonal_factors) {
    auto const f = [](auto const& A) {
        auto [Q, R] = qr(A);
        auto [U, w, Vt] = svd(A);
        auto v = svdvals(A);
        auto p = pinv(A);
        return weighed(Q * Q) + weighed(R * R) + weighed(dot(U * w * w, Vt)) + weighed(dot(U, Vt)) + weighed(U * conj(U) * w) +
               weighed(transpose(Vt * conj(Vt)) * w) + sum(v * v * v) + weighed(p * p);
    };
    for (std::array<std::size_t, 2> const s : {std::array<std::size_t, 2>{1, 1}, {3, 3}, {4, 3}, {3, 4}})
        BOOST_TEST_CONTEXT(s[0] << " x " << s[1]) along::check("factors", f, numbers(s, 0.37));
}
BOOST_AUTO_TEST_CASE(eigenvalues) {
    along::check("eigenvalues", [](auto const& A) {
        auto [w, V] = eig(A);
        auto v = eigvals(A);
        return weighed(V * conj(V) * w) + weighed(v * v);
    }, numbers({3, 3}, 0.37));
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
