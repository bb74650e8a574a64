// Eigenvalues and eigenvectors of general matrices, real and complex: what they are by their definition, gradients against differences in the real and the
// imaginary direction, degenerate cases, bad input, and what is called.
#include <array>
#include <complex>
#include <cstddef>
#include <limits>

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
using reals = xt::xtensor<double, 2>;
reals real_matrix(std::size_t n, double seed = 0.3) {
    reals a({n, n});
    for (auto& e : a) e = std::sin(7.1 * seed * seed + seed), seed += 0.77;
    return a;
}
// What the factors of the vectors do not change.
auto const of_vectors = [](auto const& A) { auto [w, V] = eig(A); return weighed(V * conj(V) * w) + sum(abs(w)) + weighed(w * w); };
auto const of_values = [](auto const& A) { auto w = eigvals(A); return weighed(w * w) + sum(abs(w)); };
}

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        BOOST_TEST_CONTEXT("of " << n << " rows") {
            cmatrix const a = numbers({n, n}, 0.4);
            reals const r = real_matrix(n);
            auto const [w, V] = xg::eig(a);
            BOOST_CHECK(close_to(by_loops(a, V), cmatrix(V * w)));
            BOOST_CHECK(close_to(xg::eigvals(a), w));
            auto const [u, W] = xg::eig(r);
            BOOST_CHECK(close_to(by_loops(r, W), cmatrix(W * u)));
            BOOST_CHECK(close_to(xg::eigvals(r), u));
            check("eigvals", of_values, a);
            check("eig", of_vectors, a);
            check("eigvals of a real matrix", of_values, r);
            check("eig of a real matrix", of_vectors, r);
        }
    }
    check("dynamic rank", of_vectors, xt::xarray<number>(numbers({3, 3})));
    check(
        "views", [](auto const& A) { return sum(abs(eigvals(view(A, xt::range(4, 0, -2), xt::range(0, 3, 2))))) + sum(abs(eigvals(transpose(A) * 2.0))); },
        real_matrix(5));
    check("of a sum", [](auto const& A) { return sum(abs(eigvals(dot(A, A) + number(0, 1)))); }, numbers({3, 3}));
    check("a turn", [](auto const& A) { auto w = eigvals(A); return sum(xt::imag(w) * xt::imag(w)); }, reals{{0.0, -1.0}, {1.0, 0.0}});
    check("empty", [](auto const& A) { return sum(abs(eigvals(A))); }, cmatrix(std::array<std::size_t, 2>{0, 0}));
    // equal eigenvalues: the gradient of what treats them alike
    auto const g = std::get<0>(xg::gradient([](auto const& A) { return xt::real(sum(exp(eigvals(A)))); }, reals(2.0 * xt::eye(3))));
    BOOST_CHECK(close_to(g, reals(std::exp(2.0) * xt::eye(3))));
    xt::xtensor<std::complex<float>, 2> const f = xt::cast<std::complex<float>>(numbers({4, 4}));
    auto const gf = std::get<0>(xg::gradient([](auto const& A) { return sum(abs(eigvals(A))); }, f));
    auto const gd = std::get<0>(xg::gradient([](auto const& A) { return sum(abs(eigvals(A))); }, cmatrix(xt::cast<number>(f))));
    BOOST_CHECK(close_to(cmatrix(xt::cast<number>(gf)), gd, 1e-3));
}
BOOST_AUTO_TEST_CASE(refusals) {
    reals const jordan{{2, 1}, {0, 2}}, rows = xt::ones<double>({2, 3});
    cmatrix bad = numbers({2, 2});
    bad(0, 1) = number(std::numeric_limits<double>::quiet_NaN(), 0);
    for (int i = 0; i < 2; ++i) {
        check_refusal<std::domain_error>([&] { xg::gradient(of_values, jordan); }, {"eigvals(A)", "independent eigenvectors", "(2, 2)"});
        check_refusal<std::domain_error>([&] { xg::gradient(of_vectors, cmatrix(xt::eye<number>(3))); }, {"eig(A)", "distinct eigenvalues", "(3, 3)"});
        check_refusal<std::invalid_argument>([&] { xg::gradient(of_values, rows); }, {"eigvals(A)", "(2, 3)"});
        check_refusal<std::domain_error>([&] { xg::gradient(of_vectors, bad); }, {"eig(A)", "NaN"});
    }
    // what is not differentiated has them all
    BOOST_CHECK(close_to(xg::eigvals(jordan), cvector{2.0, 2.0}));
    BOOST_CHECK(close_to(std::get<0>(xg::eig(jordan)), cvector{2.0, 2.0}));
}
BOOST_AUTO_TEST_CASE(one_decomposition_and_nothing_from_the_heap) {
    auto const second_call = [](auto f, auto const& x) {
        auto g = xg::prepare_gradient(f, x);
        g(x);
        std::size_t const before = allocations;
        long products = 0;
        auto const calls = lapack_calls_of([&] { products = blas_calls_of([&] { g(x); }).gemm; });
        BOOST_TEST(allocations == before);
        BOOST_TEST(calls.geev == 1);
        return products;
    };
    BOOST_TEST(second_call([](auto const& A) { return sum(abs(eigvals(A))); }, numbers({20, 20})) == 1);
    BOOST_TEST(second_call([](auto const& A) { return sum(abs(eigvals(A))); }, real_matrix(20)) == 1);
    BOOST_TEST(second_call([](auto const& A) { auto [w, V] = eig(A); return sum(abs(V * w)); }, numbers({20, 20})) == 3);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
