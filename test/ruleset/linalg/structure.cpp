// The spaces that cotangents of structured operands are in: symmetric where an operand is read as its symmetric part, in the triangle where only that is read,
// on the diagonal; and that pairing them with tangents of the same space gives the derivative. Matrices of packed numbers.
#include <array>
#include <cmath>

#include "orders.hpp"

#include <xgrad/ruleset/linalg/lapack_host.hpp>

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

double pair(matrix const& a, matrix const& b) { return xt::sum(a * b)(); }
// <Ā, Ȧ> is the derivative along Ȧ.
template <class F>
matrix pairing_law(F const& f, matrix const& a, matrix const& tangent) {
    matrix const abar = std::get<0>(xg::gradient(f, a));
    double const along = xg::jvp(f, std::tuple(a), std::tuple(tangent)).tangent;
    BOOST_CHECK_MESSAGE(near(pair(abar, tangent), along, 1e-10), "the pairing is " << pair(abar, tangent) << ", the derivative " << along);
    return abar;
}
matrix symmetric_of(vector const& p, std::size_t n, bool mirror) {
    matrix a = xt::zeros<double>({n, n});
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++k) {
            a(i, j) = p(k);
            if (mirror) a(j, i) = p(k);
        }
    return a;
}
vector packed_of(matrix const& a) {
    std::size_t const n = a.shape(0);
    vector p(std::array<std::size_t, 1>{n * (n + 1) / 2});
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) p(k++) = a(i, j);
    return p;
}

}

#if defined(HAVE_CBLAS)
BOOST_AUTO_TEST_CASE(symmetric_operands) {
    std::size_t const n = 4;
    // not symmetric itself: what is read is its symmetric part
    matrix const e = filled<matrix>({n, n}, 0.7), a = definite(n) + 0.1 * (e - transpose_of(e));
    matrix const along = symmetric_part(filled<matrix>({n, n}, 0.2)), across = e - transpose_of(e);
    vector const b = filled<vector>({n});
    auto const law = [&](auto const& f) {
        matrix const abar = pairing_law(f, a, along);
        BOOST_CHECK(xt::allclose(abar, transpose_of(abar), 1e-12, 1e-12));
        // nothing depends on the other part
        BOOST_CHECK(std::abs(xg::jvp(f, std::tuple(a), std::tuple(across)).tangent) < 1e-12);
        BOOST_CHECK(near(xg::value(f, a), xg::value(f, symmetric_part(a)), 1e-12));
    };
    law([](auto const& A) { return weighed_active(cholesky(A)); });
    law([](auto const& A) { return logdet(A); });
    law([&](auto const& A) { return weighed_active(solve_cholesky(A, b)); });
    law([&](auto const& A) { auto [q, d] = gaussian_quadratic(A, b); return q * d; });
    law([](auto const& A) { return weighed_active(eigvalsh(A)); });
    law([](auto const& A) { auto [w, V] = eigh(A); return weighed_active(V * V * w); });
}
BOOST_AUTO_TEST_CASE(triangular_and_diagonal_operands) {
    std::size_t const n = 4;
    matrix const a = regular(n), e = filled<matrix>({n, n}, 0.7);
    vector const b = filled<vector>({n});
    using xg::triangle;
    for (auto const part : {triangle::lower, triangle::upper, triangle::unit_lower, triangle::unit_upper}) {
        bool const lower = part == triangle::lower || part == triangle::unit_lower, unit = part == triangle::unit_lower || part == triangle::unit_upper;
        auto const inside = [&](std::size_t i, std::size_t j) { return i == j ? !unit : (j < i) == lower; };
        matrix along = e;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) along(i, j) *= inside(i, j);
        auto const f = [&](auto const& A) { return weighed_active(solve_triangular(A, b, part)); };
        matrix const abar = pairing_law(f, a, along);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (!inside(i, j)) BOOST_CHECK_EQUAL(abar(i, j), 0.0);
        // what is outside is not read, whatever it is
        matrix other = a;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (!inside(i, j)) other(i, j) = std::nan("");
        BOOST_CHECK(xt::allclose(std::get<0>(xg::gradient(f, other)), abar));
        (void)pairing_law(f, a, e);
    }
    matrix const d = pairing_law([&](auto const& A) { return weighed_active(solve(diag(diagonal(A)), b)); }, a, e);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j) BOOST_CHECK_EQUAL(d(i, j), 0.0);
}
BOOST_AUTO_TEST_CASE(a_triangle_of_many_rows) {
    std::size_t const n = 150;
    matrix const a = matrix(0.01 * filled<matrix>({n, n}) + 2.0 * xt::eye(n)), b = filled<matrix>({n, 3}, 0.7), weights = filled<matrix>({n, 3}, 0.4);
    using xg::triangle;
    for (auto const part : {triangle::lower, triangle::upper, triangle::unit_lower, triangle::unit_upper}) {
        bool const lower = part == triangle::lower || part == triangle::unit_lower, unit = part == triangle::unit_lower || part == triangle::unit_upper;
        auto const opposite = unit ? (lower ? triangle::unit_upper : triangle::unit_lower) : (lower ? triangle::upper : triangle::lower);
        matrix const x = xg::solve_triangular(a, b, part), w = xg::solve_triangular(transpose_of(a), weights, opposite);
        matrix expected = product(w, transpose_of(x));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) expected(i, j) *= i == j ? -!unit : (j < i) == lower ? -1 : 0;
        auto const f = [&](auto const& A) { return sum(solve_triangular(A, b, part) * weights); };
        auto const twice = [&](auto const& A) { return f(A) + f(A); };
        xt::xtensor<double, 2, xt::layout_type::column_major> const columns = a;
        BOOST_CHECK(xt::allclose(std::get<0>(xg::gradient(f, a)), expected));
        BOOST_CHECK(xt::allclose(std::get<0>(xg::gradient(twice, a)), 2.0 * expected));
        BOOST_CHECK(xt::allclose(std::get<0>(xg::gradient(f, columns)), expected));
        BOOST_CHECK(xt::allclose(std::get<0>(xg::gradient(twice, columns)), 2.0 * expected));
    }
}
#endif

BOOST_AUTO_TEST_CASE(packed_numbers) {
    for (std::size_t const n : {0u, 1u, 2u, 5u}) {
        vector const p = filled<vector>({n * (n + 1) / 2});
        BOOST_TEST_CONTEXT(n << " rows") {
            BOOST_CHECK(matrix(xg::symmetric(p)) == symmetric_of(p, n, true));
            BOOST_CHECK(matrix(xg::lower_triangular(p)) == symmetric_of(p, n, false));
            BOOST_CHECK(vector(xg::packed(symmetric_of(p, n, true))) == p);
            agree(
                [](auto const& x) {
                    return weighed_active(square(symmetric(x))) + weighed_active(square(xg::lower_triangular(x * x))) + weighed_active(packed(symmetric(x))) +
                           weighed_active(x);
                },
                [n](vector const& x) {
                    matrix const s = symmetric_of(x, n, true), l = symmetric_of(vector(x * x), n, false);
                    return weighed(matrix(s * s)) + weighed(matrix(l * l)) + 2.0 * weighed(x);
                },
                p);
            agree([](auto const& A) { return weighed_active(square(packed(A))) + weighed_active(A) + weighed_active(packed(transpose(A))); },
                  [](matrix const& A) {
                      vector const x = packed_of(A);
                      return weighed(vector(x * x)) + weighed(A) + weighed(packed_of(transpose_of(A)));
                  },
                  filled<matrix>({n, n}, 0.6));
            // the pairing of packed numbers: a number outside the diagonal stands twice
            vector const tangent = filled<vector>({p.size()}, 0.9);
            matrix const g = filled<matrix>({n, n}, 0.3);
            vector const pbar = std::get<0>(xg::gradient([&](auto const& x) { return sum(symmetric(x) * g); }, p)),
                         lbar = std::get<0>(xg::gradient([&](auto const& x) { return sum(lower_triangular(x) * g); }, p));
            BOOST_CHECK(near(xt::sum(pbar * tangent)(), pair(g, symmetric_of(tangent, n, true)), 1e-12));
            BOOST_CHECK(near(xt::sum(lbar * tangent)(), pair(g, symmetric_of(tangent, n, false)), 1e-12));
        }
    }
    vector const p = filled<vector>({12});
    agree([](auto const& x) { return weighed_active(square(symmetric(view(x, xt::range(11, 0, -2))))) + sum(x); },
          [](auto const& x) {
              matrix const s = symmetric_of(vector(xt::view(x, xt::range(11, 0, -2))), 3, true);
              return weighed(matrix(s * s)) + xt::sum(x)();
          },
          xt::xarray<double>(p));
    agree([](auto const& A) { return weighed_active(square(packed(view(A, xt::range(4, 0, -2), xt::range(0, 2))))) + sum(A); },
          [](auto const& A) {
              vector const x = packed_of(matrix(xt::view(A, xt::range(4, 0, -2), xt::range(0, 2))));
              return weighed(vector(x * x)) + xt::sum(A)();
          },
          xt::xarray<double>(filled<matrix>({5, 3})));
    agree([](auto const& x) { return sum(square(symmetric(x))); }, [](vector const& x) { return x(0) * x(0) + 2 * x(1) * x(1) + x(2) * x(2); },
          xt::xtensor<float, 1>{1.0f, 2.0f, 3.0f});
    check_orders([](auto const& x) { return weighed_active(square(symmetric(x))) * sum(packed(symmetric(x))) + weighed_active(square(lower_triangular(x))); },
                 filled<vector>({6}));
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& x) { return sum(symmetric(x)); }, filled<vector>({4})); },
                                             {"symmetric(packed)", "(4,)"});
        check_refusal<std::invalid_argument>(
            [&] { xg::gradient([](auto const& x) { return sum(lower_triangular(x)); }, xt::xarray<double>(filled<matrix>({1, 1}))); },
            {"lower_triangular(packed)", "(1, 1)"});
        check_refusal<std::invalid_argument>([&] { (void)xg::packed(filled<matrix>({2, 3})); }, {"packed(A)", "(2, 3)"});
    }
#if defined(HAVE_CBLAS)
    // a covariance by its Cholesky factor, the factor by packed numbers
    agree(
        [](auto const& x) {
            auto L = lower_triangular(x);
            return logdet(dot(L, transpose(L)) + xt::eye<double>(3)) + sum(cholesky(symmetric(x) + 5.0 * xt::eye<double>(3)));
        },
        [](vector const& x) {
            matrix const L = symmetric_of(x, 3, false), a = product(L, transpose_of(L)) + xt::eye<double>(3),
                         s = symmetric_of(x, 3, true) + 5.0 * xt::eye<double>(3);
            return std::log(xg::det(a)) + xt::sum(xg::cholesky(s))();
        },
        filled<vector>({6}));
#endif
}
