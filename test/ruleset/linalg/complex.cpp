// Products and linear systems of complex numbers: values by their definitions, gradients against central differences in the real and the imaginary direction,
// bad input, and what is called and taken for them.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

#include "../../count_allocations.hpp"
#include "complex_differences.hpp"
#include "lapack_calls.hpp"

using namespace xgrad::test;
namespace xg = xgrad;

BOOST_AUTO_TEST_CASE(products) {
    cmatrix const a = numbers({5, 6}), b = numbers({6, 7}, 0.7), s = numbers({3, 3}, 0.4);
    cvector const u = line(6, 0.1), v = line(5, 0.6);
    check(
        "products",
        [](auto const& x, auto const& y) { return weighed(dot(x, y)) + weighed(dot(transpose(y), transpose(x))) + weighed(dot(conj(transpose(x)), x)); }, a, b);
    check(
        "of vectors",
        [](auto const& x, auto const& p, auto const& q) {
            return weighed(dot(x, p)) + weighed(dot(q, x)) + both(dot(p, p)) + weighed(outer(p, q)) + both(vdot(p, p * p));
        },
        a, u, v);
    check(
        "views", [](auto const& x) { return weighed(dot(view(x, xt::range(4, 0, -2), xt::all()), view(x, xt::range(0, 5, 2), xt::all()) * 2.0 + 1.0) * 1.0); },
        numbers({5, 3}));
    check(
        "inner, kron and powers",
        [](auto const& x) {
            return weighed(inner(x, x)) + weighed(kron(x, x)) + weighed(matrix_power(x, 5)) + both(trace(x)) + both(trace(x, 1)) + weighed(matrix_power(x, 0));
        },
        s);
    check(
        "sums of products",
        [](auto const& x, auto const& y) {
            return weighed(tensordot<1>(x, y)) + weighed(einsum<"ij,jk->ki">(x, y)) + both(einsum<"ij,ij->">(x, x)) +
                   weighed(einsum<"ii->i">(dot(x, transpose(x)))) + weighed(convolve(row(x, 0), col(y, 1)));
        },
        a, b);
    check("batches", [](auto const& x, auto const& y) { return weighed(matmul(x, y)); }, numbers<ctensor>({2, 3, 2}), numbers<ctensor>({2, 2, 3}, 0.9));
    check(
        "images", [](auto const& x, auto const& w) { return weighed(conv2d(x, w, {.padding = {1, 0}, .dilation = {2, 1}, .groups = 2})); },
        numbers<xt::xtensor<number, 4>>({1, 4, 3, 4}), numbers<xt::xtensor<number, 4>>({2, 2, 2, 3}, 0.8));
    check("packed", [](auto const& x) { return weighed(symmetric(packed(x))) + weighed(lower_triangular(packed(x))); }, s);
    check(
        "norms",
        [](auto const& x) {
            using namespace xg::norms;
            return norm(x, one) + norm(x, xg::norms::infinity) + norm(x, frobenius) + norm(ravel(x), 3.0);
        },
        s);
    check("dynamic ranks", [](auto const& x, auto const& y) { return weighed(dot(x, y)); }, xt::xarray<number>(a), xt::xarray<number>(u));
    check("columns first", [](auto const& x, auto const& y) { return weighed(dot(x, y)); }, xt::xtensor<number, 2, xt::layout_type::column_major>(a), b);
    check("one real operand", [&](auto const& x) { return weighed(dot(x, xt::xtensor<number, 2>(xt::ones<number>({6, 2})))); }, a);
    check("empty", [](auto const& x) { return sum(abs(dot(x, transpose(x)))); }, cmatrix(std::array<std::size_t, 2>{0, 3}));
    // the plain ones, and long double by loops
    BOOST_CHECK(close_to(xg::dot(a, b), by_loops(a, b)));
    using wide = std::complex<long double>;
    xt::xtensor<wide, 2> const l = xt::cast<wide>(s);
    auto const g = std::get<0>(xg::gradient([](auto const& x) { return sum(abs(dot(x, x))); }, l));
    auto const h = std::get<0>(xg::gradient([](auto const& x) { return sum(abs(dot(x, x))); }, s));
    BOOST_CHECK(close_to(cmatrix(xt::cast<number>(g)), h));
    xt::xtensor<std::complex<float>, 2> const f = xt::cast<std::complex<float>>(numbers({9, 9}));
    auto const gf = std::get<0>(xg::gradient([](auto const& x) { return sum(abs(dot(x, x))); }, f));
    auto const gd = std::get<0>(xg::gradient([](auto const& x) { return sum(abs(dot(x, x))); }, cmatrix(xt::cast<number>(f))));
    BOOST_CHECK(close_to(cmatrix(xt::cast<number>(gf)), gd, 1e-4));
}

#if defined(HAVE_CBLAS)
namespace {
template <class F>
auto refused(F f) {
    return [f](auto const& a) { return [=] { xg::gradient(f, a); }; };
}
}

BOOST_AUTO_TEST_CASE(linear_systems) {
    for (std::size_t const n : {std::size_t{1}, std::size_t{3}, std::size_t{6}}) {
        BOOST_TEST_CONTEXT("of " << n << " rows") {
            cmatrix const a = regular(n), b = numbers({n, 2}, 0.7);
            cvector const v = line(n, 0.6);
            check("solve", [](auto const& A, auto const& x) { return weighed(solve(A, x)) + weighed(solve(transpose(A), x)); }, a, v);
            check("columns", [](auto const& A, auto const& X) { return weighed(solve(A, X)) + weighed(solve(A, A * A)) + both(trace(A)); }, a, b);
            check("inv", [](auto const& A) { return weighed(inv(A)) + weighed(inv(transpose(A * A + A))); }, a);
            check("det", [](auto const& A) { auto d = det(A); return both(d * d) + both(det(transpose(A))); }, a);
            check("expm", [](auto const& A) { return weighed(expm(A)) + weighed(expm(transpose(A) * 0.01)); }, cmatrix(a * (n == 6 ? 0.2 : 1.0)));
            check("slogdet", [](auto const& A) { auto [sign, l] = slogdet(A); return both(sign) * l + l; }, a);
            check("lu", [](auto const& A) { auto [P, L, U] = lu(A); return weighed(L) + weighed(U * U); }, a);
            for (auto const part : {xg::triangle::lower, xg::triangle::upper, xg::triangle::unit_lower, xg::triangle::unit_upper}) {
                check("solve_triangular", [part](auto const& A, auto const& X) { return weighed(solve_triangular(A, X, part)); }, a, b);
                check("solve_triangular", [part](auto const& A, auto const& x) { return weighed(solve_triangular(transpose(A), x, part)) + weighed(A); }, a, v);
            }
            BOOST_CHECK(close_to(by_loops(a, xg::inv(a)), cmatrix(xt::eye<number>(n))));
            BOOST_CHECK(close_to(by_loops(a, xg::solve(a, b)), b));
            auto const [P, L, U] = xg::lu(a);
            BOOST_CHECK(close_to(by_loops(by_loops(P, L), U), a));
            auto const [sign, l] = xg::slogdet(a);
            BOOST_TEST(std::abs(sign * std::exp(l) - xg::det(a)) < 1e-11 * std::abs(xg::det(a)));
            BOOST_TEST(std::abs(std::abs(sign) - 1) < 1e-14);
        }
    }
    BOOST_TEST(std::abs(xg::det(cmatrix{{number(0, 1), 2.0}, {3.0, number(1, 1)}}) - number(-7, 1)) < 1e-14);
    check("tall factors", [](auto const& A) { auto [P, L, U] = lu(A); return weighed(L * L) + weighed(U); }, numbers({5, 3}, 0.37));
    check("wide factors", [](auto const& A) { auto [P, L, U] = lu(A); return weighed(L * L) + weighed(U); }, numbers({3, 5}, 0.37));
    check(
        "views",
        [](auto const& A, auto const& X) {
            return weighed(solve(view(A, xt::range(7, 0, -2), xt::range(1, 9, 2)), view(X, xt::range(0, 8, 2), xt::range(2, 0, -1))));
        },
        regular(9), numbers({8, 3}));
    check("dynamic ranks", [](auto const& A, auto const& x) { return weighed(solve(A, x)); }, xt::xarray<number>(regular(3)), xt::xarray<number>(line(3)));
    check(
        "columns first", [](auto const& A, auto const& X) { return weighed(solve_triangular(A, X)) + weighed(solve(A, X)); },
        xt::xtensor<number, 2, xt::layout_type::column_major>(regular(6)), numbers({6, 2}));
    check(
        "many rows",
        [](auto const& A, auto const& X) { return weighed(solve_triangular(A, X)) + weighed(solve_triangular(transpose(A), X, xg::triangle::unit_lower)); },
        cmatrix(numbers({9, 9}) * 0.1 + 2.0 * xt::eye<number>(9)), numbers({9, 2}));
    check(
        "fixed shapes",
        [](auto const& A, auto const& x) {
            auto [s, l] = slogdet(A);
            return weighed(dot(A, A)) + weighed(dot(A, x)) + weighed(solve(A, x)) + weighed(inv(A)) + both(det(A)) + l;
        },
        xt::xtensor_fixed<number, xt::xshape<3, 3>>(regular(3)), xt::xtensor_fixed<number, xt::xshape<3>>(line(3)));
    check("empty", [](auto const& A) { return both(det(A)) + sum(abs(inv(A))); }, cmatrix(std::array<std::size_t, 2>{0, 0}));
    // of less rank: the matrix of cofactors
    cmatrix const one = by_loops(numbers({6, 5}), numbers({5, 6}, 0.9));
    auto const g = std::get<0>(xg::gradient([](auto const& A) { return both(det(A)); }, one));
    cmatrix minor(std::array<std::size_t, 2>{5, 5});
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) minor(i, j) = one(i + 1, j + 1);
    number const cofactor = xg::det(minor);
    // f = Re((1.5 + 0.7 i) det A)
    BOOST_TEST(std::abs(g(0, 0) - std::conj(number(1.5, 0.7) * cofactor)) < 1e-8 * (1 + std::abs(cofactor)));

    cmatrix const rows = numbers({2, 3}), lost = cmatrix{{1.0, number(0, 1)}, {number(0, 1), -1.0}};
    cmatrix bad = regular(3);
    bad(1, 2) = number(0, std::numeric_limits<double>::quiet_NaN());
    auto const solution = refused([](auto const& A) { return sum(abs(solve(A, cvector{1.0, 2.0}))); });
    auto const inverse = refused([](auto const& A) { return sum(abs(inv(A))); });
    check_refusal<std::invalid_argument>(solution(rows), {"solve(A, b)", "(2, 3)"});
    check_refusal<std::runtime_error>(solution(lost), {"solve(A, b)", "(2, 2)"});
    check_refusal<std::runtime_error>(inverse(lost), {"inv(A)", "(2, 2)"});
    check_refusal<std::domain_error>(inverse(bad), {"inv(A)", "NaN"});
    check_refusal<std::domain_error>(refused([](auto const& A) { return abs(det(A)); })(bad), {"det(A)", "NaN"});
    check_refusal<std::runtime_error>(refused([](auto const& A) { auto [s, l] = slogdet(A); return l; })(lost), {"slogdet(A)"});
    check_refusal<std::domain_error>(refused([](auto const& A) { auto [P, L, U] = lu(A); return sum(abs(U)); })(bad), {"lu(A)", "NaN"});
}
BOOST_AUTO_TEST_CASE(one_factorisation_and_nothing_from_the_heap) {
    auto const second_call = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        lapack_counts calls;
        auto const products = blas_calls_of([&] { calls = lapack_calls_of([&] { g(x...); }); });
        BOOST_TEST(allocations == before);
        return std::tuple(products, calls);
    };
    cmatrix const a = regular(20), b = numbers({20, 3}, 0.7);
    cvector const v = line(20, 0.1);
    auto const calls_of = [&](auto f, auto const&... x) { return std::get<1>(second_call(f, x...)); };
    auto const products_of = [&](auto f, auto const&... x) { return std::get<0>(second_call(f, x...)); };
    // as of real numbers: a product and its two cotangents
    BOOST_TEST((products_of([](auto const& x, auto const& y) { return sum(abs(dot(x, y))); }, a, b) == blas_counts{.gemm = 3}));
    BOOST_TEST((products_of([](auto const& x, auto const& y) { return sum(abs(dot(x, y))); }, a, v) == blas_counts{.gemv = 2}));
    BOOST_TEST((products_of([](auto const& x) { return sum(abs(dot(x, conj(transpose(x))))); }, a) == blas_counts{.gemm = 3}));
    auto const solved = calls_of([](auto const& x, auto const& y) { return sum(abs(solve(x, y))); }, a, v);
    BOOST_TEST(solved.getrf == 1);
    BOOST_TEST(solved.getrs == 2);
    auto const inverted = calls_of([](auto const& x) { return sum(abs(inv(x))); }, a);
    BOOST_TEST(inverted.getrf == 1);
    BOOST_TEST(inverted.getri == 1);
    BOOST_TEST(calls_of([](auto const& x) { auto [s, l] = slogdet(x); return l; }, a).factorisations() == 1);
    BOOST_TEST(calls_of([](auto const& x) { return abs(det(x)); }, a).factorisations() == 1);
}
#endif
