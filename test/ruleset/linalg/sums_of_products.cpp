// trace, outer, inner, vdot, kron and norms: against loops and xtensor's own, second derivatives against differences, corners, and bad input.
#include <array>
#include <cmath>
#include <limits>

#include "orders.hpp"

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

double const inf = std::numeric_limits<double>::infinity();
double plain_norm(auto const& x, double p) {
    double s = 0, largest = 0, least = inf;
    for (double e : x) {
        s += p == 0 ? e != 0 : std::pow(std::abs(e), p);
        largest = std::max(largest, std::abs(e));
        least = std::min(least, std::abs(e));
    }
    return p == inf ? largest : p == -inf ? least : p == 0 ? s : std::pow(s, 1 / p);
}
matrix kronecker(matrix const& a, matrix const& b) {
    std::size_t const p = b.shape(0), q = b.shape(1);
    matrix k(std::array<std::size_t, 2>{a.shape(0) * p, a.shape(1) * q});
    for (std::size_t i = 0; i < k.shape(0); ++i)
        for (std::size_t j = 0; j < k.shape(1); ++j) k(i, j) = a(i / p, j / q) * b(i % p, j % q);
    return k;
}
vector norm_gradient(vector const& x, double p) {
    return std::get<0>(xg::gradient([p](auto const& y) { return norm(y, p); }, x));
}

}

BOOST_AUTO_TEST_CASE(traces) {
    matrix const a = filled<matrix>({3, 5});
    auto plain = [](matrix const& A, std::ptrdiff_t k) { return xt::sum(xt::diagonal(A, static_cast<int>(k)))(); };
    agree([](auto const& A) { return trace(A) * trace(A, 2) + trace(transpose(A), -1) + trace(A * A, -2) + trace(A, 7); },
          [&](matrix const& A) { return plain(A, 0) * plain(A, 2) + plain(A, 1) + plain(matrix(A * A), -2); }, a);
    agree([](auto const& A) { return xg::trace(A); }, [&](auto const& A) { return plain(A, 0); }, xt::xarray<double>(a));
    BOOST_CHECK_CLOSE(xg::trace(a, 1), plain(a, 1), 1e-12);
    check_refusal<std::invalid_argument>([] { xg::gradient([](auto const& A) { return trace(A); }, xt::xarray<double>{1.0, 2.0}); }, {"trace(A)", "(2,)"});
}
// Temporaries inside an elementwise formula, which use its cotangent's memory for theirs.
BOOST_AUTO_TEST_CASE(products_inside_a_formula) {
    matrix const a = filled<matrix>({3, 4}), b = filled<matrix>({4, 3}, 0.3), c = filled<matrix>({3, 3}, 0.7), d = filled<matrix>({20, 3}, 0.2);
    vector const u = filled<vector>({3}, 0.4);
    auto times = [](matrix const& A, matrix const& B) {
        matrix y = xt::zeros<double>({A.shape(0), B.shape(1)});
        for (std::size_t i = 0; i < A.shape(0); ++i)
            for (std::size_t j = 0; j < B.shape(1); ++j)
                for (std::size_t k = 0; k < B.shape(0); ++k) y(i, j) += A(i, k) * B(k, j);
        return y;
    };
    // one temporary beside a row, two of them, one in a smaller shape, one that is a name, and one of a name
    agree([](auto const& A, auto const& B, auto const& v) { auto y = tanh(dot(A, B) + v); return weighed_active(y * y); },
          [&](matrix const& A, matrix const& B, vector const& v) { matrix const y = xt::tanh(times(A, B) + v); return weighed(matrix(y * y)); }, a, b, u);
    agree(
        [](auto const& A, auto const& B, auto const& C) {
            auto y = exp(dot(A, B) * dot(C, C)) - C / (dot(C, C) + 3.0);
            auto z = y * y;
            return weighed_active(z + y);
        },
        [&](matrix const& A, matrix const& B, matrix const& C) {
            matrix const p = times(A, B), q = times(C, C), y = xt::exp(p * q) - C / (q + 3.0);
            return weighed(matrix(y * y + y));
        },
        a, b, c);
    agree(
        [](auto const& D, auto const& C, auto const& v) {
            auto y = sin(dot(C, v)) * dot(D, C) * D;
            return weighed_active(y);
        },
        [&](matrix const& D, matrix const& C, vector const& v) {
            vector p = xt::zeros<double>({3});
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t k = 0; k < 3; ++k) p(i) += C(i, k) * v(k);
            matrix const y = xt::sin(p) * times(D, C) * D;
            return weighed(y);
        },
        d, c, u);
    agree(
        [](auto const& C) {
            auto p = dot(C, C);
            auto q = p * 2.0;
            auto y = tanh(std::move(p)) + q * q;
            auto z = square(std::move(y)) + cos(dot(C, C) - q);
            return weighed_active(z);
        },
        [&](matrix const& C) {
            matrix const p = times(C, C), y = xt::tanh(p) + 4.0 * p * p;
            return weighed(matrix(y * y + xt::cos(p - 2.0 * p)));
        },
        c);
    auto [y, back] = xg::vjp([](auto const& C, auto const& v) { auto h = tanh(dot(C, C) + v); return tanh(dot(h, C) * h); }, c, u);
    matrix const ybar = filled<matrix>({3, 3}, 0.9);
    auto const first = back(ybar);
    auto const second = back(ybar);
    BOOST_CHECK(std::get<0>(first) == std::get<0>(second) && std::get<1>(first) == std::get<1>(second));
    auto const same = xg::gradient(
        [&](auto const& C, auto const& v) {
            auto p = dot(C, C);
            auto h = tanh(p + v);
            auto q = dot(h, C);
            auto r = tanh(q * h);
            return sum(r * ybar);
        },
        c, u);
    BOOST_CHECK(xt::allclose(std::get<0>(first), std::get<0>(same)) && xt::allclose(std::get<1>(first), std::get<1>(same)));
}
BOOST_AUTO_TEST_CASE(products_of_vectors_and_matrices) {
    vector const u = filled<vector>({3}), v = filled<vector>({4}, 0.5), w = filled<vector>({3}, 0.9);
    matrix const a = filled<matrix>({2, 3}), b = filled<matrix>({3, 2}, 0.4), c = filled<matrix>({2, 3}, 0.6);
    agree([](auto const& x, auto const& y) { return weighed_active(outer(x, y)) + weighed_active(outer(y * y, view(x, xt::range(2, 0, -1)))); },
          [](vector const& x, vector const& y) {
              matrix p(std::array<std::size_t, 2>{x.size(), y.size()}), q(std::array<std::size_t, 2>{y.size(), 2});
              for (std::size_t i = 0; i < x.size(); ++i)
                  for (std::size_t j = 0; j < y.size(); ++j) p(i, j) = x(i) * y(j);
              for (std::size_t i = 0; i < y.size(); ++i)
                  for (std::size_t j = 0; j < 2; ++j) q(i, j) = y(i) * y(i) * x(2 - j);
              return weighed(p) + weighed(q);
          }, u, v);
    agree([&](auto const& x) { return weighed_active(outer(x, u)) + weighed_active(xg::outer(u, x)); },
          [&](auto const& x) { return weighed(matrix(xg::outer(vector(x), u))) + weighed(matrix(xg::outer(u, vector(x)))); }, xt::xarray<double>(v));
    agree([](auto const& A, auto const& B) { return weighed_active(kron(A, B)) + weighed_active(kron(transpose(B), A * A)); },
          [](matrix const& A, matrix const& B) { return weighed(kronecker(A, B)) + weighed(kronecker(transpose_of(B), matrix(A * A))); }, a, b);
    agree([&](auto const& A) { return weighed_active(kron(A, b)) + weighed_active(kron(b, A)); },
          [&](matrix const& A) { return weighed(kronecker(A, b)) + weighed(kronecker(b, A)); }, a);
    agree([](auto const& A, auto const& C, auto const& x, auto const& y) { return vdot(A, C) + vdot(x, y * y) + weighed_active(inner(A, C)) + inner(x, y); },
          [](matrix const& A, matrix const& C, vector const& x, vector const& y) {
              return xt::sum(A * C)() + xt::sum(x * y * y)() + weighed(product(A, transpose_of(C))) + xt::sum(x * y)();
          },
          a, c, u, w);
    agree([&](auto const& A) { return vdot(A, c) + weighed_active(inner(A, c)); },
          [&](matrix const& A) { return xt::sum(A * c)() + weighed(product(A, transpose_of(c))); }, a);
    BOOST_CHECK(xt::allclose(xg::kron(a, b), kronecker(a, b)));
    BOOST_CHECK_CLOSE(xg::vdot(a, c), xt::sum(a * c)(), 1e-12);
    BOOST_CHECK_CLOSE(xg::inner(u, w), xt::sum(u * w)(), 1e-12);
    check_orders([](auto const& A, auto const& B) { return weighed_active(kron(A, B) * kron(A, B)) + trace(dot(A, B)); }, a, b);
    check_orders([](auto const& x, auto const& y) { auto o = outer(x, y); return weighed_active(o * o) + vdot(x, x); }, u, v);
    check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& x, auto const& y) { return vdot(x, y); }, u, v); }, {"vdot(a, b)", "(3,)", "(4,)"});
    check_refusal<std::invalid_argument>(
        [&] { xg::gradient([](auto const& x, auto const& y) { return sum(kron(x, y)); }, xt::xarray<double>(u), xt::xarray<double>(a)); },
        {"kron(a, b)", "(3,)"});
    check_refusal<std::invalid_argument>(
        [&] { xg::gradient([](auto const& x, auto const& y) { return sum(outer(x, y)); }, xt::xarray<double>(u), xt::xarray<double>(a)); },
        {"outer(a, b)", "(2, 3)"});
}
BOOST_AUTO_TEST_CASE(norms) {
    vector const v = filled<vector>({7});
    matrix const a = filled<matrix>({3, 5});
    for (double const p : {0.0, 1.0, 2.0, 3.0, 2.5, 0.5, -1.0, -2.0, inf, -inf}) {
        BOOST_TEST_CONTEXT("p = " << p) {
            agree([p](auto const& x) { return norm(x, p); }, [p](vector const& x) { return plain_norm(x, p); }, v);
            BOOST_CHECK_CLOSE(xg::norm(v, p), plain_norm(v, p), 1e-10);
        }
    }
    agree([](auto const& A) { return norm(A) * norm(view(A, xt::all(), xt::range(4, 0, -2)), 3.0) + norm(A * A, 1.0); },
          [](matrix const& A) {
              matrix const w = xt::view(A, xt::all(), xt::range(4, 0, -2));
              return std::sqrt(xt::sum(A * A)()) * plain_norm(w, 3) + xt::sum(A * A)();
          },
          a);
    agree([](auto const& x) { return norm(x, 2.5); }, [](vector const& x) { return plain_norm(x, 2.5); }, xt::xtensor<float, 1>(xt::cast<float>(v)));
    agree([](auto const& x) { return norm(x, 2.0) + norm(x, inf) + norm(x); }, [](auto const&) { return 0.0; }, vector(xt::zeros<double>({0})));
    check_orders([](auto const& x) { return norm(x, 3.0) + norm(x, 2.0) * norm(x, 1.5); }, v);
    // corners
    BOOST_CHECK(norm_gradient({0.0, 0.0}, 2) == (vector{0.0, 0.0}));
    BOOST_CHECK(norm_gradient({0.0, 3.0}, 2.5) == (vector{0.0, 1.0}));
    BOOST_CHECK(norm_gradient({-2.0, 2.0, 1.0}, inf) == (vector{-0.5, 0.5, 0.0}));
    BOOST_CHECK(norm_gradient({0.0, -3.0}, 1) == (vector{0.0, -1.0}));
    // no overflow on the way
    BOOST_CHECK_CLOSE(xg::norm(vector{3e300, 4e300}, 2.0), 5e300, 1e-10);
    BOOST_CHECK_CLOSE(norm_gradient({3e300, 4e300}, 2)(0), 0.6, 1e-10);
    BOOST_CHECK_EQUAL(xg::norm(vector{1.0, inf}, 2.0), inf);
    BOOST_CHECK(std::isnan(xg::norm(vector{1.0, std::nan("")}, 2.0)));
}
