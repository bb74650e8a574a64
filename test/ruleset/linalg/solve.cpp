// Solutions of general linear systems, inverses and determinants: values and gradients against elimination by loops, second derivatives against
// differences, every layout, bad input, and what is called and taken for them.
#include <array>
#include <cmath>
#include <limits>

#include "../../count_allocations.hpp"
#include "lapack_calls.hpp"
#include "orders.hpp"

#include <xgrad/vjp.hpp>

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

// a⁻¹ b and det a by Gauss and Jordan.
std::pair<matrix, double> eliminate(matrix a, matrix b) {
    std::size_t const n = a.shape(0), k = b.shape(1);
    double det = 1;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t p = c;
        for (std::size_t r = c; r < n; ++r)
            if (std::abs(a(r, c)) > std::abs(a(p, c))) p = r;
        if (p != c) det = -det;
        for (std::size_t j = 0; j < n; ++j) std::swap(a(c, j), a(p, j));
        for (std::size_t j = 0; j < k; ++j) std::swap(b(c, j), b(p, j));
        det *= a(c, c);
        for (std::size_t r = 0; r < n; ++r) {
            if (r == c) continue;
            double const f = a(r, c) / a(c, c);
            for (std::size_t j = 0; j < n; ++j) a(r, j) -= f * a(c, j);
            for (std::size_t j = 0; j < k; ++j) b(r, j) -= f * b(c, j);
        }
    }
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t j = 0; j < k; ++j) b(r, j) /= a(r, r);
    return {b, det};
}
matrix solution(matrix const& a, matrix const& b) { return eliminate(a, b).first; }
matrix column(vector const& v) { return matrix(xt::view(v, xt::all(), xt::newaxis())); }
matrix inverse(matrix const& a) { return solution(a, matrix(xt::eye(a.shape(0)))); }
double determinant(matrix const& a) { return eliminate(a, matrix(xt::zeros<double>({a.shape(0), std::size_t{0}}))).second; }

double const inf = std::numeric_limits<double>::infinity(), none_at_all = std::numeric_limits<double>::quiet_NaN();

}

BOOST_AUTO_TEST_CASE(solutions) {
    matrix const a = regular(6), b = filled<matrix>({6, 3});
    vector const v = filled<vector>({6});
    agree([](auto const& A, auto const& x) { return weighed_active(solve(A, x)); },
          [](matrix const& A, vector const& x) { return weighed(solution(A, column(x))); }, a, v);
    agree([](auto const& A, auto const& X) { auto y = solve(A, X); return weighed_active(y * y) + weighed_active(A) + weighed_active(X); },
          [](matrix const& A, matrix const& X) { matrix y = solution(A, X); return weighed(matrix(y * y)) + weighed(A) + weighed(X); }, a, b);
    // one of them a constant; a operand used twice
    agree([&](auto const& A) { return weighed_active(solve(A, v)) + weighed_active(solve(A, A * A)); },
          [&](matrix const& A) { return weighed(solution(A, column(v))) + weighed(solution(A, matrix(A * A))); }, a);
    agree([&](auto const& x) { return weighed_active(solve(a, x * x)); }, [&](vector const& x) { return weighed(solution(a, column(vector(x * x)))); }, v);
    // dynamic ranks, columns first, one number
    agree([](auto const& A, auto const& x) { return weighed_active(xg::solve(A, x)); },
          [](auto const& A, auto const& x) { return weighed(solution(A, column(x))); }, xt::xarray<double>(a), xt::xarray<double>(v));
    agree([](auto const& A, auto const& X) { return weighed_active(solve(A, X)) + weighed_active(solve(transpose(A), X)); },
          [](matrix const& A, matrix const& X) { return weighed(solution(A, X)) + weighed(solution(transpose_of(A), X)); },
          xt::xtensor<double, 2, xt::layout_type::column_major>(a), b);
    agree([](auto const& A, auto const& x) { return weighed_active(solve(A, x)); },
          [](matrix const& A, vector const& x) { return x(0) / A(0, 0) * weighed(vector{1.0}); }, matrix{{3.0}}, vector{2.0});
    // views in every direction
    agree([](auto const& A, auto const& X) {
              auto w = view(A, xt::range(7, 0, -2), xt::range(1, 9, 2));
              return weighed_active(solve(w, view(X, xt::range(0, 8, 2), xt::range(2, 0, -1)))) +
                     weighed_active(solve(transpose(w), view(X, xt::range(0, 4), 1)));
          },
          [](matrix const& A, matrix const& X) {
              matrix const w = xt::view(A, xt::range(7, 0, -2), xt::range(1, 9, 2));
              matrix const p = xt::view(X, xt::range(0, 8, 2), xt::range(2, 0, -1)), q = xt::view(X, xt::range(0, 4), xt::range(1, 2));
              return weighed(solution(w, p)) + weighed(solution(transpose_of(w), q));
          }, regular(9), filled<matrix>({8, 3}));
    agree([](auto const& A, auto const& x) { return weighed_active(solve(A, x)); },
          [](matrix const& A, vector const& x) { return weighed(solution(A, column(x))); }, xt::xtensor<float, 2>(xt::cast<float>(a)),
          xt::xtensor<float, 1>(xt::cast<float>(v)));
    // nothing to solve
    agree([](auto const& A, auto const& x) { return sum(solve(A, x)) + sum(x) + det(A) + sum(inv(A)); }, [](auto const&, auto const&) { return 1.0; },
          matrix(xt::zeros<double>({0, 0})), vector(xt::zeros<double>({0})));
    agree([](auto const& A, auto const& X) { return sum(solve(A, X)) + sum(A); }, [](auto const& A, auto const&) { return xt::sum(A)(); }, a,
          matrix(xt::zeros<double>({6, 0})));
    // plain ones
    BOOST_CHECK(xt::allclose(xg::solve(a, b), solution(a, b)));
    BOOST_CHECK(xt::allclose(column(xg::solve(a, v)), solution(a, column(v))));
}
BOOST_AUTO_TEST_CASE(inverses_and_determinants) {
    matrix const a = regular(5);
    agree([](auto const& A) { auto y = inv(A); return weighed_active(y * y) + weighed_active(inv(transpose(A))); },
          [](matrix const& A) { matrix const y = inverse(A); return weighed(matrix(y * y)) + weighed(inverse(transpose_of(A))); }, a);
    agree([](auto const& A) { return weighed_active(inv(A)); }, [](auto const& A) { return weighed(inverse(A)); }, xt::xarray<double>(regular(3)));
    agree(
        [](auto const& A) {
            auto d = det(A);
            return d * d + det(transpose(A)) * 0.5 + weighed_active(A);
        },
        [](matrix const& A) {
            double const d = determinant(A);
            return d * d + 0.5 * d + weighed(A);
        },
        a);
    agree(
        [](auto const& A) {
            auto [sign, l] = slogdet(A);
            return l * l * sign;
        },
        [](matrix const& A) {
            double const d = determinant(A), l = std::log(std::abs(d));
            return l * l * (d > 0 ? 1 : -1);
        },
        matrix(xt::view(a, xt::range(4, xt::placeholders::_, -1))));
    agree([](auto const& A) { return det(A); }, [](matrix const& A) { return determinant(A); }, xt::xtensor<float, 2>{{2.0f, 1.0f}, {0.5f, 3.0f}});
    BOOST_CHECK_CLOSE(xg::det(a), determinant(a), 1e-10);
    BOOST_CHECK(xt::allclose(xg::inv(a), inverse(a)));
    auto const [sign, l] = xg::slogdet(matrix{{0.0, 2.0}, {3.0, 0.0}});
    BOOST_CHECK_EQUAL(sign, -1.0);
    BOOST_CHECK_CLOSE(l, std::log(6.0), 1e-10);
}
BOOST_AUTO_TEST_CASE(cofactors_of_singular_matrices) {
    auto cofactor = [](matrix const& a, std::size_t r, std::size_t c) {
        std::size_t const n = a.shape(0);
        matrix m(std::array<std::size_t, 2>{n - 1, n - 1});
        for (std::size_t i = 0; i + 1 < n; ++i)
            for (std::size_t j = 0; j + 1 < n; ++j) m(i, j) = a(i + (i >= r), j + (j >= c));
        return determinant(m) * ((r + c) % 2 ? -1 : 1);
    };
    for (matrix const& a : {matrix{{1, 2}, {2, 4}}, matrix{{0, 1}, {0, 0}}, matrix{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, matrix{{0, 0, 1}, {0, 0, 0}, {2, 1, 5}},
                            matrix{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, matrix{{0, 0}, {0, 0}}, matrix{{0}}}) {
        matrix const g = std::get<0>(xg::gradient([](auto const& A) { return det(A); }, a));
        for (std::size_t i = 0; i < a.shape(0); ++i)
            for (std::size_t j = 0; j < a.shape(0); ++j) {
                double const c = a.shape(0) == 1 ? 1.0 : cofactor(a, i, j);
                BOOST_CHECK_MESSAGE(std::isnan(c) ? std::abs(g(i, j)) < 1e-9 : near(g(i, j), c, 1e-9),
                                    "cofactor " << i << ", " << j << ": " << g(i, j) << " " << c);
            }
    }
    // third derivatives are refused where rank is lost in more than 4 rows
    matrix const lost = xt::zeros<double>({5, 5});
    auto const slope = [&](auto const& t) { return xg::derivative([&](auto const& u) { return det(lost * t * u); }, 1.0); };
    check_refusal<std::domain_error>([&] { (void)xg::derivative([&](auto const& t) { return slope(t); }, 1.0); }, {"det(A)", "third derivatives", "(5, 5)"});
}
BOOST_AUTO_TEST_CASE(triangles) {
    matrix const a = regular(4), b = filled<matrix>({4, 3});
    vector const v = filled<vector>({4});
    auto lower = [](matrix const& A) { return matrix(xt::tril(A)); };
    auto upper = [](matrix const& A) { return matrix(xt::triu(A)); };
    auto unit = [](matrix A) { for (std::size_t i = 0; i < A.shape(0); ++i) A(i, i) = 1; return A; };
    using xg::triangle;
    agree([](auto const& A,
             auto const& X) { return weighed_active(solve_triangular(A, X)) + weighed_active(solve_triangular(A, X, triangle::upper)) + weighed_active(A); },
          [&](matrix const& A, matrix const& X) { return weighed(solution(lower(A), X)) + weighed(solution(upper(A), X)) + weighed(A); }, a, b);
    agree(
        [](auto const& A, auto const& x) {
            return weighed_active(solve_triangular(transpose(A), x)) + weighed_active(solve_triangular(A, x * x, triangle::unit_lower)) +
                   weighed_active(solve_triangular(A, x, triangle::unit_upper));
        },
        [&](matrix const& A, vector const& x) {
            return weighed(solution(lower(transpose_of(A)), column(x))) + weighed(solution(unit(lower(A)), column(vector(x * x)))) +
                   weighed(solution(unit(upper(A)), column(x)));
        },
        a, v);
    agree(
        [](auto const& A, auto const& X) {
            auto w = view(A, xt::range(7, 0, -2), xt::range(0, 8, 2));
            return weighed_active(solve_triangular(w, view(X, xt::range(0, 8, 2)))) +
                   weighed_active(solve_triangular(transpose(w), view(X, xt::range(0, 4), 1)));
        },
        [&](matrix const& A, matrix const& X) {
            matrix const w = xt::view(A, xt::range(7, 0, -2), xt::range(0, 8, 2)), p = xt::view(X, xt::range(0, 8, 2)),
                         q = xt::view(X, xt::range(0, 4), xt::range(1, 2));
            return weighed(solution(lower(w), p)) + weighed(solution(lower(transpose_of(w)), q));
        },
        matrix(filled<matrix>({9, 9}) + 2.0), filled<matrix>({8, 3}));
    agree([&](auto const& A) { return weighed_active(solve_triangular(A, v)); }, [&](matrix const& A) { return weighed(solution(lower(A), column(v))); }, a);
    agree([&](auto const& x) { return weighed_active(solve_triangular(a, x)); }, [&](vector const& x) { return weighed(solution(lower(a), column(x))); }, v);
    BOOST_CHECK(xt::allclose(xg::solve_triangular(a, b), solution(lower(a), b)));
    check_orders([](auto const& A, auto const& x) { return weighed_active(solve_triangular(A, x)) + weighed_active(solve_triangular(transpose(A), x * x)); }, a,
                 v);
    check_orders([&](auto const& A) { return weighed_active(solve_triangular(A, b, triangle::unit_upper)); }, a);
}
BOOST_AUTO_TEST_CASE(second_derivatives) {
    matrix const a = regular(3), b = filled<matrix>({3, 2});
    vector const v = filled<vector>({3});
    check_orders([](auto const& A, auto const& x) { auto y = solve(A, x); return weighed_active(y * y); }, a, v);
    check_orders([](auto const& A, auto const& X) { return weighed_active(solve(transpose(A), X)); }, a, b);
    check_orders([&](auto const& A) { return weighed_active(solve(A, b)) + det(A) * weighed_active(inv(A)) + std::get<1>(slogdet(A * A)); }, a);
    check_orders([&](auto const& x) { return weighed_active(solve(a, x * x)); }, v);
    check_orders([](auto const& A) { return weighed_active(inv(transpose(A))) + weighed_active(solve(A, transpose(A))) + det(A); }, regular(5));
}
BOOST_AUTO_TEST_CASE(pullbacks_again_and_again) {
    matrix const a = regular(5), b = filled<matrix>({5, 2});
    auto const f = [](auto const& A, auto const& X) { return solve(A, X); };
    auto [y, pullback] = xg::vjp(f, a, b);
    for (double const seed : {0.1, 0.7, 0.1}) {
        matrix const ybar = filled<matrix>({5, 2}, seed);
        auto const [abar, bbar] = pullback(ybar);
        matrix const w = solution(transpose_of(a), ybar);
        BOOST_CHECK(xt::allclose(bbar, w));
        BOOST_CHECK(xt::allclose(abar, -product(w, transpose_of(y))));
    }
}
BOOST_AUTO_TEST_CASE(bad_input) {
    auto f = [](auto const& A, auto const& b) { return sum(solve(A, b)); };
    auto const both = [&](auto const& a, auto const& b) { return [=] { xg::gradient(f, a, b); }; };
    auto const of = [](auto g) { return [=](matrix const& a) { return [=] { xg::gradient(g, a); }; }; };
    auto const inverted = of([](auto const& A) { return sum(inv(A)); });
    auto const det_of = of([](auto const& A) { return det(A); });
    auto const log_of = of([](auto const& A) { return std::get<1>(slogdet(A)); });
    matrix const rows = filled<matrix>({2, 3}), singular{{1, 2}, {2, 4}}, bad{{1, 2}, {none_at_all, 4}}, far{{1, 2}, {inf, 4}}, good = regular(2);
    vector const v{1.0, 2.0}, w{1.0, 2.0, 3.0};
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>(both(rows, v), {"solve(A, b)", "square", "(2, 3)", "(2,)"});
        check_refusal<std::invalid_argument>(both(good, w), {"solve(A, b)", "as many rows", "(2, 2)", "(3,)"});
        check_refusal<std::runtime_error>(both(singular, v), {"solve(A, b)", "(2, 2)", "getrf", "info = 2"});
        check_refusal<std::domain_error>(both(bad, v), {"solve(A, b)", "NaN", "(2, 2)"});
        check_refusal<std::domain_error>(both(far, v), {"solve(A, b)", "NaN or infinity"});
        check_refusal<std::invalid_argument>(inverted(rows), {"inv(A)", "(2, 3)"});
        check_refusal<std::runtime_error>(inverted(singular), {"inv(A)", "(2, 2)", "info = 2"});
        check_refusal<std::domain_error>(inverted(bad), {"inv(A)"});
        check_refusal<std::invalid_argument>(det_of(rows), {"det(A)", "(2, 3)"});
        check_refusal<std::domain_error>(det_of(bad), {"det(A)"});
        check_refusal<std::runtime_error>(log_of(singular), {"slogdet(A)", "info = 2"});
        check_refusal<std::runtime_error>(
            [&] { xg::gradient([](auto const& A, auto const& b) { return sum(solve_triangular(A, b)); }, matrix{{1, 0}, {2, 0}}, v); },
            {"solve_triangular(A, b)", "info = 2"});
        check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& A, auto const& b) { return sum(solve_triangular(A, b)); }, good, w); },
                                             {"solve_triangular(A, b)", "(3,)"});
        check_refusal<std::invalid_argument>([&] { xg::gradient(f, xt::xarray<double>(w), xt::xarray<double>(w)); }, {"solve(A, b)", "(3,)"});
        check_refusal<std::invalid_argument>([&] { (void)xg::solve(rows, v); }, {"solve(A, b)", "(2, 3)"});
        agree(f, [](matrix const& A, vector const& b) { return xt::sum(solution(A, column(b)))(); }, good, v);
    }
    // a right-hand side with NaN is the caller's
    BOOST_CHECK(std::isnan(xg::value(f, good, vector{none_at_all, 1.0})));
}
BOOST_AUTO_TEST_CASE(one_factorisation_and_nothing_from_the_heap) {
    matrix const a = regular(40), b = filled<matrix>({40, 8});
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
    auto const [one, by] = second_call([](auto const& A, auto const& x) { return sum(solve(A, x)); }, a, v);
    auto const [many, products] = second_call([](auto const& A, auto const& X) { return sum(solve(A, X)); }, a, b);
    auto const [inverted, twice] = second_call([](auto const& A) { return sum(inv(A)); }, a);
    auto const [log_det, none] = second_call([](auto const& A) { return std::get<1>(slogdet(A)); }, a);
    auto const [substituted, few] = second_call([](auto const& A, auto const& X) { return sum(solve_triangular(A, X)); }, a, b);
    {
        BOOST_CHECK_EQUAL(one.factorisations(), 1);
        BOOST_CHECK_EQUAL(one.getrs, 2);
        BOOST_CHECK((by == blas_counts{}));  // the cotangent of A is assigned: one pass
        BOOST_CHECK_EQUAL(many.factorisations(), 1);
        BOOST_CHECK_EQUAL(many.trsm, 4);
        BOOST_CHECK_EQUAL(products.gemm, 1);
        BOOST_CHECK_EQUAL(inverted.factorisations(), 1);
        BOOST_CHECK_EQUAL(twice.gemm, 2);
        BOOST_CHECK_EQUAL(log_det.factorisations(), 1);
        BOOST_CHECK_EQUAL(log_det.getri, 1);
        BOOST_CHECK_EQUAL(none.gemm, 0);
        BOOST_CHECK_EQUAL(substituted.trsm, 2);
        BOOST_CHECK_EQUAL(few.gemm, 1);
    }
    // a few rows and columns need no library
    auto const [none_called, no_product] = second_call([](auto const& A, auto const& x) { return sum(solve(A, x)) + det(A); }, regular(3), filled<vector>({3}));
    BOOST_CHECK_EQUAL(none_called.factorisations() + none_called.getrs + none_called.getri, 0);
    BOOST_CHECK_EQUAL(no_product.gemm, 0);
    // what is added to is added to in place
    auto const [again, added] = second_call([](auto const& A, auto const& x) { return sum(A) + sum(solve(A, x)); }, a, v);
    BOOST_CHECK_EQUAL(added.ger, 1);
    BOOST_CHECK_EQUAL(again.factorisations(), one.factorisations());
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
