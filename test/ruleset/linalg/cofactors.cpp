// Determinants of singular matrices, and of nearly singular ones, of any size and rank: values, gradients, tangents and second derivatives against sums of
// minors.
#include <array>
#include <cmath>

#include "by_minors.hpp"
#include "orders.hpp"

#include <xgrad/ruleset/linalg/lapack_host.hpp>

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
namespace xg = xgrad;

namespace {

// Of rank r, with elements of size one.
matrix of_rank(std::size_t n, std::size_t r) {
    matrix a = xt::zeros<double>({n, n});
    for (std::size_t k = 0; k < r; ++k) {
        vector const u = filled<vector>({n}, 0.3 + static_cast<double>(k)), v = filled<vector>({n}, 0.8 + static_cast<double>(k));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) a(i, j) += u(i) * v(j);
    }
    return a;
}

}

BOOST_AUTO_TEST_CASE(determinants_of_singular_matrices) {
    for (std::size_t const n : {1u, 2u, 3u, 4u, 6u})
        for (std::size_t lost = 0; lost <= 3 && lost <= n; ++lost) {
            BOOST_TEST_CONTEXT(n << " rows, rank " << n - lost) {
                matrix const a = of_rank(n, n - lost), e = filled<matrix>({n, n}, 0.4);
                auto const f = [](auto const& A) { return det(A); };
                // central differences of a polynomial of this degree, of which the differences of second order are exact up to the fourth power of the step
                double const h = 1e-3, d = by_minors(a);
                BOOST_CHECK(near(xg::det(a), d, 1e-12));
                matrix const g = std::get<0>(xg::gradient(f, a));
                matrix cofactors(a.shape()), above(a.shape()), below(a.shape());
                auto cofactors_of = [&](matrix const& x, matrix& y) {
                    for (std::size_t i = 0; i < n; ++i)
                        for (std::size_t j = 0; j < n; ++j) {
                            matrix m = x;
                            for (std::size_t k = 0; k < n; ++k) m(i, k) = k == j;
                            y(i, j) = by_minors(m);
                        }
                };
                cofactors_of(a, cofactors);
                cofactors_of(matrix(a + h * e), above);
                cofactors_of(matrix(a - h * e), below);
                auto const one = xg::jvp(f, std::tuple(a), std::tuple(e));
                auto const two = xg::hvp(f, std::tuple(a), std::tuple(e));
                BOOST_CHECK(near(one.primal, d, 1e-12));
                BOOST_CHECK(near(one.tangent, xt::sum(cofactors * e)(), 1e-11));
                for (std::size_t i = 0; i < n * n; ++i) {
                    BOOST_CHECK_MESSAGE(near(g.flat(i), cofactors.flat(i), 1e-11), "gradient " << i << ": " << g.flat(i) << " " << cofactors.flat(i));
                    double const s = (above.flat(i) - below.flat(i)) / (2 * h), found = std::get<0>(two.product).flat(i);
                    BOOST_CHECK_MESSAGE(near(found, s, 1e-5), "second order " << i << ": " << found << ", the differences say " << s);
                    BOOST_CHECK(near(std::get<0>(two.gradient).flat(i), cofactors.flat(i), 1e-11));
                }
            }
        }
    // nearly singular ones, by the same way: two singular values of 1e-9
    matrix a = of_rank(6, 4);
    a += 1e-9 * filled<matrix>({6, 6}, 0.9);
    auto const [g, hessian_times] = [&] {
        auto const r = xg::hvp([](auto const& A) { return det(A); }, std::tuple(a), std::tuple(matrix(xt::eye(6))));
        return std::pair(std::get<0>(r.gradient), std::get<0>(r.product));
    }();
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) {
            matrix m = a;
            for (std::size_t k = 0; k < 6; ++k) m(i, k) = k == j;
            BOOST_CHECK(std::abs(g(i, j) - by_minors(m)) < 1e-14);
            // d/dh of the minor of A + h I: the sum of the minors without one of the other rows and the column of its number
            double s = 0;
            for (std::size_t r = 0; r < 6; ++r) {
                if (r == i) continue;
                matrix q = m;
                for (std::size_t k = 0; k < 6; ++k) q(r, k) = k == r;
                s += by_minors(q);
            }
            BOOST_CHECK_MESSAGE(std::abs(hessian_times(i, j) - s) < 1e-12, i << ", " << j << ": " << hessian_times(i, j) << " " << s);
        }
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
