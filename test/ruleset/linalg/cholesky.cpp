// Cholesky factorisations and what is solved with them: against loops, second derivatives against differences, every layout, bad input, and what is called.
#include <array>
#include <cmath>
#include <limits>

#include "../../count_allocations.hpp"
#include "lapack_calls.hpp"
#include "orders.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

// Of the symmetric part.
matrix factor(matrix const& m) {
    matrix const a = symmetric_part(m);
    std::size_t const n = a.shape(0);
    matrix l = xt::zeros<double>({n, n});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double s = a(i, j);
            for (std::size_t k = 0; k < j; ++k) s -= l(i, k) * l(j, k);
            l(i, j) = i == j ? std::sqrt(s) : s / l(j, j);
        }
    return l;
}
double log_determinant(matrix const& m) {
    matrix const l = factor(m);
    double d = 0;
    for (std::size_t i = 0; i < l.shape(0); ++i) d += 2 * std::log(l(i, i));
    return d;
}
matrix solution(matrix const& m, matrix b) {
    matrix const l = factor(m);
    std::size_t const n = l.shape(0);
    for (std::size_t c = 0; c < b.shape(1); ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) b(i, c) -= l(i, k) * b(k, c);
            b(i, c) /= l(i, i);
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; ++k) b(i, c) -= l(k, i) * b(k, c);
            b(i, c) /= l(i, i);
        }
    }
    return b;
}
matrix column(vector const& v) { return matrix(xt::view(v, xt::all(), xt::newaxis())); }
double quadratic(matrix const& m, vector const& x) { return xt::sum(column(x) * solution(m, column(x)))(); }
double const none = std::numeric_limits<double>::quiet_NaN();

}

BOOST_AUTO_TEST_CASE(factors) {
    matrix const a = definite(5);
    agree(
        [](auto const& A) {
            auto l = cholesky(A);
            return weighed_active(l * l) + weighed_active(A);
        },
        [](matrix const& A) {
            matrix const l = factor(A);
            return weighed(matrix(l * l)) + weighed(A);
        },
        a);
    agree([](auto const& A) { return weighed_active(xg::cholesky(A)); }, [](auto const& A) { return weighed(factor(A)); }, xt::xarray<double>(definite(3)));
    agree(
        [](auto const& A) {
            auto w = view(A, xt::range(7, 0, -2), xt::range(7, 0, -2));
            return weighed_active(cholesky(w)) + weighed_active(cholesky(transpose(w)));
        },
        [](matrix const& A) {
            matrix const w = xt::view(A, xt::range(7, 0, -2), xt::range(7, 0, -2));
            return 2 * weighed(factor(w));
        },
        definite(8));
    agree([](auto const& A) { return weighed_active(cholesky(A)); }, [](auto const& A) { return weighed(factor(A)); },
          xt::xtensor<double, 2, xt::layout_type::column_major>(a));
    agree([](auto const& A) { return weighed_active(cholesky(A)); }, [](auto const& A) { return weighed(factor(A)); }, matrix{{4.0}});
    agree([](auto const& A) { return weighed_active(cholesky(A)); }, [](auto const& A) { return weighed(factor(A)); },
          xt::xtensor<float, 2>(xt::cast<float>(definite(3))));
    agree([](auto const& A) { return sum(cholesky(A)) + logdet(A); }, [](auto const&) { return 0.0; }, matrix(xt::zeros<double>({0, 0})));
    // a factor of what the function makes
    agree([](auto const& B) { return weighed_active(cholesky(dot(B, transpose(B)) + xt::eye(3))); },
          [](matrix const& B) { return weighed(factor(matrix(product(B, transpose_of(B)) + xt::eye(3)))); }, filled<matrix>({3, 4}));
    BOOST_CHECK(xt::allclose(xg::cholesky(a), factor(a)));
}
BOOST_AUTO_TEST_CASE(solutions_and_determinants) {
    matrix const a = definite(4), b = filled<matrix>({4, 3});
    vector const v = filled<vector>({4});
    agree(
        [](auto const& A) {
            auto d = logdet(A);
            return d * d + logdet(transpose(A));
        },
        [](matrix const& A) {
            double const d = log_determinant(A);
            return d * d + d;
        },
        a);
    // by the factor, and of a plain one
    agree([](auto const& A, auto const& X) { auto l = cholesky(A); auto y = cholesky_solve(l, X); return weighed_active(y * y) + sum(l * l); },
          [](matrix const& A, matrix const& X) { matrix const y = solution(A, X), l = factor(A); return weighed(matrix(y * y)) + xt::sum(l * l)(); }, a, b);
    BOOST_CHECK(xt::allclose(xg::cholesky_solve(factor(a), v), xg::solve_cholesky(a, v)));
    auto const [by_factor] = xg::gradient([&](auto const& y) { return sum(cholesky_solve(factor(a), y)); }, v);
    BOOST_CHECK(xt::allclose(by_factor, xg::solve_cholesky(a, vector(xt::ones<double>({4})))));
    agree([](auto const& A, auto const& X) { auto y = solve_cholesky(A, X); return weighed_active(y * y) + weighed_active(A) + weighed_active(X); },
          [](matrix const& A, matrix const& X) { matrix const y = solution(A, X); return weighed(matrix(y * y)) + weighed(A) + weighed(X); }, a, b);
    agree([](auto const& A, auto const& x) { return weighed_active(solve_cholesky(A, x * x)); },
          [](auto const& A, auto const& x) { return weighed(solution(A, column(vector(x * x)))); }, xt::xarray<double>(a), xt::xarray<double>(v));
    agree([&](auto const& A) { return weighed_active(solve_cholesky(A, v)); }, [&](matrix const& A) { return weighed(solution(A, column(v))); }, a);
    agree([&](auto const& x) { return weighed_active(solve_cholesky(a, x)); }, [&](vector const& x) { return weighed(solution(a, column(x))); }, v);
    agree([](auto const& A, auto const& x) { auto [q, d] = gaussian_quadratic(A, x); return q * q + 0.7 * d; },
          [](matrix const& A, vector const& x) { double const q = quadratic(A, x); return q * q + 0.7 * log_determinant(A); }, a, v);
    agree(
        [](auto const& A, auto const& x) {
            auto [q, d] = gaussian_quadratic(transpose(A), view(x, xt::range(6, 2, -1)));
            return q * d + weighed_active(A);
        },
        [](matrix const& A, vector const& x) { return quadratic(A, vector(xt::view(x, xt::range(6, 2, -1)))) * log_determinant(A) + weighed(A); }, a,
        filled<vector>({7}));
    agree([&](auto const& A) { return std::get<1>(gaussian_quadratic(A, v)); }, [&](matrix const& A) { return log_determinant(A); }, a);
    agree([&](auto const& x) { return std::get<0>(gaussian_quadratic(a, x)); }, [&](vector const& x) { return quadratic(a, x); }, v);
    BOOST_CHECK_CLOSE(xg::logdet(a), log_determinant(a), 1e-10);
    BOOST_CHECK(xt::allclose(xg::solve_cholesky(a, b), solution(a, b)));
    BOOST_CHECK_CLOSE(std::get<0>(xg::gaussian_quadratic(a, v)), quadratic(a, v), 1e-10);
}
BOOST_AUTO_TEST_CASE(second_derivatives) {
    matrix const a = definite(3), b = filled<matrix>({3, 2});
    vector const v = filled<vector>({3});
    check_orders([](auto const& A) { auto l = cholesky(A); return weighed_active(l * l) + logdet(A * A); }, a);
    check_orders([](auto const& A, auto const& X) { auto y = solve_cholesky(A, X); return weighed_active(y * y); }, a, b);
    check_orders([](auto const& A, auto const& x) { auto [q, d] = gaussian_quadratic(A, x); return q * q + d * q; }, a, v);
    check_orders([&](auto const& A) { return weighed_active(solve_cholesky(A, v)); }, a);
    check_orders([](auto const& A, auto const& X) { auto l = cholesky(A); auto y = cholesky_solve(l, X); return weighed_active(y * y) + sum(l); }, a, b);
}
BOOST_AUTO_TEST_CASE(bad_input) {
    auto const of = [](auto g) { return [=](auto const&... a) { return [=] { xg::gradient(g, a...); }; }; };
    auto const factor_of = of([](auto const& A) { return sum(cholesky(A)); });
    auto const logdet_of = of([](auto const& A) { return logdet(A); });
    auto const solved = of([](auto const& A, auto const& b) { return sum(solve_cholesky(A, b)); });
    auto const gaussian = of([](auto const& A, auto const& b) { return std::get<0>(gaussian_quadratic(A, b)); });
    matrix const rows = filled<matrix>({2, 3}), indefinite{{1, 2}, {2, 1}}, singular{{1, 1}, {1, 1}}, bad{{1, 0}, {0, none}}, good = definite(2);
    vector const v{1.0, 2.0}, w{1.0, 2.0, 3.0};
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>(factor_of(rows), {"cholesky(A)", "square", "(2, 3)"});
        check_refusal<std::runtime_error>(factor_of(indefinite), {"cholesky(A)", "positive definite", "(2, 2)", "info = 2"});
        check_refusal<std::runtime_error>(factor_of(singular), {"cholesky(A)", "info = 2"});
        check_refusal<std::domain_error>(factor_of(bad), {"cholesky(A)", "NaN", "(2, 2)"});
        check_refusal<std::invalid_argument>(logdet_of(rows), {"logdet(A)", "(2, 3)"});
        check_refusal<std::runtime_error>(logdet_of(matrix{{-1.0}}), {"logdet(A)", "info = 1"});
        check_refusal<std::domain_error>(logdet_of(bad), {"logdet(A)"});
        check_refusal<std::invalid_argument>(solved(good, w), {"solve_cholesky(A, b)", "(2, 2)", "(3,)"});
        check_refusal<std::runtime_error>(solved(indefinite, v), {"solve_cholesky(A, b)", "potrf"});
        check_refusal<std::domain_error>(solved(bad, v), {"solve_cholesky(A, b)"});
        // a factor that has a name of another type, or comes from outside
        check_refusal<std::invalid_argument>(solved(xg::cholesky(good), v), {"E245", "(2, 2)", "cholesky_solve(L, b)"});
        check_refusal<std::invalid_argument>(of([&](auto const& A) { xg::variable<matrix> const l = cholesky(A); return sum(solve_cholesky(l, v)); })(good),
                                             {"E245"});
        check_refusal<std::invalid_argument>(gaussian(good, w), {"gaussian_quadratic(A, x)", "(3,)"});
        check_refusal<std::runtime_error>(gaussian(indefinite, v), {"gaussian_quadratic(A, x)", "potrf"});
        check_refusal<std::invalid_argument>(gaussian(xt::xarray<double>(good), xt::xarray<double>(rows)), {"gaussian_quadratic(A, x)"});
        agree([](auto const& A) { return logdet(A); }, [](matrix const& A) { return log_determinant(A); }, good);
    }
}
BOOST_AUTO_TEST_CASE(one_factorisation_and_nothing_from_the_heap) {
    matrix const a = definite(40), b = filled<matrix>({40, 8});
    vector const v = filled<vector>({40});
    auto second_call = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        lapack_counts calls;
        auto const products = blas_calls_of([&] { calls = lapack_calls_of([&] { g(x...); }); });
        BOOST_CHECK_EQUAL(allocations - before, 0u);
        return std::pair(calls, products);
    };
    auto const [factored, f] = second_call([](auto const& A) { return sum(cholesky(A)); }, a);
    auto const [log_det, l] = second_call([](auto const& A) { return logdet(A); }, a);
    auto const [solved, s] = second_call([](auto const& A, auto const& X) { return sum(solve_cholesky(A, X)); }, a, b);
    auto const [gaussian, g] = second_call([](auto const& A, auto const& x) { auto [q, d] = gaussian_quadratic(A, x); return q + d; }, a, v);
    {
        BOOST_CHECK_EQUAL(factored.factorisations(), 1);
        BOOST_CHECK_EQUAL(factored.trsm, 2);
        BOOST_CHECK_EQUAL(factored.trmm, 1);
        BOOST_CHECK((f == blas_counts{}));
        BOOST_CHECK_EQUAL(log_det.factorisations(), 1);
        BOOST_CHECK_EQUAL(log_det.potri, 1);
        BOOST_CHECK((l == blas_counts{}));
        BOOST_CHECK_EQUAL(solved.factorisations(), 1);
        BOOST_CHECK_EQUAL(solved.trsm, 4);
        BOOST_CHECK_EQUAL(s.gemm, 2);
        BOOST_CHECK_EQUAL(gaussian.factorisations(), 1);
        BOOST_CHECK_EQUAL(gaussian.trsv, 2);
        BOOST_CHECK_EQUAL(gaussian.potri, 1);
        BOOST_CHECK((g == blas_counts{}));
    }
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
