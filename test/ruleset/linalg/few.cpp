// Matrices of up to 4×4, whose inverses, determinants, solutions and products are written out: against differences, well and badly scaled, in every layout, bad
// input, and what is called and taken for them.
#include <array>
#include <cmath>
#include <limits>

#include "../../count_allocations.hpp"
#include "by_minors.hpp"
#include "lapack_calls.hpp"
#include "orders.hpp"

#if defined(HAVE_CBLAS)

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

template <std::size_t N>
using fixed_matrix = xt::xtensor_fixed<double, xt::xshape<N, N>>;
template <std::size_t N>
using fixed_vector = xt::xtensor_fixed<double, xt::xshape<N>>;

#define EVERYTHING \
    { \
        auto y = inv(A); \
        auto x = solve(A, b); \
        return weighed_active(y * y) + weighed_active(x * x) + std::get<1>(slogdet(A)) + det(A) * 0.1 + weighed_active(dot(A, A)) + \
               weighed_active(dot(b, A)) + weighed_active(dot(A, x)) + dot(b, b); \
    }
auto const everything = [](auto const& A, auto const& b) EVERYTHING;
auto const everything_declared = [](auto const& A, auto const& b) -> xg::real EVERYTHING;
#undef EVERYTHING
matrix inverse_by_minors(matrix const& a) {
    std::size_t const n = a.shape(0);
    double const d = by_minors(a);
    matrix y(a.shape());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            matrix m = a;
            for (std::size_t k = 0; k < n; ++k) m(k, i) = k == j;
            y(i, j) = by_minors(m) / d;
        }
    return y;
}
auto const everything_plain = [](matrix const& A, vector const& b) {
    std::size_t const n = b.size();
    double const d = by_minors(A);
    matrix const y = inverse_by_minors(A);
    vector x = xt::zeros<double>({n}), left = x, right = x;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) x(i) += y(i, j) * b(j), left(j) += b(i) * A(i, j);
    matrix square = xt::zeros<double>({n, n});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) {
            right(i) += A(i, k) * x(k);
            for (std::size_t j = 0; j < n; ++j) square(i, j) += A(i, k) * A(k, j);
        }
    return weighed(matrix(y * y)) + weighed(vector(x * x)) + std::log(std::abs(d)) + 0.1 * d + weighed(square) + weighed(left) + weighed(right) +
           xt::sum(b * b)();
};

}

BOOST_AUTO_TEST_CASE(of_every_size) {
    for (std::size_t n = 1; n <= 5; ++n) {
        BOOST_TEST_CONTEXT("n = " << n) {
            matrix const a = regular(n);
            vector const b = filled<vector>({n});
            agree(everything, everything_plain, a, b);
            // badly scaled, where cofactors are not taken
            matrix c = a;
            for (std::size_t i = 0; i < n; ++i) c(i, 0) *= n > 1 ? -3e-4 : 1.0;
            matrix const y = inverse_by_minors(c);
            auto const [abar, bbar] = xg::gradient([](auto const& A, auto const& x) { return weighed_active(solve(A, x)); }, c, b);
            matrix const ybar = std::get<0>(xg::gradient([](auto const& A) { return weighed_active(inv(A)); }, c)),
                         lbar = std::get<0>(xg::gradient([](auto const& A) { return std::get<1>(slogdet(A)); }, c));
            vector const ones = std::get<0>(xg::gradient([](auto const& x) { return weighed_active(x); }, b)), w = xg::dot(transpose_of(y), ones),
                         x = xg::dot(y, b);
            matrix const weights = std::get<0>(xg::gradient([](auto const& A) { return weighed_active(A); }, c)), t = transpose_of(y);
            BOOST_CHECK(xt::allclose(xg::inv(c), y, 1e-9));
            BOOST_CHECK(xt::allclose(xg::solve(c, b), x, 1e-9));
            BOOST_CHECK(xt::allclose(bbar, w, 1e-9));
            BOOST_CHECK(xt::allclose(abar, -xg::outer(w, x), 1e-9));
            BOOST_CHECK(xt::allclose(ybar, -product(t, product(weights, t)), 1e-9));
            BOOST_CHECK(xt::allclose(lbar, t, 1e-9));
        }
    }
    check_orders(everything, regular(3), filled<vector>({3}));
}
BOOST_AUTO_TEST_CASE(in_every_layout) {
    matrix const big = regular(9);
    vector const v = filled<vector>({8});
    agree([](auto const& A, auto const& b) {
              auto w = view(A, xt::range(8, 0, -2), xt::range(1, 9, 2));
              return everything(w, view(b, xt::range(0, 8, 2))) + everything(transpose(w), view(b, xt::range(3, xt::placeholders::_, -1))) + weighed_active(A);
          },
          [](matrix const& A, vector const& b) {
              matrix const w = xt::view(A, xt::range(8, 0, -2), xt::range(1, 9, 2)), t = xt::transpose(w);
              return everything_plain(w, vector(xt::view(b, xt::range(0, 8, 2)))) +
                     everything_plain(t, vector(xt::view(b, xt::range(3, xt::placeholders::_, -1)))) + weighed(A);
          }, big, v);
    matrix const a = regular(4);
    vector const b = filled<vector>({4});
    agree(everything, [](auto const& A, auto const& x) { return everything_plain(A, x); }, xt::xarray<double>(a), xt::xarray<double>(b));
    agree(everything, everything_plain, xt::xtensor<double, 2, xt::layout_type::column_major>(a), b);
    agree([](auto const& A, auto const& x) { return weighed_active(solve(A, x)) + det(A); },
          [](matrix const& A, vector const& x) { return weighed(xg::solve(A, x)) + by_minors(A); }, xt::xtensor<float, 2>(xt::cast<float>(regular(3))),
          xt::xtensor<float, 1>(xt::cast<float>(filled<vector>({3}))));
    // several right-hand sides, one of both a constant
    matrix const c = filled<matrix>({3, 2}), d = regular(3);
    agree(
        [&](auto const& A) {
            auto X = solve(A, c);
            return weighed_active(X * X) + weighed_active(A);
        },
        [&](matrix const& A) {
            matrix const X = xg::solve(A, c);
            return weighed(matrix(X * X)) + weighed(A);
        },
        d);
    agree(
        [&](auto const& B) {
            auto X = solve(d, B);
            return weighed_active(X * X) + weighed_active(B);
        },
        [&](matrix const& B) {
            matrix const X = xg::solve(d, B);
            return weighed(matrix(X * X)) + weighed(B);
        },
        c);
}
BOOST_AUTO_TEST_CASE(refusals) {
    double const none = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (std::size_t n = 1; n <= 4; ++n)
        for (double const bad : {none, inf, -inf}) {
            matrix a = regular(n);
            a(n - 1, 0) = bad;
            vector const b = filled<vector>({n});
            check_refusal<std::domain_error>([&] { xg::gradient([](auto const& A) { return det(A); }, a); }, {"det(A)", "NaN or infinity"});
            check_refusal<std::domain_error>([&] { xg::gradient([](auto const& A) { return std::get<1>(slogdet(A)); }, a); },
                                             {"slogdet(A)", "NaN or infinity"});
            check_refusal<std::domain_error>([&] { xg::gradient([](auto const& A) { return sum(inv(A)); }, a); }, {"inv(A)", "NaN or infinity"});
            check_refusal<std::domain_error>([&] { xg::gradient([](auto const& A, auto const& x) { return sum(solve(A, x)); }, a, b); },
                                             {"solve(A, b)", "NaN or infinity"});
        }
    // far from one, and no singular matrix
    for (double const scale : {1e-120, 1e120}) {
        matrix const a = scale * regular(3);
        BOOST_CHECK(xt::allclose(matrix(xg::inv(a) * scale), xg::inv(regular(3))));
        BOOST_CHECK(near(std::get<1>(xg::slogdet(a)), 3 * std::log(scale) + std::get<1>(xg::slogdet(regular(3))), 1e-12));
    }
    check_refusal<std::runtime_error>([] { (void)xg::inv(matrix(xt::zeros<double>({3, 3}))); }, {"inv(A)", "(3, 3)", "info = 1"});
    check_refusal<std::runtime_error>([] { (void)xg::slogdet(matrix{{1, 2}, {2, 4}}); }, {"slogdet(A)", "(2, 2)"});
}
BOOST_AUTO_TEST_CASE(no_calls_and_nothing_from_the_heap) {
    auto second_call = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        lapack_counts calls;
        auto const products = blas_calls_of([&] { calls = lapack_calls_of([&] { g(x...); }); });
        BOOST_CHECK_EQUAL(allocations - before, 0u);
        BOOST_CHECK((products == blas_counts{}));
        BOOST_CHECK_EQUAL(calls.factorisations() + calls.getrs + calls.getri + calls.trsm + calls.trsv, 0);
    };
    auto const all = [](auto const& A, auto const& b) {
        return sum(inv(A)) + sum(solve(A, b)) + std::get<1>(slogdet(A)) + det(A) + sum(dot(A, A)) + sum(dot(b, A)) + sum(dot(A, b)) + dot(b, b);
    };
    second_call(all, fixed_matrix<3>(regular(3)), fixed_vector<3>(filled<vector>({3})));
    second_call([&](auto const& A, auto const& b) -> xg::real { return all(A, b); }, fixed_matrix<4>(regular(4)), fixed_vector<4>(filled<vector>({4})));
    agree(everything, everything_plain, fixed_matrix<3>(regular(3)), fixed_vector<3>(filled<vector>({3})));
    agree(everything_declared, everything_plain, fixed_matrix<4>(regular(4)), fixed_vector<4>(filled<vector>({4})));
}

#else
BOOST_AUTO_TEST_CASE(no_library) { BOOST_CHECK(!xgrad::linalg::has_lapack); }
#endif

// Transposes and outer products of arrays of fixed shape, beside those of others.
BOOST_AUTO_TEST_CASE(transposes_and_outer_products_keep_their_shape) {
    auto f = [](auto const& a, auto const& u, auto const& v) { return sum(dot(transpose(a), outer(u, v)) * sin(transpose(outer(v, u + 0.1 * v)))); };
    auto declared = [=](auto const& a, auto const& u, auto const& v) -> xgrad::real { return f(a, u, v); };
    xt::xtensor_fixed<double, xt::xshape<3, 3>> const a{{0.1, 0.5, 0.2}, {0.3, -0.2, 0.1}, {0.0, 0.4, 0.6}};
    xt::xtensor_fixed<double, xt::xshape<3>> const u{0.3, 0.7, -0.2}, v{0.4, 0.1, 0.9};
    auto const expected = xgrad::value_and_gradient(f, xt::xtensor<double, 2>(a), xt::xtensor<double, 1>(u), xt::xtensor<double, 1>(v));
    auto check = [&](auto const& g) {
        auto const found = xgrad::value_and_gradient(g, a, u, v);
        BOOST_TEST(std::abs(found.value - expected.value) < 1e-14);
        BOOST_TEST(xt::amax(xt::abs(std::get<0>(found.gradient) - std::get<0>(expected.gradient)))() < 1e-14);
        BOOST_TEST(xt::amax(xt::abs(std::get<1>(found.gradient) - std::get<1>(expected.gradient)))() < 1e-14);
        BOOST_TEST(xt::amax(xt::abs(std::get<2>(found.gradient) - std::get<2>(expected.gradient)))() < 1e-14);
    };
    check(f);
    check(declared);
    auto of_one = [&](auto const& x) { return f(transpose(x) + x, u, v); };
    auto const h = xgrad::hvp(of_one, a, a);
    auto const e = xgrad::hvp(of_one, xt::xtensor<double, 2>(a), xt::xtensor<double, 2>(a));
    BOOST_TEST(xt::amax(xt::abs(std::get<0>(h.product) - std::get<0>(e.product)))() < 1e-14);
}
