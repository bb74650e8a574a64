// Hermitian matrices, orthogonal factors and least squares of complex numbers: values by their definitions, gradients against central differences in the real
// and the imaginary direction, bad input, and what is called and taken for them.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../count_allocations.hpp"
#include "complex_differences.hpp"
#include "lapack_calls.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
namespace xg = xgrad;

namespace {
template <class F>
auto refused(F f) {
    return [f](auto const& a) { return [=] { xg::gradient(f, a); }; };
}
}

BOOST_AUTO_TEST_CASE(hermitian_matrices) {
    for (std::size_t const n : {std::size_t{1}, std::size_t{3}, std::size_t{6}}) {
        BOOST_TEST_CONTEXT("of " << n << " rows") {
            cmatrix const a = definite(n), h = hermitian(n), b = numbers({n, 2}, 0.7);
            cvector const v = line(n, 0.6);
            check("cholesky", [](auto const& A) { auto L = cholesky(A); return weighed(L) + weighed(L * L); }, a);
            check("logdet", [](auto const& A) { auto l = logdet(A); return l * l + logdet(transpose(A)); }, a);
            check("solve_cholesky", [](auto const& A, auto const& X) { auto x = solve_cholesky(A, X); return weighed(x * x) + weighed(A); }, a, b);
            check("solve_cholesky", [&](auto const& A) { return weighed(solve_cholesky(A, v)); }, a);
            check("gaussian_quadratic", [](auto const& A, auto const& x) { auto [q, l] = gaussian_quadratic(A, x); return q * l + q; }, a, v);
            check("eigvalsh", [](auto const& A) { auto w = eigvalsh(A); return sum(w * w * w) + w(0); }, h);
            check(
                "eigh",
                [](auto const& A) {
                    auto [w, V] = eigh(A);
                    auto p = V * conj(V);
                    return weighed(p * p * w) + sum(exp(w)) + weighed(dot(V * w * w, conj(transpose(V))));
                },
                h);
            auto const L = xg::cholesky(a);
            BOOST_CHECK(close_to(by_loops(L, adjoint(L)), a));
            BOOST_CHECK(close_to(by_loops(a, xg::solve_cholesky(a, b)), b));
            BOOST_TEST(std::abs(xg::logdet(a) - std::log(xg::det(a))) < 1e-11);
            auto const [w, V] = xg::eigh(h);
            static_assert(std::is_same_v<std::remove_cvref_t<decltype(w)>, xt::xtensor<double, 1>>);
            BOOST_CHECK(close_to(by_loops(h, V), cmatrix(V * w)));
            BOOST_CHECK(close_to(by_loops(adjoint(V), V), cmatrix(xt::eye<number>(n))));
            BOOST_CHECK(close_to(xg::eigvalsh(h), w));
            // the gradient is Hermitian
            auto const g = std::get<0>(xg::gradient([](auto const& A) { return weighed(cholesky(A)); }, a));
            BOOST_CHECK(close_to(g, adjoint(g)));
        }
    }
    check(
        "views",
        [](auto const& A) {
            auto v = view(A, xt::range(7, 0, -2), xt::range(7, 0, -2));
            return sum(eigvalsh(v) * 2.0) + logdet(transpose(v));
        },
        definite(8));
    check("empty", [](auto const& A) { return logdet(A) + sum(eigvalsh(A)); }, cmatrix(std::array<std::size_t, 2>{0, 0}));
    cmatrix bad = definite(3);
    bad(1, 2) = number(0, std::numeric_limits<double>::infinity());
    auto const factor = refused([](auto const& A) { return sum(abs(cholesky(A))); });
    check_refusal<std::domain_error>(factor(bad), {"cholesky(A)", "NaN"});
    check_refusal<std::runtime_error>(factor(cmatrix(-1.0 * definite(3))), {"cholesky(A)", "positive definite", "order 1"});
    check_refusal<std::invalid_argument>(factor(numbers({2, 3})), {"cholesky(A)", "(2, 3)"});
    check_refusal<std::domain_error>(refused([](auto const& A) {
                                         auto [w, V] = eigh(A);
                                         return sum(abs(V)) + sum(w);
                                     })(cmatrix(xt::eye<number>(3))),
                                     {"eigh(A)", "distinct"});
}
BOOST_AUTO_TEST_CASE(orthogonal_factors) {
    for (std::array<std::size_t, 2> const s : {std::array<std::size_t, 2>{3, 3}, {5, 3}, {3, 5}, {1, 1}}) {
        BOOST_TEST_CONTEXT(s[0] << " x " << s[1]) {
            cmatrix const a = numbers(s, 0.37);
            check("qr", [](auto const& A) { auto [Q, R] = qr(A); return weighed(Q) + weighed(R * R) + weighed(dot(Q * Q, R)); }, a);
            check("svdvals", [](auto const& A) { auto v = svdvals(A); return sum(v * v * v) + v(0); }, a);
            check("svd", [](auto const& A) {
                auto [U, w, Vt] = svd(A);
                return weighed(dot(U * w * w, Vt)) + weighed(U * conj(U) * w) + weighed(transpose(Vt * conj(Vt)) * w) + sum(exp(w)) + weighed(dot(U, Vt));
            }, a);
            check("norms", [](auto const& A) { return norm(A, xg::norms::spectral) + norm(A, xg::norms::nuclear); }, a);
            check("pinv", [](auto const& A) { auto p = pinv(A); return weighed(p * p); }, a);
            auto const [Q, R] = xg::qr(a);
            BOOST_CHECK(close_to(by_loops(Q, R), a));
            std::size_t const k = std::min(s[0], s[1]);
            BOOST_CHECK(close_to(by_loops(adjoint(Q), Q), cmatrix(xt::eye<number>(k))));
            for (std::size_t i = 0; i < k; ++i) BOOST_TEST(std::abs(R(i, i).imag()) < 1e-14);
            auto const [U, w, Vt] = xg::svd(a);
            BOOST_CHECK(close_to(by_loops(cmatrix(U * w), Vt), a));
            BOOST_CHECK(close_to(xg::svdvals(a), w));
            cmatrix const p = xg::pinv(a);
            BOOST_CHECK(close_to(by_loops(by_loops(a, p), a), a));
            BOOST_CHECK(close_to(by_loops(a, p), adjoint(by_loops(a, p))));
        }
    }
    check("lstsq", [](auto const& A, auto const& y) { auto x = lstsq(A, y); return weighed(x * x) + weighed(A); }, numbers({5, 3}), line(5, 0.6));
    check("lstsq", [](auto const& A, auto const& Y) { auto x = lstsq(A, Y); return weighed(x * x); }, numbers({3, 5}), numbers({3, 2}, 0.6));
    check("pinv of less rank", [](auto const& x, auto const& y) { auto p = pinv(outer(x, y)); return weighed(p * p); }, line(4), line(3, 0.6));
}
BOOST_AUTO_TEST_CASE(one_factorisation_and_nothing_from_the_heap) {
    cmatrix const a = numbers({30, 20}, 0.7), h = hermitian(20), d = definite(20);
    auto const factorisations = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        auto const calls = lapack_calls_of([&] { g(x...); });
        BOOST_TEST(allocations == before);
        return calls.gesdd != 0 ? calls.gesdd : calls.factorisations();
    };
    BOOST_TEST(factorisations([](auto const& A) { return sum(abs(cholesky(A))); }, d) == 1);
    BOOST_TEST(factorisations([](auto const& A) { return logdet(A); }, d) == 1);
    BOOST_TEST(factorisations([](auto const& A, auto const& x) { return sum(abs(solve_cholesky(A, x))); }, d, line(20)) == 1);
    BOOST_TEST(factorisations([](auto const& A) { auto [w, V] = eigh(A); return sum(abs(V * w)); }, h) == 1);
    BOOST_TEST(factorisations([](auto const& A) { return sum(eigvalsh(A)); }, h) == 1);
    BOOST_TEST(factorisations([](auto const& A) { auto [Q, R] = qr(A); return sum(abs(Q)) + sum(abs(R)); }, a) == 1);
    BOOST_TEST(factorisations([](auto const& A) { auto [U, s, Vt] = svd(A); return sum(abs(U * s)) + sum(abs(Vt)); }, a) == 1);
    BOOST_TEST(factorisations([](auto const& A, auto const& b) { return sum(abs(lstsq(A, b))); }, a, line(30)) == 1);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
