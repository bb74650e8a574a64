// matmul, tensordot, einsum and matrix_power: against loops over every index, second derivatives against differences, layouts, bad input, and what is called.
#include <array>
#include <cmath>

#include "../../count_allocations.hpp"
#include "blas_calls.hpp"
#include "orders.hpp"

using namespace xgrad::test;
using programs::agree;
namespace xg = xgrad;

namespace {

using cube = xt::xtensor<double, 3>;
using block4 = xt::xtensor<double, 4>;

cube batched(cube const& a, cube const& b) {
    std::size_t const n = std::max(a.shape(0), b.shape(0));
    cube y = xt::zeros<double>({n, a.shape(1), b.shape(2)});
    for (std::size_t l = 0; l < n; ++l)
        for (std::size_t i = 0; i < a.shape(1); ++i)
            for (std::size_t j = 0; j < b.shape(2); ++j)
                for (std::size_t k = 0; k < a.shape(2); ++k) y(l, i, j) += a(a.shape(0) == 1 ? 0 : l, i, k) * b(b.shape(0) == 1 ? 0 : l, k, j);
    return y;
}
cube single(matrix const& a) { return cube(xt::view(a, xt::newaxis(), xt::all(), xt::all())); }
matrix column(vector const& v) { return matrix(xt::view(v, xt::all(), xt::newaxis())); }
matrix row(vector const& v) { return matrix(xt::view(v, xt::newaxis(), xt::all())); }

}

BOOST_AUTO_TEST_CASE(batches_of_products) {
    cube const a = filled<cube>({4, 2, 3}), b = filled<cube>({4, 3, 5}, 0.4), one = filled<cube>({1, 3, 5}, 0.7);
    matrix const m = filled<matrix>({3, 5}, 0.6), l = filled<matrix>({5, 2}, 0.8);
    vector const v = filled<vector>({3}), w = filled<vector>({2}, 0.1);
    agree(
        [](auto const& x, auto const& y) {
            auto p = matmul(x, y);
            return weighed_active(p * p) + weighed_active(x);
        },
        [](cube const& x, cube const& y) {
            cube const p = batched(x, y);
            return weighed(cube(p * p)) + weighed(x);
        },
        a, b);
    agree([](auto const& x, auto const& y) { return weighed_active(matmul(x, y)); }, [](cube const& x, cube const& y) { return weighed(batched(x, y)); }, a,
          one);
    agree([](auto const& x, auto const& y, auto const& z) { return weighed_active(matmul(x, y)) + weighed_active(matmul(z, x)); },
          [](cube const& x, matrix const& y, matrix const& z) { return weighed(batched(x, single(y))) + weighed(batched(single(z), x)); }, a, m, l);
    agree([](auto const& x, auto const& p, auto const& q) { return weighed_active(matmul(x, p)) + weighed_active(matmul(q, x)) + matmul(p, p); },
          [](cube const& x, vector const& p, vector const& q) {
              return weighed(batched(x, single(column(p)))) + weighed(batched(single(row(q)), x)) + xt::sum(p * p)();
          },
          a, v, w);
    agree([&](auto const& x) { return weighed_active(xg::matmul(x, b)) + weighed_active(xg::matmul(l, x)); },
          [&](auto const& x) { return weighed(batched(x, b)) + weighed(batched(single(l), x)); }, xt::xarray<double>(a));
    // permuted, with steps, backwards
    agree(
        [](auto const& x, auto const& y) {
            return weighed_active(matmul(transpose(y, {0, 2, 1}), transpose(x, {0, 2, 1}))) +
                   weighed_active(matmul(view(x, xt::range(3, 0, -2), xt::all(), xt::range(0, 3, 2)), view(y, xt::range(0, 2), xt::range(1, 3))));
        },
        [](cube const& x, cube const& y) {
            cube const p = xt::transpose(y, {0, 2, 1}), q = xt::transpose(x, {0, 2, 1}), u = xt::view(x, xt::range(3, 0, -2), xt::all(), xt::range(0, 3, 2)),
                       t = xt::view(y, xt::range(0, 2), xt::range(1, 3));
            return weighed(batched(p, q)) + weighed(batched(u, t));
        },
        a, b);
    agree([](auto const& x, auto const& y) { return sum(matmul(x, y)) + sum(x); }, [](auto const&, auto const& y) { return 0.0 * xt::sum(y)(); },
          cube(xt::zeros<double>({2, 3, 0})), cube(xt::zeros<double>({2, 0, 2})));
    agree([](auto const& x, auto const& y) { return sum(matmul(x, y)) + sum(y); }, [](auto const&, auto const& y) { return xt::sum(y)(); },
          cube(xt::zeros<double>({0, 3, 3})), m);
    BOOST_CHECK(xt::allclose(xg::matmul(a, b), batched(a, b)));
    check_orders([](auto const& x, auto const& y) { auto p = matmul(x, y); return weighed_active(p * p); }, a, m);
    check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& x, auto const& y) { return sum(matmul(x, y)); }, a, l); },
                                         {"matmul(a, b)", "(4, 2, 3)", "(5, 2)"});
    check_refusal<std::invalid_argument>(
        [&] { xg::gradient([](auto const& x, auto const& y) { return sum(matmul(x, y)); }, a, cube(filled<cube>({3, 3, 2}))); }, {"matmul(a, b)", "(3, 3, 2)"});
}
BOOST_AUTO_TEST_CASE(sums_over_axes) {
    cube const a = filled<cube>({2, 3, 4}), c = filled<cube>({4, 3, 2}, 0.4);
    block4 const b = filled<block4>({3, 4, 2, 2}, 0.7);
    matrix const m = filled<matrix>({4, 3}, 0.6);
    auto by_two = [](cube const& x, block4 const& y) {
        cube r = xt::zeros<double>({2, 2, 2});
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t k = 0; k < 4; ++k)
                    for (std::size_t p = 0; p < 2; ++p)
                        for (std::size_t q = 0; q < 2; ++q) r(i, p, q) += x(i, j, k) * y(j, k, p, q);
        return r;
    };
    auto by_outer = [](cube const& x, cube const& y) {  // axes 2, 0 of x with 0, 2 of y
        matrix r = xt::zeros<double>({3, 3});
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t k = 0; k < 4; ++k)
                    for (std::size_t q = 0; q < 3; ++q) r(j, q) += x(i, j, k) * y(k, q, i);
        return r;
    };
    agree(
        [](auto const& x, auto const& y) {
            auto t = tensordot(x, y);
            return weighed_active(t * t);
        },
        [&](cube const& x, block4 const& y) {
            cube const t = by_two(x, y);
            return weighed(cube(t * t));
        },
        a, b);
    std::array<std::ptrdiff_t, 2> const of_a{2, 0}, of_c{0, -1};
    agree(
        [&](auto const& x, auto const& y) {
            return weighed_active(tensordot(x, y, of_a, of_c)) + weighed_active(einsum<"ijk,kli->jl">(x, y)) + weighed_active(einsum("ijk,kli", x, y));
        },
        [&](cube const& x, cube const& y) { return 3 * weighed(by_outer(x, y)); }, a, c);
    agree(
        [](auto const& x, auto const& y) {
            return tensordot<3>(x, transpose(y)) + einsum<"ijk,kji->">(x, y) + weighed_active(einsum<"ijk,kj->ikj">(x, view(y, xt::all(), xt::all(), 1)));
        },
        [](cube const& x, cube const& y) {
            double s = 0;
            cube r = xt::zeros<double>({2, 4, 3});
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    for (std::size_t k = 0; k < 4; ++k) {
                        s += 2 * x(i, j, k) * y(k, j, i);
                        r(i, k, j) = x(i, j, k) * y(k, j, 1);
                    }
            return s + weighed(r);
        },
        a, c);
    // a diagonal, a sum over one operand alone, an outer product
    agree(
        [](auto const& x, auto const& y) {
            return weighed_active(einsum<"ii,jk->ik">(view(x, xt::range(0, 3)), y)) + weighed_active(einsum<"ij,kl->ijkl">(x, y)) + weighed_active(x);
        },
        [](matrix const& x, matrix const& y) {
            matrix r = xt::zeros<double>({std::size_t{3}, y.shape(1)});
            block4 o(std::array<std::size_t, 4>{4, 3, y.shape(0), y.shape(1)});
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < y.shape(0); ++j)
                    for (std::size_t k = 0; k < y.shape(1); ++k) r(i, k) += x(i, i) * y(j, k);
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    for (std::size_t k = 0; k < y.shape(0); ++k)
                        for (std::size_t q = 0; q < y.shape(1); ++q) o(i, j, k, q) = x(i, j) * y(k, q);
            return weighed(r) + weighed(o) + weighed(x);
        },
        m, filled<matrix>({2, 5}));
    BOOST_CHECK(xt::allclose(xg::tensordot(a, b), by_two(a, b)));
    BOOST_CHECK(xt::allclose(xg::einsum("ijk,kli->jl", a, c), by_outer(a, c)));
    check_orders([&](auto const& x, auto const& y) { auto t = tensordot(x, y, of_a, of_c); return weighed_active(t * t); }, a, c);
    for (char const* bad : {"ij", "ij,jk->il", "ij,jk->ii", "i1,jk->i"})
        check_refusal<std::invalid_argument>([&] { (void)xg::einsum(bad, m, m); }, {"einsum(labels, a, b)", bad});
    check_refusal<std::invalid_argument>([&] { (void)xg::einsum("ij,jk->ik", m, m); }, {"einsum(labels, a, b)", "(4, 3) and (4, 3)"});
    check_refusal<std::invalid_argument>([&] { (void)xg::tensordot(a, c, std::array<std::ptrdiff_t, 2>{0, 0}, of_c); },
                                         {"tensordot(a, b, axes)", "different axes"});
    check_refusal<std::invalid_argument>([&] { (void)xg::tensordot(a, b, of_a, of_c); }, {"tensordot(a, b, axes)", "(2, 3, 4)", "(3, 4, 2, 2)"});
}
BOOST_AUTO_TEST_CASE(powers) {
    auto power = [](matrix const& a, int n) { matrix r = xt::eye(a.shape(0)); for (int i = 0; i < n; ++i) r = product(r, a); return r; };
    matrix const a = regular(3);
    agree(
        [](auto const& A) {
            return weighed_active(matrix_power(A, 5)) + weighed_active(matrix_power(A, 1)) + weighed_active(matrix_power(A, 0)) +
                   weighed_active(matrix_power(A * A, 2));
        },
        [&](matrix const& A) { return weighed(power(A, 5)) + weighed(A) + weighed(power(A, 0)) + weighed(power(matrix(A * A), 2)); }, a);
    BOOST_CHECK(xt::allclose(xg::matrix_power(a, 6), power(a, 6)));
#if defined(HAVE_CBLAS)
    agree([](auto const& A) { return weighed_active(dot(matrix_power(A, -3), A)); },
          [&](matrix const& A) {
              matrix const i = xg::inv(A);
              return weighed(product(i, i));
          },
          a);
#endif
    check_orders([](auto const& A) { return weighed_active(matrix_power(A, 3)); }, a);
    check_refusal<std::invalid_argument>([&] { xg::gradient([](auto const& A) { return sum(matrix_power(A, 2)); }, filled<matrix>({2, 3})); },
                                         {"matrix_power(A, n)", "(2, 3)"});
}
// Small ones go without a library: by blocks of those that are multiplied from the right.
BOOST_AUTO_TEST_CASE(small_matrices_of_every_shape) {
    for (std::size_t m : {1u, 3u, 6u})
        for (std::size_t k : {0u, 1u, 2u, 3u, 4u, 5u, 9u})
            for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 8u}) {
                cube const a = filled<cube>({3, m, k}), b = filled<cube>({3, k, n}, 0.4), w = filled<cube>({3, m, n}, 0.9), y = batched(a, b);
                auto const [value, gradient] = xg::value_and_gradient([&](auto const& p, auto const& q) { return sum(matmul(p, q) * w); }, a, b);
                BOOST_CHECK_SMALL(value - xt::sum(y * w)(), 1e-12);
                if (k == 0) continue;
                cube const at = xt::transpose(a, {0, 2, 1}), bt = xt::transpose(b, {0, 2, 1});
                BOOST_TEST(xt::allclose(std::get<0>(gradient), batched(w, bt), 1e-12, 1e-12), m << " x " << k << " x " << n);
                BOOST_TEST(xt::allclose(std::get<1>(gradient), batched(at, w), 1e-12, 1e-12), m << " x " << k << " x " << n);
            }
}
BOOST_AUTO_TEST_CASE(few_calls_and_nothing_from_the_heap) {
    cube const a = filled<cube>({8, 20, 30}), b = filled<cube>({8, 30, 10});
    matrix const m = filled<matrix>({30, 10});
    block4 const c = filled<block4>({20, 30, 5, 4});
    auto second_call = [](auto f, auto const&... x) {
        auto g = xg::prepare_gradient(f, x...);
        g(x...);
        std::size_t const before = allocations;
        auto const products = blas_calls_of([&] { g(x...); });
        BOOST_CHECK_EQUAL(allocations - before, 0u);
        return products;
    };
    auto const each = second_call([](auto const& x, auto const& y) { return sum(matmul(x, y)); }, a, b);
    auto const all_at_once = second_call([](auto const& x, auto const& y) { return sum(matmul(x, y)); }, a, m);
    auto const summed = second_call([](auto const& x, auto const& y) { return sum(tensordot(x, y)); }, a, c);
    // a layer: one product and one pass forward, two products and one pass backward
    auto const layer = second_call(
        [](auto const& x, auto const& W, auto const& bias) {
            auto h = tanh(dot(x, W) + bias);
            return sum(h * h);
        },
        filled<matrix>({16, 30}), m, filled<vector>({10}));
    if constexpr (counts_blas_calls) {
        BOOST_CHECK_EQUAL(each.gemm, 24);
        BOOST_CHECK_EQUAL(all_at_once.gemm, 3);
        BOOST_CHECK_EQUAL(summed.gemm, 3);
        BOOST_CHECK_EQUAL(layer.gemm, 3);
        BOOST_CHECK_EQUAL(layer.gemv + layer.ger + layer.dot + layer.axpy, 0);
    }
}
