// Who owns a gradient's memory: the call, a prepared gradient, or the caller, who adds to it.
#include <stdexcept>
#include <vector>

#include "against_differences.hpp"

using xgrad::variable;

namespace {
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
vector const v{1, 2, 3, 4, 5};
matrix const m = {{1, 2, 3}, {4, 5, 6}};

struct layer {
    matrix W;
    vector b;
    int n = 1;
};
XGRAD_REFLECT(layer, W, b, n)

}

BOOST_AUTO_TEST_CASE(add_gradient_adds_in_place) {
    auto f = [](auto const& x, auto const& y, auto const&) { auto h = x * y; return sum(h * x); };
    auto g = std::make_tuple(vector(xt::ones<double>({5})), 1.0, xgrad::no_tangent{});
    double const* const where = std::get<0>(g).data();
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f, v, 3.0, xgrad::constant(7)), 165.0);
    BOOST_CHECK(std::get<0>(g) == 6 * v + 1);
    BOOST_CHECK_EQUAL(std::get<1>(g), 56.0);
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, f, v, 3.0, xgrad::constant(7)), 165.0);
    BOOST_CHECK(std::get<0>(g) == 12 * v + 1);
    BOOST_CHECK_EQUAL(std::get<1>(g), 111.0);
    BOOST_CHECK_EQUAL(std::get<0>(g).data(), where);
    // an argument that is not used is left alone
    xgrad::add_gradient(g, [](auto const&, auto const& y, auto const&) { return y * y; }, v, 3.0, xgrad::constant(7));
    BOOST_CHECK(std::get<0>(g) == 12 * v + 1);
    BOOST_CHECK_EQUAL(std::get<1>(g), 117.0);
}

BOOST_AUTO_TEST_CASE(add_gradient_from_zero_tangents_of_structs) {
    std::vector<layer> const net{{m, vector{1, 2}, 3}, {2 * m, vector{3, 4}, 4}};
    auto f = [](auto const& layers) { variable s = 0.0; for (auto const& l : layers) { auto t = sum(l.W * l.W) + sum(l.b); s = s + t * l.n; } return s; };
    auto g = std::make_tuple(xgrad::zero_tangent(net));
    xgrad::add_gradient(g, f, net);
    xgrad::add_gradient(g, f, net);
    BOOST_CHECK(std::get<0>(g)[1].W == 2 * 2 * 4 * (2 * m));
    BOOST_CHECK(std::get<0>(g)[0].b == (vector{6, 6}));
    auto [once] = xgrad::gradient(f, net);
    auto sum = xgrad::zero_tangent(net);
    xgrad::accumulate(sum, once);
    xgrad::accumulate(sum, once);
    BOOST_CHECK(std::get<0>(g)[1].W == sum[1].W);
}

BOOST_AUTO_TEST_CASE(gradients_of_batches_add_up) {
    auto loss = [](auto const& w, auto const& x, auto const& y) { auto r = w * x - y; return sum(r * r); };
    auto g = std::make_tuple(vector(xt::zeros<double>({3})), xgrad::no_tangent{}, xgrad::no_tangent{});
    vector const w{1, -1, 2};
    double total = 0;
    for (int i = 0; i < 10; ++i)
        total += xgrad::add_gradient(g, loss, w, xgrad::constant(vector(double(i) + vector{0, 1, 2})), xgrad::constant(vector{1, 1, 1}));
    vector expected = xt::zeros<double>({3});
    double t = 0;
    for (int i = 0; i < 10; ++i) {
        vector const x = double(i) + vector{0, 1, 2}, r = w * x - 1.0;
        expected += 2 * r * x;
        t += xt::sum(r * r)();
    }
    BOOST_CHECK(std::get<0>(g) == expected);
    BOOST_CHECK_EQUAL(total, t);
}

BOOST_AUTO_TEST_CASE(a_prepared_gradient_owns_its_result) {
    auto g = xgrad::prepare_gradient([](auto const& x, auto const& y) { return sum(x * x) * y; }, v, 1.0);
    auto& first = g(v, 1.0);
    double const* const where = std::get<0>(first.gradient).data();
    auto& second = g(2 * v, 2.0);
    BOOST_CHECK_EQUAL(&first, &second);
    BOOST_CHECK_EQUAL(std::get<0>(second.gradient).data(), where);
    BOOST_CHECK(std::get<0>(second.gradient) == 8 * v);
    auto& [value, gradient] = g(vector{1, 1}, 1.0);
    BOOST_CHECK_EQUAL(value, 2.0);
    BOOST_CHECK(std::get<0>(gradient) == (vector{2, 2}));
}

BOOST_AUTO_TEST_CASE(a_workspace_grows_once) {
    auto f = [](auto const& x) { auto h = sin(x); auto k = h * x; auto l = exp(k) * h; return sum(l * k); };
    auto g = xgrad::prepare_gradient(f, v);
    vector const big = xt::ones<double>({1000});
    g(big);
    auto const bytes = g.workspace_bytes();
    for (int i = 0; i < 20; ++i) {
        g(big);
        g(v);
    }
    BOOST_CHECK_EQUAL(g.workspace_bytes(), bytes);
    BOOST_CHECK_LT(bytes, 20 * 1000 * sizeof(double));
}

BOOST_AUTO_TEST_CASE(the_arguments_are_not_touched) {
    vector x = v;
    double const* const where = x.data();
    auto g = xgrad::gradient([&](auto const& a) { auto h = a * a; BOOST_CHECK_EQUAL(x.data(), where); return sum(h); }, x);
    BOOST_CHECK(x == v);
    BOOST_CHECK_EQUAL(x.data(), where);
}

// A number that a loop assigns to keeps its operands, its value and its cotangent, whether the result is declared or not.
BOOST_AUTO_TEST_CASE(a_recurrence_is_lean) {
    auto const automatic = [](auto const& x0, auto const& r, auto n) {
        xgrad::variable x = x0;
        for (int i = 0; i < n; ++i) x = r * x * (1.0 - x);
        return x;
    };
    auto const declared = [](auto const& x0, auto const& r, auto n) -> xgrad::real {
        xgrad::variable x = x0;
        for (int i = 0; i < n; ++i) x = r * x * (1.0 - x);
        return x;
    };
    double x = 0.3, slope = 1.0;
    for (int i = 0; i < 50; ++i) {
        slope *= 3.5 * (1.0 - 2.0 * x);
        x = 3.5 * x * (1.0 - x);
    }
    auto g = xgrad::prepare_gradient(automatic, 0.3, 3.5, xgrad::constant(50));
    auto h = xgrad::prepare_gradient(declared, 0.3, 3.5, xgrad::constant(50));
    BOOST_CHECK_CLOSE(std::get<0>(g(0.3, 3.5, xgrad::constant(50)).gradient), slope, 1e-9);
    BOOST_CHECK_CLOSE(std::get<0>(h(0.3, 3.5, xgrad::constant(50)).gradient), slope, 1e-9);
    // a workspace doubles: 20000 times 96 bytes are in one of 2 to 4 MB
    for (int k = 0; k < 2; ++k) {
        BOOST_CHECK_EQUAL(g(0.3, 3.5, xgrad::constant(20000)).value, h(0.3, 3.5, xgrad::constant(20000)).value);
        BOOST_CHECK_LE(g.workspace_bytes(), 4u << 20);
        BOOST_CHECK_LE(h.workspace_bytes(), 4u << 20);
    }
}
