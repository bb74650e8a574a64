// Products of matrices and vectors inside programs: values that are not elementwise, with slots and cotangents of their own.
#include <cmath>

#include "against_differences.hpp"

#include <xgrad/assign.hpp>
#include <xgrad/linalg.hpp>

using programs::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
matrix const A = {{0.1, 0.2, 0.3}, {0.4, -0.5, 0.6}}, B = {{0.5, 0.3}, {-0.2, 0.7}, {0.9, 0.1}}, C = {{1.0, 0.4}, {-0.3, 0.8}};
vector const v{0.7, 0.2, -0.4}, w{0.3, 1.1};

matrix product(matrix const& a, matrix const& b) {
    matrix c = xt::zeros<double>({a.shape(0), b.shape(1)});
    for (std::size_t i = 0; i < a.shape(0); ++i)
        for (std::size_t j = 0; j < b.shape(1); ++j)
            for (std::size_t k = 0; k < a.shape(1); ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
vector product(matrix const& a, vector const& b) {
    vector c = xt::zeros<double>({a.shape(0)});
    for (std::size_t i = 0; i < a.shape(0); ++i)
        for (std::size_t k = 0; k < a.shape(1); ++k) c(i) += a(i, k) * b(k);
    return c;
}

}

BOOST_AUTO_TEST_CASE(a_layer) {
    agree(XGRAD_BOTH_MODES((auto const& W, auto const& b, auto const& x), auto h = xt::tanh(dot(W, x) + b); auto r = h - 0.5; return sum(r * r);),
          [](matrix const& W, vector const& b, vector const& x) { vector h = xt::tanh(product(W, x) + b); return xt::sum(xt::square(h - 0.5))(); }, A, w, v);
}
BOOST_AUTO_TEST_CASE(products_inside_one_expression) {
    agree([](auto const& a, auto const& x, auto const& y) { return sum(sin(y + dot(a, x) * 2.0) / (1.0 + dot(a * a, x * x))) + dot(x, x) * sum(y); },
          [](matrix const& a, vector const& x, vector const& y) {
              vector p = product(a, x), q = product(matrix(a * a), vector(x * x));
              return xt::sum(xt::sin(y + p * 2.0) / (1.0 + q))() + xt::sum(x * x)() * xt::sum(y)();
          }, A, v, w);
}
BOOST_AUTO_TEST_CASE(one_matrix_many_times) {
    // assigned by the first gemm, added to by the next, and by kernels between
    agree([](auto const& a, auto const& b) { auto p = dot(a, b); auto q = dot(p, p); auto r = dot(transpose(p), q) + p; return sum(r * q) + sum(a * a); },
          [](matrix const& a, matrix const& b) {
              matrix p = product(a, b), q = product(p, p), r = product(matrix(xt::transpose(p)), q) + p;
              return xt::sum(r * q)() + xt::sum(a * a)();
          }, A, B);
    agree([](auto const& c) { auto h = sin(c); auto p = dot(h, h); auto k = h * p; return sum(dot(k, transpose(h))); },
          [](matrix const& c) { matrix h = xt::sin(c), p = product(h, h), k = h * p; return xt::sum(product(k, matrix(xt::transpose(h))))(); }, C);
}
BOOST_AUTO_TEST_CASE(helpers_loops_and_constants) {
    agree(
        [](auto const& c, auto const& x) {
            auto step = [](auto const& m, auto const& s) {
                auto z = dot(m, s);
                auto t = xt::tanh(z);
                return t * s + z;
            };
            variable<vector> s = x;
            for (int i = 0; i < 4; ++i) s = step(c, s);
            return sum(s * s);
        },
        [](matrix const& c, vector const& x) {
            vector s = x;
            for (int i = 0; i < 4; ++i) {
                vector z = product(c, s);
                s = vector(xt::tanh(z) * s + z);
            }
            return xt::sum(s * s)();
        },
        C, w);
    agree(
        [](auto const& x, auto const& k) {
            matrix m = A;
            auto p = dot(m, x);
            m.fill(0);
            auto q = dot(x, B);
            return sum(p * q) + dot(k, x);
        },
        [](vector const& x, vector const& k) { return xt::sum(product(A, x) * product(matrix(xt::transpose(B)), x))() + xt::sum(k * x)(); }, v,
        xgrad::constant(v));
}
BOOST_AUTO_TEST_CASE(views_and_other_layouts) {
    using column_major = xt::xtensor<double, 2, xt::layout_type::column_major>;
    agree(
        [](auto const& a, auto const& b) {
            auto p = dot(view(a, xt::all(), xt::range(0, 3, 2)), view(b, xt::range(1, 3)));
            return sum(p * p) + sum(dot(transpose(a), a));
        },
        [](matrix const& a, matrix const& b) {
            matrix p = product(matrix(xt::view(a, xt::all(), xt::range(0, 3, 2))), matrix(xt::view(b, xt::range(1, 3))));
            return xt::sum(p * p)() + xt::sum(product(matrix(xt::transpose(a)), a))();
        },
        A, column_major(B));
}
BOOST_AUTO_TEST_CASE(a_factor_is_assigned_to) {
    agree(XGRAD_BOTH_MODES((auto const& x, auto const& W), auto old = dot(x, W); auto g = assign(W, W * 2.0); return sum(dot(x, W) * old);),
          [](matrix const& x, matrix const& W) { matrix p = product(x, W); return 2 * xt::sum(p * p)(); }, A, B);
    agree([](auto const& c, auto const& x) { auto g = assign(c, dot(c, c)); auto h = assign(x, dot(c, x)); return sum(x * x); },
          [](matrix const& c, vector const& x) { vector y = product(product(c, c), x); return xt::sum(y * y)(); }, C, w);
}
BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit) {
    for (int i = 0; i < 2; ++i) {
        try {
            xgrad::gradient([](auto const& a, auto const& b) { auto p = dot(a, b); return sum(p * p); }, A, C);
            BOOST_ERROR("nothing was thrown");
        } catch (std::invalid_argument const& e) {
            std::string const message = e.what();
            BOOST_CHECK_MESSAGE(
                message.find("(2, 3)") != std::string::npos && message.find("(2, 2)") != std::string::npos && message.find("dot") != std::string::npos,
                message);
        }
        agree([](auto const& a, auto const& b) { return sum(dot(a, b)); }, [](matrix const& a, vector const& b) { return xt::sum(product(a, b))(); }, A, v);
    }
    agree([](auto const& a, auto const& b) { return sum(dot(a, b) + 1.0) + sum(a); }, [](auto const&, auto const&) { return 6.0; },
          matrix(xt::zeros<double>({2, 0})), matrix(xt::zeros<double>({0, 3})));
}
