// xtensor-blas's functions by its names, xt::linalg::dot and the like, of active values: what xgrad's give, and what xtensor-blas gives for plain arrays.
#include <stdexcept>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#if defined(HAVE_CBLAS)
#include <xtensor-blas/xlinalg.hpp>

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
namespace la = xt::linalg;
matrix const a{{4.0, 1.0, 0.3}, {2.0, 3.0, -0.5}, {0.1, 0.7, 2.0}}, s{{2.0, 0.5, 0.1}, {0.5, 3.0, 0.2}, {0.1, 0.2, 4.0}};
vector const b{1.0, 2.0, -0.5};

// Both have one value and one gradient.
template <class F, class G>
void same(F const& f, G const& g) {
    auto const [y, dy] = xgrad::value_and_gradient(f, a, s, b);
    auto const [z, dz] = xgrad::value_and_gradient(g, a, s, b);
    BOOST_TEST(y == z);
    BOOST_TEST((std::get<0>(dy) == std::get<0>(dz)));
    BOOST_TEST((std::get<1>(dy) == std::get<1>(dz)));
    BOOST_TEST((std::get<2>(dy) == std::get<2>(dz)));
}
}

BOOST_AUTO_TEST_CASE(products) {
    same([](auto const& A, auto const& S, auto const& v) {
        return la::dot(v, la::dot(A, v)) + la::vdot(v, v) + sum(square(la::outer(v, v))) + sum(la::kron(A, S)) + la::trace(A) + la::trace(S, 1) +
               sum(la::matrix_power(A, 3)) + sum(la::cross(v, la::dot(S, v)) * v) + sum(la::tensordot(A, S)) + sum(la::dot(a, S));
    }, [](auto const& A, auto const& S, auto const& v) {
        return xgrad::dot(v, xgrad::dot(A, v)) + xgrad::vdot(v, v) + sum(square(xgrad::outer(v, v))) + sum(xgrad::kron(A, S)) + xgrad::trace(A) +
               xgrad::trace(S, 1) + sum(xgrad::matrix_power(A, 3)) + sum(xgrad::cross(v, xgrad::dot(S, v)) * v) + sum(xgrad::tensordot(A, S)) +
               sum(xgrad::dot(a, S));
    });
}
BOOST_AUTO_TEST_CASE(factorisations) {
    same([](auto const& A, auto const& S, auto const& v) {
        auto const L = la::cholesky(S);
        auto const [sign, logarithm] = la::slogdet(A);
        auto const [Q, R] = la::qr(A);
        return la::det(A) + sum(la::inv(A)) + sum(la::solve(A, v)) + sum(la::solve_cholesky(L, v)) + sum(la::solve_triangular(L, v)) + sign * logarithm +
               sum(square(Q * R)) + sum(square(la::pinv(A))) + static_cast<double>(la::matrix_rank(A));
    }, [](auto const& A, auto const& S, auto const& v) {
        auto const L = xgrad::cholesky(S);
        auto const [sign, logarithm] = xgrad::slogdet(A);
        auto const [Q, R] = xgrad::qr(A);
        return xgrad::det(A) + sum(xgrad::inv(A)) + sum(xgrad::solve(A, v)) + sum(xgrad::cholesky_solve(L, v)) + sum(xgrad::solve_triangular(L, v)) +
               sign * logarithm + sum(square(Q * R)) + sum(square(xgrad::pinv(A))) + static_cast<double>(xgrad::matrix_rank(A));
    });
}
BOOST_AUTO_TEST_CASE(values_and_norms) {
    same([](auto const& A, auto const& S, auto const& v) {
        auto const [w, V] = la::eigh(S);
        auto const [U, sigma, Vt] = la::svd(A, false);
        auto const [l, W] = la::eig(A);
        return sum(square(w)) + sum(square(V * V)) + sum(sigma) + sum(square(U * U)) + sum(la::eigvalsh(S)) + sum(abs(la::eigvals(A))) + sum(abs(l)) +
               la::norm(v) + la::norm(A) + la::norm(v, 1) + la::norm(v, 3);
    }, [](auto const& A, auto const& S, auto const& v) {
        auto const [w, V] = xgrad::eigh(S);
        auto const [U, sigma, Vt] = xgrad::svd(A);
        auto const [l, W] = xgrad::eig(A);
        return sum(square(w)) + sum(square(V * V)) + sum(sigma) + sum(square(U * U)) + sum(xgrad::eigvalsh(S)) + sum(abs(xgrad::eigvals(A))) + sum(abs(l)) +
               xgrad::norm(v) + xgrad::norm(A) + xgrad::norm(v, 1.0) + xgrad::norm(v, 3.0);
    });
    BOOST_CHECK_THROW(xgrad::value([](auto const& A) { return sum(std::get<1>(la::svd(A, true))); }, a), std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(axes_that_are_known_at_run_time) {
    xt::xtensor<double, 3> const c = xt::reshape_view(xt::arange<double>(18.0), {2, 3, 3});
    auto const check = [&](auto const& f, matrix const& expected) {
        auto const y = xgrad::value([&](auto const& x, auto const& m) { return sum(f(x, m) * expected); }, c, a);
        BOOST_TEST(y == xt::sum(expected * expected)(), boost::test_tools::tolerance(1e-13));
    };
    std::vector<std::size_t> const of_c{1, 2}, of_a{1, 0};
    auto const [dc] = xgrad::gradient([&](auto const& x) { return sum(square(la::tensordot(x, a, of_c, of_a))); }, c);
    auto const [ec] = xgrad::gradient([&](auto const& x) { return sum(square(la::tensordot(x, a, {1, 2}, {1, 0}))); }, c);
    BOOST_TEST((dc == ec));
    std::size_t one = 1;
    auto const [da] = xgrad::gradient([&](auto const& m) { return sum(square(la::tensordot(c, m, one))); }, a);
    auto const [ea] = xgrad::gradient([&](auto const& m) { return sum(square(xgrad::tensordot<1>(c, m))); }, a);
    BOOST_TEST((da == ea));
    // the plain functions are xtensor-blas's own
    BOOST_TEST(xt::allclose(xgrad::tensordot(c, a, 2), la::tensordot(c, a, 2)));
    BOOST_TEST(xt::allclose(xgrad::tensordot(c, a, of_c, of_a), la::tensordot(c, a, of_c, of_a)));
    check([](auto const& x, auto const& m) { return la::dot(view(x, 0), m); }, matrix(la::dot(matrix(xt::view(c, 0)), a)));
    BOOST_CHECK_THROW(xgrad::tensordot(c, a, 3), std::invalid_argument);
    BOOST_CHECK_THROW(xgrad::tensordot(c, a, of_c, std::vector<std::size_t>{0}), std::invalid_argument);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
