// lu of any shape and qr of wide matrices: what they are by their definitions, gradients against differences, second derivatives, layouts, degenerate cases,
// bad input, and what is called.
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

using shape = std::array<std::size_t, 2>;
auto const of_lu = [](auto const& A) { auto [P, L, U] = lu(A); return weighed_active(L * L) + weighed_active(U * U * U) + weighed_active(dot(L, U * U)); };
auto const of_qr = [](auto const& A) { auto [Q, R] = qr(A); return weighed_active(Q * Q * Q) + weighed_active(R * R) + weighed_active(dot(Q, R * R)); };
template <class F>
auto plainly(F f) {
    return [f](auto const& A) { return xg::value(f, matrix(A)); };
}

}

BOOST_AUTO_TEST_CASE(triangular_factors) {
    for (shape const s : {shape{4, 4}, {5, 3}, {3, 5}, {1, 1}, {1, 3}, {3, 1}, {0, 2}, {2, 0}}) {
        BOOST_TEST_CONTEXT(s[0] << " x " << s[1]) {
            matrix const a = filled<matrix>(s, 0.37);
            auto const [P, L, U] = xg::lu(a);
            std::size_t const k = std::min(s[0], s[1]);
            BOOST_CHECK((L.shape() == shape{s[0], k}) && (U.shape() == shape{k, s[1]}));
            if (k != 0) {
                BOOST_CHECK(xt::allclose(product(product(P, L), U), a));
                BOOST_CHECK(xt::allclose(product(P, transpose_of(P)), matrix(xt::eye(s[0]))));
                // rows are exchanged for the largest in the column
                BOOST_CHECK(xt::all(xt::abs(L) <= 1.0));
            }
            for (std::size_t i = 0; i < s[0]; ++i)
                for (std::size_t j = i; j < k; ++j) BOOST_CHECK_EQUAL(L(i, j), i == j ? 1.0 : 0.0);
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < i; ++j) BOOST_CHECK_EQUAL(U(i, j), 0.0);
            agree(of_lu, plainly(of_lu), a);
            if (k > 1) check_orders(of_lu, a);
        }
    }
    matrix const a = filled<matrix>({7, 7}, 0.5);
    agree([](auto const& A) { return of_lu(transpose(view(A, xt::range(6, 0, -2), xt::range(0, 4)))) + sum(A); },
          [](auto const& A) { return xg::value(of_lu, matrix(xt::transpose(matrix(xt::view(A, xt::range(6, 0, -2), xt::range(0, 4)))))) + xt::sum(A)(); },
          xt::xarray<double>(a));
    agree(of_lu, plainly(of_lu), xt::xtensor<double, 2, xt::layout_type::column_major>(filled<matrix>({3, 4})));
    agree(
        [](auto const& A) {
            auto [P, L, U] = xg::lu(A);
            return weighed_active(L) + weighed_active(U);
        },
        [](matrix const& A) {
            auto [P, L, U] = xg::lu(A);
            return weighed(L) + weighed(U);
        },
        xt::xtensor<float, 2>(xt::cast<float>(filled<matrix>({3, 3}))));
    // det A by the factors
    agree([](auto const& A) { auto [P, L, U] = lu(A); return prod(diagonal(U)) * xg::det(P); }, [](matrix const& A) { return xg::det(A); }, regular(4));
}
BOOST_AUTO_TEST_CASE(orthogonal_factors_of_wide_matrices) {
    for (shape const s : {shape{3, 5}, {1, 4}, {2, 3}}) {
        BOOST_TEST_CONTEXT(s[0] << " x " << s[1]) {
            matrix const a = filled<matrix>(s, 0.37);
            auto const [Q, R] = xg::qr(a);
            BOOST_CHECK((Q.shape() == shape{s[0], s[0]}) && (R.shape() == s));
            BOOST_CHECK(xt::allclose(product(Q, R), a));
            BOOST_CHECK(xt::allclose(product(transpose_of(Q), Q), matrix(xt::eye(s[0]))));
            BOOST_CHECK(xt::allclose(xt::tril(R, -1), 0.0));
            agree(of_qr, plainly(of_qr), a);
            if (s[0] > 1) check_orders(of_qr, a);
        }
    }
    agree([](auto const& A) { return of_qr(transpose(view(A, xt::all(), xt::range(3, 0, -1)))) + sum(A); },
          [](auto const& A) { return xg::value(of_qr, matrix(xt::transpose(matrix(xt::view(A, xt::all(), xt::range(3, 0, -1)))))) + xt::sum(A)(); },
          xt::xarray<double>(filled<matrix>({4, 4})));
    agree([](auto const& A) { auto [Q, R] = qr(A); return sum(Q) + sum(R) + sum(A); }, [](auto const&) { return 0.0; }, matrix(xt::zeros<double>({0, 3})));
}
BOOST_AUTO_TEST_CASE(bad_input) {
    double const none = std::numeric_limits<double>::quiet_NaN();
    matrix const singular{{1, 2, 0}, {2, 4, 1}, {3, 6, 5}}, bad{{1, 2}, {none, 4}}, beside{{1, 2, 3}, {3, 4, none}};
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::runtime_error>([&] { xg::gradient(of_lu, singular); }, {"lu(A)", "(3, 3)", "leading columns", "info = 2"});
        check_refusal<std::domain_error>([&] { xg::gradient(of_lu, bad); }, {"lu(A)", "NaN", "(2, 2)"});
        check_refusal<std::domain_error>([&] { (void)xg::lu(beside); }, {"lu(A)", "NaN", "(2, 3)"});
        check_refusal<std::domain_error>([&] { xg::gradient(of_qr, beside); }, {"qr(A)", "NaN", "(2, 3)"});
        check_refusal<std::runtime_error>([] { xg::gradient(of_qr, matrix{{1, 2, 0}, {2, 4, 1}}); }, {"qr(A)", "(2, 3)", "leading columns", "column 1"});
        check_refusal<std::invalid_argument>([] { xg::gradient(of_lu, xt::xarray<double>{1.0, 2.0}); }, {"lu(A)", "(2,)"});
        check_refusal<std::invalid_argument>([] { xg::gradient(of_qr, xt::xarray<double>{1.0, 2.0}); }, {"qr(A)", "(2,)"});
    }
    // as a value it exists
    auto const [P, L, U] = xg::lu(singular);
    BOOST_CHECK(xt::allclose(product(product(P, L), U), singular));
}
BOOST_AUTO_TEST_CASE(one_factorisation) {
    matrix const a = regular(20);
    auto g = xg::prepare_gradient([](auto const& A) { auto [P, L, U] = lu(A); return sum(L) + sum(U); }, a);
    g(a);
    auto const calls = lapack_calls_of([&] { g(a); });
    BOOST_CHECK_EQUAL(calls.factorisations(), 1);
    BOOST_CHECK_EQUAL(calls.trsm, 2);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
