// Eigenvalues, singular values, QR, least squares, pseudo-inverses, exponentials and norms of matrices: what they are by their definitions, gradients against
// differences, second derivatives, degenerate cases, bad input, and what is called.
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

double const none = std::numeric_limits<double>::quiet_NaN();
matrix diagonal_matrix(vector const& w) { return matrix(xt::diag(w)); }
matrix plain_expm(matrix const& a) {
    matrix term = xt::eye(a.shape(0)), s = term;
    matrix const small = a / 1024.0;
    for (int k = 1; k < 30; ++k) {
        term = matrix(product(term, small) / k);
        s += term;
    }
    for (int k = 0; k < 10; ++k) s = product(s, s);
    return s;
}
// Functions of vectors whose signs do not matter.
auto const by_vectors = [](auto const& w, auto const& V) { auto p = V * V; return weighed_active(p * p * w) + weighed_active(w); };
auto const of_eigen = [](auto const& A) { auto [w, V] = eigh(A); return by_vectors(w, V); };
auto const of_svd = [](auto const& A) {
    auto [U, s, Vt] = svd(A);
    return weighed_active(U * U * s) + weighed_active(s) + weighed_active(transpose(Vt * Vt) * s) + weighed_active(dot(U * s * s, Vt));
};
auto const of_qr = [](auto const& A) { auto [Q, R] = qr(A); return weighed_active(Q * Q * Q) + weighed_active(R * R) + weighed_active(dot(Q, R * R)); };
template <class F>
auto plainly(F f) {
    return [f](auto const& A) { return xg::value(f, matrix(A)); };
}

}

BOOST_AUTO_TEST_CASE(eigenvalues) {
    matrix const a = symmetric_part(filled<matrix>({4, 4}));
    auto const [w, V] = xg::eigh(a);
    BOOST_CHECK(xt::allclose(product(product(V, diagonal_matrix(w)), transpose_of(V)), a));
    BOOST_CHECK(xt::allclose(product(transpose_of(V), V), matrix(xt::eye(4))));
    BOOST_CHECK(xt::allclose(xg::eigvalsh(a), w));
    agree(of_eigen, plainly(of_eigen), a);
    agree([](auto const& A) { return weighed_active(xg::eigvalsh(A)) + of_eigen(A * A) + sum(A); },
          [](auto const& A) { return weighed(xg::eigvalsh(matrix(A))) + xg::value(of_eigen, matrix(A * A)) + xt::sum(A)(); }, xt::xarray<double>(a));
    agree(
        [](auto const& A) {
            auto v = view(A, xt::range(7, 0, -2), xt::range(7, 0, -2));
            return weighed_active(eigvalsh(v)) + of_eigen(transpose(v));
        },
        [](matrix const& A) {
            matrix const v = xt::view(A, xt::range(7, 0, -2), xt::range(7, 0, -2));
            return weighed(xg::eigvalsh(v)) + xg::value(of_eigen, v);
        },
        filled<matrix>({8, 8}));
    agree([](auto const& A) { return weighed_active(eigvalsh(A)); }, [](matrix const& A) { return weighed(xg::eigvalsh(A)); },
          xt::xtensor<float, 2>(xt::cast<float>(a)));
    agree([](auto const& A) { return sum(eigvalsh(A)) + sum(std::get<1>(eigh(A))); }, [](auto const&) { return 0.0; }, matrix(xt::zeros<double>({0, 0})));
    check_orders(of_eigen, symmetric_part(filled<matrix>({3, 3})));
    check_orders([](auto const& A) { auto e = eigvalsh(A); return weighed_active(e * e * e); }, a);
    // equal eigenvalues: the gradient of what treats them alike
    matrix const g = std::get<0>(xg::gradient([](auto const& A) { return sum(exp(eigvalsh(A))); }, matrix(2.0 * xt::eye(3))));
    BOOST_CHECK(xt::allclose(g, std::exp(2.0) * xt::eye(3)));
    matrix const same = 2.0 * xt::eye(3);
    check_refusal<std::domain_error>([&] { xg::gradient(of_eigen, same); }, {"eigh(A)", "distinct", "(3, 3)"});
    check_refusal<std::domain_error>([&] { xg::hvp([](auto const& A) { return sum(eigvalsh(A)); }, same, same); }, {"eigvalsh(A)", "distinct"});
    BOOST_CHECK(xt::allclose(std::get<0>(xg::eigh(same)), 2.0 * xt::ones<double>({3})));
}
BOOST_AUTO_TEST_CASE(singular_values) {
    for (std::array<std::size_t, 2> const s : {std::array<std::size_t, 2>{3, 3}, {5, 3}, {3, 5}}) {
        BOOST_TEST_CONTEXT(s[0] << " x " << s[1]) {
            matrix const a = filled<matrix>(s, 0.37);
            auto const [U, w, Vt] = xg::svd(a);
            BOOST_CHECK(xt::allclose(product(product(U, diagonal_matrix(w)), Vt), a));
            BOOST_CHECK(xt::allclose(product(transpose_of(U), U), matrix(xt::eye(3))));
            BOOST_CHECK(xt::allclose(xg::svdvals(a), w));
            agree(of_svd, plainly(of_svd), a);
            agree(
                [](auto const& A) {
                    auto v = svdvals(A);
                    return weighed_active(v * v * v) + sum(A);
                },
                [](matrix const& A) {
                    vector const v = xg::svdvals(A);
                    return weighed(vector(v * v * v)) + xt::sum(A)();
                },
                a);
            check_orders(of_svd, a);
        }
    }
    agree([](auto const& A) { return of_svd(transpose(view(A, xt::range(7, 0, -2), xt::range(0, 5, 2)))); },
          [](auto const& A) { return xg::value(of_svd, matrix(xt::transpose(matrix(xt::view(A, xt::range(7, 0, -2), xt::range(0, 5, 2)))))); },
          xt::xarray<double>(filled<matrix>({8, 6})));
    agree([](auto const& A) { return sum(svdvals(A)) + sum(std::get<2>(svd(A))); }, [](auto const&) { return 0.0; }, matrix(xt::zeros<double>({0, 3})));
    // rank one: the vectors have no derivative, the sum of the singular values has a subgradient
    matrix const one{{1, 2}, {2, 4}, {3, 6}};
    BOOST_CHECK(xt::all(xt::isfinite(std::get<0>(xg::gradient([](auto const& A) { return norm(A, xg::norms::nuclear); }, one)))));
    check_refusal<std::domain_error>([&] { xg::gradient(of_svd, one); }, {"svd(A)", "full rank", "(3, 2)"});
    check_refusal<std::domain_error>([&] { xg::gradient(of_svd, matrix(xt::eye(3))); }, {"svd(A)", "distinct", "(3, 3)"});
}
BOOST_AUTO_TEST_CASE(orthogonal_factors) {
    for (std::array<std::size_t, 2> const s : {std::array<std::size_t, 2>{3, 3}, {5, 3}, {1, 1}}) {
        matrix const a = filled<matrix>(s, 0.37);
        auto const [Q, R] = xg::qr(a);
        BOOST_CHECK(xt::allclose(product(Q, R), a));
        BOOST_CHECK(xt::allclose(product(transpose_of(Q), Q), matrix(xt::eye(s[1]))));
        BOOST_CHECK(xt::allclose(xt::tril(R, -1), 0.0));
        agree(of_qr, plainly(of_qr), a);
        check_orders(of_qr, a);
    }
    agree([](auto const& A) { return of_qr(transpose(view(A, xt::range(5, 0, -2), xt::all()))) + sum(A); },
          [](auto const& A) { return xg::value(of_qr, matrix(xt::transpose(matrix(xt::view(A, xt::range(5, 0, -2), xt::all()))))) + xt::sum(A)(); },
          xt::xarray<double>(filled<matrix>({6, 4})));
    check_refusal<std::runtime_error>([] { xg::gradient(of_qr, matrix{{1, 2}, {2, 4}, {3, 6}}); }, {"qr(A)", "(3, 2)", "column 1"});
}
BOOST_AUTO_TEST_CASE(least_squares) {
    auto normal_equations = [](matrix const& a, matrix const& b) {
        matrix const t = transpose_of(a);
        return a.shape(0) >= a.shape(1) ? matrix(xg::solve(product(t, a), product(t, b))) : product(t, matrix(xg::solve(product(a, t), b)));
    };
    matrix const tall = filled<matrix>({5, 3}) + 2.0 * matrix(xt::view(xt::eye(5), xt::all(), xt::range(0, 3))), wide = transpose_of(tall),
                 b = filled<matrix>({5, 2}, 0.6);
    vector const v = filled<vector>({5}), u = filled<vector>({3});
    auto column = [](vector const& x) { return matrix(xt::view(x, xt::all(), xt::newaxis())); };
    auto const squares = [](auto const& A, auto const& y) { auto x = lstsq(A, y); return weighed_active(x * x) + sum(A); };
    auto const plain = [&](auto const& A, auto const& y) { matrix const x = normal_equations(A, column(y)); return weighed(matrix(x * x)) + xt::sum(A)(); };
    agree(squares, plain, tall, v);
    agree(squares, plain, wide, u);
    agree(squares, [&](matrix const& A, matrix const& y) { matrix const x = normal_equations(A, y); return weighed(matrix(x * x)) + xt::sum(A)(); }, tall, b);
    agree([&](auto const& A) { return weighed_active(lstsq(A, v)); }, [&](matrix const& A) { return weighed(normal_equations(A, column(v))); }, tall);
    agree([&](auto const& y) { return weighed_active(lstsq(wide, y)); }, [&](vector const& y) { return weighed(normal_equations(wide, column(y))); }, u);
    BOOST_CHECK(xt::allclose(xg::lstsq(tall, b), normal_equations(tall, b)));
    check_orders(squares, tall, v);
    check_refusal<std::invalid_argument>([&] { xg::gradient(squares, tall, u); }, {"lstsq(A, b)", "(5, 3)", "(3,)"});
    check_refusal<std::runtime_error>([&] { xg::gradient(squares, matrix{{1, 2}, {2, 4}, {3, 6}}, u); }, {"lstsq(A, b)", "(3, 2)"});

    for (matrix const& a : {tall, wide, regular(3)}) {
        matrix const p = xg::pinv(a);
        BOOST_CHECK(xt::allclose(product(product(a, p), a), a));
        BOOST_CHECK(xt::allclose(product(a, p), transpose_of(product(a, p))));
        agree(
            [](auto const& A) {
                auto y = pinv(A);
                return weighed_active(y * y) + sum(A);
            },
            [](matrix const& A) {
                matrix const y = xg::pinv(A);
                return weighed(matrix(y * y)) + xt::sum(A)();
            },
            a);
        check_orders([](auto const& A) { auto y = pinv(A); return weighed_active(y * y); }, a);
    }
    // rank one, kept: pinv(x yᵀ) = y xᵀ / (|x|² |y|²)
    agree(
        [](auto const& x, auto const& y) {
            auto p = pinv(outer(x, y));
            return weighed_active(p * p);
        },
        [](vector const& x, vector const& y) {
            matrix const p = xg::outer(y, x) / (xt::sum(x * x)() * xt::sum(y * y)());
            return weighed(matrix(p * p));
        },
        v, u);
}
BOOST_AUTO_TEST_CASE(exponentials) {
    for (double const size : {1e-3, 0.05, 0.3, 0.7, 2.0, 20.0}) {
        BOOST_TEST_CONTEXT("size " << size) {
            matrix const a = size * filled<matrix>({3, 3}), y = plain_expm(a);
            BOOST_CHECK(xt::allclose(xg::expm(a), y, 1e-9));
            double const scale = 1.0 / xt::amax(xt::abs(y))();
            agree([scale](auto const& A) { return weighed_active(expm(A)) * scale; }, [scale](matrix const& A) { return weighed(xg::expm(A)) * scale; }, a);
        }
    }
    BOOST_CHECK_THROW(xg::expm(matrix{{1e300, 0}, {0, 1}}), std::domain_error);
    agree([](auto const& A) { return weighed_active(expm(transpose(A))) + weighed_active(expm(view(A, xt::range(2, 0, -1), xt::range(0, 3, 2)))); },
          [](auto const& A) {
              return weighed(plain_expm(matrix(xt::transpose(A)))) + weighed(plain_expm(matrix(xt::view(A, xt::range(2, 0, -1), xt::range(0, 3, 2)))));
          },
          xt::xarray<double>(filled<matrix>({3, 3})));
    agree([](auto const& A) { return sum(expm(A)); }, [](auto const&) { return 0.0; }, matrix(xt::zeros<double>({0, 0})));
    check_orders([](auto const& A) { return weighed_active(expm(A)); }, matrix(filled<matrix>({3, 3})));
}
BOOST_AUTO_TEST_CASE(matrix_norms) {
    matrix const a = filled<matrix>({3, 4});
    using namespace xg::norms;
    agree([](auto const& A) { return norm(A, one) * norm(A, xg::norms::infinity) + norm(A, frobenius) + norm(A, spectral) * norm(transpose(A), nuclear); },
          [](matrix const& A) {
              vector const s = xg::svdvals(A);
              return xt::amax(xt::sum(xt::abs(A), {0}))() * xt::amax(xt::sum(xt::abs(A), {1}))() + std::sqrt(xt::sum(A * A)()) + s(0) * xt::sum(s)();
          }, a);
    BOOST_CHECK_CLOSE(xg::norm(a, nuclear), xt::sum(xg::svdvals(a))(), 1e-10);
    check_orders([](auto const& A) { return norm(A, spectral) + norm(A, frobenius) * norm(A, nuclear); }, a);
}
BOOST_AUTO_TEST_CASE(bad_input) {
    auto const of = [](auto g) { return [=](matrix const& a) { return [=] { xg::gradient(g, a); }; }; };
    auto const eigen = of(of_eigen);
    auto const values = of([](auto const& A) { return sum(eigvalsh(A)); });
    auto const singular = of(of_svd);
    auto const pseudo = of([](auto const& A) { return sum(pinv(A)); });
    auto const exponential = of([](auto const& A) { return sum(expm(A)); });
    auto const factors = of(of_qr);
    matrix const rows = filled<matrix>({2, 3}), bad{{1, 0}, {0, none}};
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>(eigen(rows), {"eigh(A)", "(2, 3)"});
        check_refusal<std::domain_error>(eigen(bad), {"eigh(A)", "NaN"});
        check_refusal<std::invalid_argument>(values(rows), {"eigvalsh(A)", "(2, 3)"});
        check_refusal<std::domain_error>(values(bad), {"eigvalsh(A)", "NaN"});
        check_refusal<std::domain_error>(singular(bad), {"svd(A)", "NaN"});
        check_refusal<std::domain_error>(pseudo(bad), {"pinv(A)", "NaN"});
        check_refusal<std::domain_error>(factors(bad), {"qr(A)", "NaN"});
        check_refusal<std::invalid_argument>(exponential(rows), {"expm(A)", "(2, 3)"});
        check_refusal<std::domain_error>(exponential(bad), {"expm(A)", "NaN"});
        check_refusal<std::invalid_argument>([] { xg::gradient([](auto const& A) { return sum(svdvals(A)); }, xt::xarray<double>{1.0, 2.0}); },
                                             {"svdvals(A)", "(2,)"});
        agree([](auto const& A) { return sum(eigvalsh(A)); }, [](matrix const& A) { return A(0, 0) + A(1, 1); }, matrix{{2, 1}, {1, 3}});
    }
}
BOOST_AUTO_TEST_CASE(one_factorisation_and_nothing_from_the_heap) {
    matrix const a = filled<matrix>({30, 20}), s = symmetric_part(filled<matrix>({20, 20}));
    auto second_call = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        lapack_counts calls;
        auto const products = blas_calls_of([&] { calls = lapack_calls_of([&] { g(x...); }); });
        BOOST_CHECK_EQUAL(allocations - before, 0u);
        // gesdd itself takes a QR factorisation of a tall matrix
        BOOST_CHECK_EQUAL(calls.gesdd != 0 ? calls.gesdd : calls.factorisations(), 1);
        return products.gemm;
    };
    BOOST_CHECK_EQUAL(second_call([](auto const& A) { auto [w, V] = eigh(A); return sum(V * w); }, s), 3);
    BOOST_CHECK_EQUAL(second_call([](auto const& A) { return sum(eigvalsh(A)); }, s), 1);
    BOOST_CHECK_EQUAL(second_call([](auto const& A) { auto [U, w, Vt] = svd(A); return sum(U * w) + sum(Vt); }, a), 5);
    BOOST_CHECK_EQUAL(second_call([](auto const& A) { return sum(svdvals(A)); }, a), 1);
    BOOST_CHECK_EQUAL(second_call([](auto const& A) { auto [Q, R] = qr(A); return sum(Q) + sum(R); }, a), 3);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
