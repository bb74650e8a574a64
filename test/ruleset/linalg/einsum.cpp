// einsum of one operand and of several: against loops over every index, second derivatives against differences, layouts, memory, and bad input.
#include <array>
#include <cmath>

#include "blas_calls.hpp"
#include "orders.hpp"

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

using cube = xt::xtensor<double, 3>;
using shape = std::array<std::size_t, 2>;

matrix chain(matrix const& a, matrix const& b, matrix const& c) {
    matrix y = xt::zeros<double>({a.shape(0), c.shape(1)});
    for (std::size_t i = 0; i < a.shape(0); ++i)
        for (std::size_t j = 0; j < b.shape(0); ++j)
            for (std::size_t k = 0; k < c.shape(0); ++k)
                for (std::size_t l = 0; l < c.shape(1); ++l) y(i, l) += a(i, j) * b(j, k) * c(k, l);
    return y;
}
double trace_of(matrix const& a) { return xt::sum(xt::diagonal(a))(); }
vector diagonal_of(matrix const& a) { return xt::diagonal(a); }

}

BOOST_AUTO_TEST_CASE(with_an_ellipsis) {
    cube const a = filled<cube>({2, 3, 4}), b = filled<cube>({1, 4, 5}, 0.6);
    matrix const m = filled<matrix>({4, 5}, 0.3), q = filled<matrix>({3, 3}, 0.2);
    // products of the last two axes, the others broadcast: of another number of them, too, and in the middle
    BOOST_TEST(xt::allclose(xg::einsum<"...ij,...jk->...ik">(a, b), xg::matmul(a, b)));
    BOOST_TEST(xt::allclose(xg::einsum<"...ij,...jk">(a, m), xg::matmul(a, m)));
    BOOST_TEST(xt::allclose(xg::einsum<"...ij,...jk->...ik">(q, matrix(xt::view(a, 0))), xg::dot(q, matrix(xt::view(a, 0)))));
    BOOST_TEST(xt::allclose(xg::einsum<"i...k,kl->i...l">(a, m), xg::matmul(a, m)));
    BOOST_TEST(xt::allclose(xg::einsum<"i...->...i">(a), xt::transpose(a, {1, 2, 0})));
    cube const squares = filled<cube>({2, 3, 3});
    BOOST_TEST(xt::allclose(xg::einsum<"...ii->...">(squares), xg::einsum<"bii->b">(squares)));
    BOOST_TEST(xt::allclose(xg::einsum<"...ij,...jk,kl->...il">(a, b, filled<matrix>({5, 2})), xg::matmul(xg::matmul(a, b), filled<matrix>({5, 2}))));
    // of dynamic rank, and by labels that only the call knows
    xt::xarray<double> const dynamic = a;
    BOOST_TEST(xt::allclose(xg::einsum<"...ij,...jk->...ik">(dynamic, b), xg::matmul(a, b)));
    BOOST_TEST(xt::allclose(xg::einsum("...ij,...jk->...ik", a, b), xg::matmul(a, b)));
    agree([](auto const& A, auto const& B) { auto y = xg::einsum<"...ij,...jk->...ik">(A, B); return weighed_active(y * y); },
          [](cube const& A, cube const& B) { cube const y = xg::matmul(A, B); return weighed(cube(y * y)); }, a, b);
    check_orders([](auto const& A, auto const& B) { auto y = xg::einsum<"...ij,jk->...ik">(A, B); return weighed_active(y * y); }, a, m);
    BOOST_CHECK_THROW(xg::einsum("...ij,...jk->ik", a, b), std::invalid_argument);   // the result leaves out an axis
    BOOST_CHECK_THROW(xg::einsum("...ijkl->...", a), std::invalid_argument);         // more letters than axes
    BOOST_CHECK_THROW(xg::einsum("ij,...jk,...->ik", m, m), std::invalid_argument);  // another operand
    BOOST_CHECK_THROW((xg::einsum<"...ij,...jk->...ik">(a, filled<cube>({3, 4, 5}))), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(of_one_operand) {
    matrix const a = filled<matrix>({4, 4}), b = filled<matrix>({3, 5}, 0.6);
    cube const c = filled<cube>({2, 3, 2}, 0.4);
    agree(
        [](auto const& A) {
            return xg::einsum<"ii->">(A) * xg::einsum<"ii">(A) + weighed_active(xg::einsum<"ii->i">(A * A)) + weighed_active(square(xg::einsum<"ij->ji">(A))) +
                   weighed_active(xg::einsum<"ij->i">(A)) + weighed_active(xg::einsum<"ij->j">(A)) * xg::einsum<"ij->">(A) +
                   weighed_active(xg::einsum<"ij">(A));
        },
        [](matrix const& A) {
            double const t = trace_of(A);
            return t * t + weighed(diagonal_of(matrix(A * A))) + weighed(matrix(xt::square(xt::transpose(A)))) + weighed(vector(xt::sum(A, {1}))) +
                   weighed(vector(xt::sum(A, {0}))) * xt::sum(A)() + weighed(A);
        },
        a);
    agree(
        [](auto const& A) {
            return weighed_active(xg::einsum<"ij->ji">(view(A, xt::range(2, 0, -1), xt::range(0, 5, 2)))) + weighed_active(xg::einsum<"ba">(A)) +
                   weighed_active(A);
        },
        [](matrix const& A) {
            return weighed(matrix(xt::transpose(matrix(xt::view(A, xt::range(2, 0, -1), xt::range(0, 5, 2)))))) + weighed(matrix(xt::transpose(A))) +
                   weighed(A);
        },
        b);
    // a repeated letter beside another that is summed over, and in another order
    agree(
        [](auto const& x) {
            return weighed_active(xg::einsum<"iji->ji">(x)) + weighed_active(xg::einsum<"iji->j">(x)) + weighed_active(xg::einsum<"ijk->ki">(x));
        },
        [](cube const& x) {
            matrix p = xt::zeros<double>({3, 2}), r = xt::zeros<double>({2, 2});
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t j = 0; j < 3; ++j) {
                    p(j, i) = x(i, j, i);
                    for (std::size_t k = 0; k < 2; ++k) r(k, i) += x(i, j, k);
                }
            return weighed(p) + weighed(vector(xt::sum(p, {1}))) + weighed(r);
        },
        c);
    // labels that are known at run time
    agree(
        [](auto const& A) {
            return sum(xg::einsum("ii", A)) * 2.0 + weighed_active(xg::einsum("ii->i", A)) + weighed_active(xg::einsum("ij->ji", A)) +
                   weighed_active(xg::einsum("ij -> i", A));
        },
        [](matrix const& A) { return 2.0 * trace_of(A) + weighed(diagonal_of(A)) + weighed(matrix(xt::transpose(A))) + weighed(vector(xt::sum(A, {1}))); },
        xt::xarray<double>(a));
    agree([](auto const& A) { return xg::einsum<"ii->">(A) + sum(xg::einsum<"ij->j">(A)); }, [](matrix const& A) { return trace_of(A) + xt::sum(A)(); },
          xt::xtensor<float, 2, xt::layout_type::column_major>{{1.0f, 2.0f}, {3.0f, 4.0f}});
    for (std::size_t n : {0u, 1u})
        agree([](auto const& A) { return xg::einsum<"ii->">(A) + sum(xg::einsum<"ij->i">(A)) + sum(xg::einsum<"ii->i">(A)); },
              [](matrix const& A) { return 3.0 * xt::sum(A)(); }, filled<matrix>({n, n}));
    BOOST_CHECK(xt::allclose(xg::einsum<"ij->ji">(b), xt::transpose(b)));
    BOOST_CHECK_CLOSE(xg::einsum<"ii">(a), trace_of(a), 1e-12);
    BOOST_CHECK(xt::allclose(xg::einsum("ij->j", b), xt::sum(b, {0})));
    check_orders([](auto const& A) { return weighed_active(square(xg::einsum<"ii->i">(A))) + weighed_active(square(xg::einsum<"ij->j">(A))); }, a);
    // of long doubles, which no library knows
    auto const g =
        std::get<0>(xg::gradient([](auto const& A) { return xg::einsum<"ij,jk,ki->">(A, A, A); }, xt::xtensor<long double, 2>{{1.0l, 2.0l}, {3.0l, 4.0l}}));
    BOOST_CHECK(xt::allclose(g, 3.0l * xt::xtensor<long double, 2>{{7.0l, 15.0l}, {10.0l, 22.0l}}));
}
BOOST_AUTO_TEST_CASE(of_several_operands) {
    matrix const a = filled<matrix>({2, 3}), b = filled<matrix>({3, 4}, 0.6), c = filled<matrix>({4, 2}, 0.9);
    vector const v = filled<vector>({3});
    agree([](auto const& x, auto const& y,
             auto const& z) { return weighed_active(xg::einsum<"ij,jk,kl->il">(x, y, z)) + xg::einsum<"ij,jk,ki">(x, y, z) + weighed_active(x); },
          [](matrix const& x, matrix const& y, matrix const& z) {
              matrix const p = chain(x, y, z);
              return weighed(p) + trace_of(p) + weighed(x);
          },
          a, b, c);
    // constants among them, in front, two in a row, alone
    agree(
        [&](auto const& y) {
            return weighed_active(xg::einsum<"ij,jk,kl->il">(a, y, c)) + weighed_active(xg::einsum<"ij,kl,jk->il">(a, c, y)) +
                   weighed_active(xg::einsum("ij,jk,kl->il", a, y * y, c));
        },
        [&](matrix const& y) { return 2.0 * weighed(chain(a, y, c)) + weighed(chain(a, matrix(y * y), c)); }, b);
    BOOST_CHECK(xt::allclose(xg::einsum<"ij,jk,kl->il">(a, b, c), chain(a, b, c)));
    BOOST_CHECK(xt::allclose(xg::einsum("ij,jk,kl", a, b, c), chain(a, b, c)));
    // a letter in three of them, one in one of them alone, a quadratic form, one of them transposed
    agree(
        [](auto const& x, auto const& w) {
            return weighed_active(xg::einsum<"ij,ij,j,kl->i">(x, x, w, x)) + xg::einsum<"i,ij,j->">(w, dot(transpose(x), x), w) +
                   weighed_active(xg::einsum<"ij,j,kj->ik">(x, w, x));
        },
        [](matrix const& x, vector const& w) {
            vector p = xt::zeros<double>({x.shape(0)}), q = p;
            matrix r = xt::zeros<double>({x.shape(0), x.shape(0)});
            for (std::size_t i = 0; i < x.shape(0); ++i)
                for (std::size_t j = 0; j < x.shape(1); ++j) {
                    p(i) += x(i, j) * x(i, j) * w(j) * xt::sum(x)();
                    q(i) += x(i, j) * w(j);
                    for (std::size_t k = 0; k < x.shape(0); ++k) r(i, k) += x(i, j) * w(j) * x(k, j);
                }
            return weighed(p) + xt::sum(q * q)() + weighed(r);
        },
        a, v);
    agree([](auto const& x, auto const& w) { return sum(xg::einsum("ij,j,kj->ik", x, w, x)) + sum(xg::einsum("i,ij,j", w, xg::dot(transpose(x), x), w)); },
          [](auto const& x, auto const& w) {
              double s = 0, q = 0;
              for (std::size_t i = 0; i < 2; ++i) {
                  double d = 0;
                  for (std::size_t j = 0; j < 3; ++j) {
                      d += x(i, j) * w(j);
                      for (std::size_t k = 0; k < 2; ++k) s += x(i, j) * w(j) * x(k, j);
                  }
                  q += d * d;
              }
              return s + q;
          }, xt::xarray<double>(a), xt::xarray<double>(v));
    check_orders([](auto const& x, auto const& w) { return weighed_active(xg::einsum<"ij,j,kj->ik">(x, w, x)); }, a, v);
    // a chain is two products, and its gradient four more
    auto g = xg::prepare_gradient([](auto const& x, auto const& y, auto const& z) { return sum(xg::einsum<"ij,jk,kl->il">(x, y, z)); }, filled<matrix>({8, 9}),
                                  filled<matrix>({9, 7}), filled<matrix>({7, 6}));
    auto const p = filled<matrix>({8, 9}), q = filled<matrix>({9, 7}), r = filled<matrix>({7, 6});
    g(p, q, r);
    auto const calls = blas_calls_of([&] { g(p, q, r); });
    if constexpr (counts_blas_calls) BOOST_CHECK_EQUAL(calls.gemm, 6);
}
BOOST_AUTO_TEST_CASE(bad_input) {
    matrix const a = filled<matrix>({2, 3});
    for (char const* bad : {"ij->k", "ij->ii", "ij,jk->ik", "i1->i", "i-j", "ij->i,j"})
        check_refusal<std::invalid_argument>([&] { (void)xg::einsum(bad, a); }, {"einsum(labels, x...)", bad, "for 1"});
    for (char const* bad : {"ij,jk->ik", "ij,jk,kl->im", "ij,jk,kl,lm->im"})
        check_refusal<std::invalid_argument>([&] { (void)xg::einsum(bad, a, a, a); }, {"einsum(labels, x...)", bad, "for 3"});
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& A) { return xg::einsum<"ii->">(A); }, a); }, {"einsum(labels, x)", "(2, 3)"});
        check_refusal<std::invalid_argument>([&] { (void)xg::einsum("ijk->i", a); }, {"einsum(labels, x)", "(2, 3)"});
        check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& A) { return sum(xg::einsum<"ij,kj,kl->il">(A, A, transpose(A))); }, a); },
                                             {"einsum(labels, x...)", "(2, 2)", "(3, 2)"});
        check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& A) { return sum(xg::einsum<"ij,jk,kl->il">(A, A, A)); }, a); },
                                             {"einsum(labels, x...)", "(2, 3) and (2, 3)"});
    }
}
