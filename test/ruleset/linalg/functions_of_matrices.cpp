// The square root and the logarithm of a matrix, and Sylvester's equation: by their definitions, gradients against differences, second derivatives, complex
// numbers, stacks, what is refused.
#include <complex>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <xgrad/check_rule.hpp>

#include "../../count_allocations.hpp"
#include "orders.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
namespace xg = xgrad;

namespace {
using complex = std::complex<double>;
using cmatrix = xt::xtensor<complex, 2>;
// Of positive eigenvalues, and not symmetric: B diag(1, 2, ...) B⁻¹.
matrix positive(std::size_t n, double seed = 0.3) {
    matrix const b = regular(n, seed);
    vector const w = xt::arange<double>(1.0, static_cast<double>(n) + 1.0);
    return product(matrix(b * w), xg::inv(b));
}
auto const of_root = [](auto const& A) { return weighed_active(xg::sqrtm(A)); };
auto const of_logarithm = [](auto const& A) { return weighed_active(xg::logm(A)); };
constexpr xg::rule_checks in_calls{.plain = false};
void good(xg::rule_report const& report) { BOOST_TEST(static_cast<bool>(report), report.text()); }
}

BOOST_AUTO_TEST_CASE(square_roots) {
    for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        BOOST_TEST_CONTEXT(n << " rows") {
            matrix const a = positive(n), x = xg::sqrtm(a);
            BOOST_TEST(xt::allclose(product(x, x), a, 1e-11, 1e-11));
            agree(of_root, [](matrix const& A) { return weighed(xg::sqrtm(A)); }, a);
            check_orders(of_root, a);
        }
    }
    // eigenvalues in conjugate pairs, and twice one
    matrix const turn{{1.0, -2.0}, {3.0, 0.5}}, twice{{4.0, 1.0}, {0.0, 4.0}};
    for (auto const& a : {turn, twice}) {
        matrix const x = xg::sqrtm(a);
        BOOST_TEST(xt::allclose(product(x, x), a));
        check_orders(of_root, a);
    }
    BOOST_TEST(xt::allclose(xg::sqrtm(twice), matrix{{2.0, 0.25}, {0.0, 2.0}}));
    agree([](auto const& A) { return weighed_active(sqrtm(transpose(A))) + weighed_active(sqrtm(flip(flip(A, 0), 1))); },
          [](auto const& A) {
              return weighed(xg::sqrtm(matrix(xt::transpose(A)))) + weighed(xg::sqrtm(matrix(xt::flip(xt::flip(matrix(A), 0), 1))));
          },
          xt::xarray<double>(positive(4)));
    auto const [none] = xg::gradient([](auto const& A) { return sum(xg::sqrtm(A)) + sum(xg::logm(A)); }, matrix(xt::zeros<double>({0, 0})));
    BOOST_TEST(none.size() == 0u);
    BOOST_TEST(xt::allclose(xg::sqrtm(xt::xtensor<float, 2>{{4.0f, 0.0f}, {0.0f, 9.0f}}), matrix{{2.0, 0.0}, {0.0, 3.0}}));
}
BOOST_AUTO_TEST_CASE(logarithms) {
    for (double const size : {1e-3, 0.2, 1.0, 3.0}) {
        BOOST_TEST_CONTEXT("size " << size) {
            matrix const l = size * filled<matrix>({4, 4}), a = xg::expm(l);
            BOOST_TEST(xt::allclose(xg::logm(a), l, 1e-9, 1e-11));
            if (size < 3.0) agree(of_logarithm, [](matrix const& A) { return weighed(xg::logm(A)); }, a);
        }
    }
    check_orders(of_logarithm, positive(3));
    check_orders(of_logarithm, matrix(1000.0 * positive(2)));
    // the logarithm of the determinant is the trace of the logarithm
    matrix const a = positive(4);
    BOOST_TEST(xt::allclose(std::get<0>(xg::gradient([](auto const& A) { return trace(logm(A)); }, a)), transpose_of(xg::inv(a)), 1e-9, 1e-11));
    BOOST_TEST(xt::allclose(xg::logm(matrix(xt::eye(3))), 0.0));
}
BOOST_AUTO_TEST_CASE(equations) {
    matrix const a = regular(3), b = regular(2, 0.8), c = filled<matrix>({3, 2});
    matrix const x = xg::sylvester(a, b, c);
    BOOST_TEST(xt::allclose(product(a, x) + product(x, b), c));
    auto const f = [](auto const& A, auto const& B, auto const& C) { return weighed_active(sylvester(A, B, C)); };
    agree(f, [](matrix const& A, matrix const& B, matrix const& C) { return weighed(xg::sylvester(A, B, C)); }, a, b, c);
    check_orders(f, a, b, c);
    // some are constants, or one and the same
    auto const all = xg::gradient(f, a, b, c);
    auto const bc = xg::gradient([&](auto const& B, auto const& C) { return weighed_active(xg::sylvester(a, B, C)); }, b, c);
    auto const ac = xg::gradient([&](auto const& A, auto const& C) { return weighed_active(xg::sylvester(A, b, C)); }, a, c);
    auto const only_b = xg::gradient([&](auto const& B) { return weighed_active(xg::sylvester(a, B, c)); }, b);
    BOOST_TEST((xt::allclose(std::get<0>(ac), std::get<0>(all)) && xt::allclose(std::get<1>(ac), std::get<2>(all))));
    BOOST_TEST((xt::allclose(std::get<0>(bc), std::get<1>(all)) && xt::allclose(std::get<1>(bc), std::get<2>(all))));
    BOOST_TEST(xt::allclose(std::get<0>(only_b), std::get<1>(all)));
    // a Lyapunov equation of an array of dynamic rank
    agree([](auto const& A) { return weighed_active(xg::sylvester(A, transpose(A), A)); },
          [](auto const& A) { return weighed(xg::sylvester(matrix(A), matrix(xt::transpose(A)), matrix(A))); }, xt::xarray<double>(a));
}
BOOST_AUTO_TEST_CASE(complex_matrices) {
    cmatrix const a{{complex(1.0, 2.0), complex(0.5, 0.0)}, {complex(-1.0, 0.3), complex(-2.0, 1.0)}};
    cmatrix const b{{complex(2.0, -1.0), complex(0.2, 0.4)}, {complex(0.0, 1.0), complex(3.0, 0.5)}};
    cmatrix const x = xg::sqrtm(a), l = xg::logm(a), y = xg::sylvester(a, b, b);
    BOOST_TEST(xt::allclose(xt::abs(xg::dot(x, x) - a), 0.0, 1e-12, 1e-12));
    BOOST_TEST(xt::allclose(xt::abs(xg::expm(l) - a), 0.0, 1e-12, 1e-12));
    BOOST_TEST(xt::allclose(xt::abs(xg::dot(a, y) + xg::dot(y, b) - b), 0.0, 1e-12, 1e-12));
    // no real root, but a complex one
    BOOST_TEST(xt::allclose(xt::abs(xg::sqrtm(cmatrix{{complex(-4.0, 0.0)}}) - complex(0.0, 2.0)), 0.0));
    good(xg::check_rule<in_calls>(
        [](auto const& A, auto const& B) {
            return sum(xt::real(square(xg::sqrtm(A)))) + sum(xt::imag(xg::sqrtm(A) * xg::logm(A))) + norm_sq(xg::sylvester(A, B, A * B));
        },
        a, b));
}
BOOST_AUTO_TEST_CASE(stacks) {
    xt::xtensor<double, 3> s = xt::zeros<double>({2, 3, 3});
    xt::view(s, 0) = positive(3);
    xt::view(s, 1) = positive(3, 0.9);
    auto const x = xg::sqrtm(s), l = xg::logm(s);
    for (std::size_t k = 0; k < 2; ++k) {
        BOOST_TEST(xt::allclose(xt::view(x, k), xg::sqrtm(matrix(xt::view(s, k)))));
        BOOST_TEST(xt::allclose(xt::view(l, k), xg::logm(matrix(xt::view(s, k)))));
    }
    good(xg::check_rule<in_calls>([](auto const& A) { return sum(square(xg::sqrtm(A))) + sum(square(xg::logm(A))); }, s));
}
BOOST_AUTO_TEST_CASE(refused) {
    matrix const rows = filled<matrix>({2, 3}), bad{{1.0, 0.0}, {0.0, std::numeric_limits<double>::quiet_NaN()}}, negative{{-1.0, 0.5}, {0.0, 2.0}},
        singular{{0.0, 2.0}, {0.0, 4.0}}, square{{2.0, 1.0}, {0.0, 3.0}};
    check_refusal<std::invalid_argument>([&] { xg::sqrtm(rows); }, {"sqrtm(A)", "(2, 3)"});
    check_refusal<std::invalid_argument>([&] { xg::logm(rows); }, {"logm(A)", "(2, 3)"});
    check_refusal<std::domain_error>([&] { xg::sqrtm(bad); }, {"sqrtm(A)", "NaN"});
    check_refusal<std::domain_error>([&] { xg::logm(bad); }, {"logm(A)", "NaN"});
    check_refusal<std::domain_error>([&] { xg::sylvester(square, square, bad); }, {"sylvester(A, B, C)", "NaN"});
    check_refusal<std::runtime_error>([&] { xg::sqrtm(negative); }, {"sqrtm(A)", "negative", "complex"});
    check_refusal<std::runtime_error>([&] { xg::logm(negative); }, {"logm(A)", "negative", "complex"});
    check_refusal<std::runtime_error>([&] { xg::logm(cmatrix(xt::zeros<complex>({2, 2}))); }, {"logm(A)", "0"});
    check_refusal<std::runtime_error>([&] { xg::sylvester(square, matrix(-square), square); }, {"sylvester(A, B, C)", "(2, 2)"});
    check_refusal<std::invalid_argument>([&] { xg::sylvester(square, matrix(xt::eye(3)), square); }, {"sylvester(A, B, C)", "(3, 3)"});
    check_refusal<std::runtime_error>([&] { xg::sqrtm(singular); }, {"sqrtm(A)", "0"});
}
BOOST_AUTO_TEST_CASE(nothing_from_the_heap) {
    matrix const a = positive(6), c = filled<matrix>({6, 6});
    auto f = [](auto const& A, auto const& C) { return sum(sqrtm(A)) + sum(logm(A)) + sum(sylvester(A, A, C)); };
    auto g = xg::prepare_gradient(f, a, c);
    g(a, c);
    std::size_t const before = allocations;
    g(a, c);
    BOOST_TEST(allocations - before == 0u);
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif
