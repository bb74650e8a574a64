// jvp, hvp, hessian, vjp and jacobian: forms of arguments and results, and what they refuse.
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "orders.hpp"

namespace {

struct layer {
    xt::xtensor<double, 2> W;
    xt::xtensor<double, 1> b;
    double scale = 1.5;
    int epochs = 3;
};
XGRAD_REFLECT(layer, W, b, scale, epochs)

layer some_layer() { return {{{.1, .2, -.3}, {.4, -.5, .6}}, {.1, .2, .3}}; }
void check(double found, double expected) { BOOST_CHECK_CLOSE_FRACTION(found, expected, 1e-9); }

template <class F>
void refuses(F const& f, char const* part) {
    BOOST_CHECK_EXCEPTION(f(), std::invalid_argument, [&](auto const& e) {
        BOOST_TEST_MESSAGE(e.what());
        return std::string_view(e.what()).find(part) != std::string_view::npos;
    });
}

}

BOOST_AUTO_TEST_CASE(arguments_of_every_form) {
    using derivatives::orders_agree;
    orders_agree([](auto const& l, auto const& s) { return sum(tanh(l.W + l.b)) * l.scale * s; }, some_layer(), 0.7);
    orders_agree([](auto const& m, auto const& v, auto const& o) { return m.at("a") * m.at("b") * sum(v[1] * v[0]) * *o; },
                 std::unordered_map<std::string, double>{{"b", 2.0}, {"a", 3.0}, {"c", 1.0}}, std::vector<xt::xtensor<double, 1>>{{1.0, 2.0}, {3.0, 4.0}},
                 std::optional<double>(2.0));
    auto const shared = std::make_shared<double>(1.5);
    // one object, two arguments: its tangent is the first one's
    auto const both = [](auto const& p, auto const& q) { return *p * *q * *p; };
    auto const y = xgrad::jvp(both, std::tuple(shared, shared), std::tuple(std::make_shared<double>(1.0), std::make_shared<double>(9.0)));
    check(y.tangent, 3 * 1.5 * 1.5);
    auto const view = [](auto const& a) { return sum(a * a * a); };
    xt::xtensor_fixed<double, xt::xshape<2, 2>> const fixed = {{1.0, 2.0}, {3.0, 4.0}};
    orders_agree(view, fixed);
}

BOOST_AUTO_TEST_CASE(results_of_every_form) {
    xt::xtensor<double, 1> const x = {.3, -.2, .9}, xdot = {1.0, 2.0, -1.0};
    auto const f = [](auto const& v) {
        auto h = exp(v);
        auto s = sum(h);
        return std::tuple{h * s, s, std::pair{s * s, h}, std::vector{xgrad::variable(s), xgrad::variable(s * 2.0)}};
    };
    auto const y = xgrad::jvp(f, std::tuple(x), std::tuple(xdot));
    xt::xtensor<double, 1> const h = xt::exp(x), hdot = h * xdot;
    double const s = xt::sum(h)(), sdot = xt::sum(hdot)();
    check(std::get<0>(y.tangent)(2), hdot(2) * s + h(2) * sdot);
    check(std::get<1>(y.tangent), sdot);
    check(std::get<2>(y.primal).first, s * s);
    check(std::get<2>(y.tangent).second(1), hdot(1));
    check(std::get<3>(y.tangent).at(1), 2 * sdot);

    auto [value, back] = xgrad::vjp(f, x);
    auto ybar = std::tuple(h, 2.0, std::pair(0.5, h), std::vector{1.0, -1.0});
    // ⟨ybar, ydot⟩ = ⟨xbar, xdot⟩
    double const left = xt::sum(h * std::get<0>(y.tangent))() + 2 * sdot + 0.5 * 2 * s * sdot + xt::sum(h * hdot)() + sdot - 2 * sdot;
    for (int i = 0; i < 3; ++i) check(xt::sum(std::get<0>(back(ybar)) * xdot)(), left);
    std::get<3>(ybar).pop_back();
    refuses([&] { return back(ybar); }, "a cotangent of the value's form");
    // a column-major cotangent
    auto [matrix, of_matrix] = xgrad::vjp([](auto const& a) { return a * 2.0; }, xt::xtensor<double, 2>{{1.0, 2.0}, {3.0, 4.0}});
    check(std::get<0>(of_matrix(xt::xtensor<double, 2, xt::layout_type::column_major>{{1.0, 5.0}, {7.0, 9.0}}))(0, 1), 10);
    refuses([&] { return of_matrix(xt::xtensor<double, 2>{{1.0, 2.0}}); }, "(1, 2)");
    check(std::get<0>(of_matrix(xt::xtensor<double, 2>{{1.0, 5.0}, {7.0, 9.0}}))(1, 0), 14);
}

BOOST_AUTO_TEST_CASE(pullbacks_run_again) {
    xt::xtensor<double, 1> const x = xt::linspace(0.1, 1.9, 19), v = xt::cos(x);
    auto const programs = std::tuple(
        [](auto const& u) { auto g = exp(u) * sin(u); auto q = sum(g * g); return g / q + u(3); },
        [](auto const& u) { auto s = sin(u); auto g = assign(u, u * 2.0); auto r = s * u + g; return r * 1.0; },
        [](auto const& u) { xgrad::variable a = u * 1.0; for (int i = 0; i < 4; ++i) a = a * sin(a); return a; });
    std::apply([&](auto const&... f) {
        auto one = [&](auto const& g) {
            auto [y, back] = xgrad::vjp(g, x);
            auto const [reference] = xgrad::gradient([&](auto const& u) { return sum(g(u) * v); }, x);
            for (double times : {1.0, 2.0, 1.0}) {
                xt::xtensor<double, 1> const ybar = times * v;
                auto const [xbar] = back(ybar);
                for (std::size_t i = 0; i < x.size(); ++i) check(xbar(i), times * reference(i));
            }
        };
        (one(f), ...);
    }, programs);
    auto [y, back] = xgrad::vjp([](auto const& a) -> xgrad::real { auto p = a * a; return p * a; }, 2.0);
    check(y, 8);
    check(std::get<0>(back(2.0)), 24);
    check(std::get<0>(back(1.0)), 12);
    // it may outlive what made it
    auto const make = [] {
        auto const factor = std::make_unique<double>(2.0);
        return xgrad::vjp([k = *factor](auto const& a) { return k * a * a; }, 3.0).pullback;
    };
    auto kept = make();
    auto moved = std::move(kept);
    check(std::get<0>(moved(1.0)) + std::get<0>(moved(2.0)), 36);
    auto const thrower = [](auto const& a) { auto b = a * a; if (b > 1.0) throw std::runtime_error("too big"); return b; };
    BOOST_CHECK_THROW(xgrad::vjp(thrower, 3.0), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(jacobians) {
    using enum xgrad::direction;
    xt::xtensor<double, 1> const x = xt::linspace(0.1, 1.9, 19);
    auto const f = [](auto const& u) { auto h = exp(u) * sin(u); return view(h, xt::range(0, 5)) * u(7) + sum(h); };
    auto const a = xgrad::jacobian<forward>(f, x), b = xgrad::jacobian<reverse>(f, x), c = xgrad::jacobian(f, x);
    BOOST_CHECK_EQUAL(a.shape(0), 5u);
    BOOST_CHECK_EQUAL(a.shape(1), 19u);
    double const h = 1e-6;
    for (std::size_t j = 0; j < 19; ++j) {
        auto at = [&](double t) {
            xt::xtensor<double, 1> z = x;
            z(j) += t;
            xt::xtensor<double, 1> r;
            (void)xgrad::value(
                [&](auto const& u) {
                    auto y = f(u);
                    r = xgrad::primal(y);
                    return sum(y);
                },
                z);
            return r;
        };
        xt::xtensor<double, 1> const d = (at(h) - at(-h)) / (2 * h);
        for (std::size_t i = 0; i < 5; ++i) {
            BOOST_CHECK_SMALL(a(i, j) - d(i), 1e-7);
            BOOST_CHECK_SMALL(a(i, j) - b(i, j), 1e-12);
            BOOST_CHECK_SMALL(a(i, j) - c(i, j), 1e-12);
        }
    }
    // a wide one, and one of a struct
    auto const wide = xgrad::jacobian([](auto const& u) { return sum(u * u) * view(u, xt::range(0, 2)); }, x);
    check(wide(0, 0), 3 * x(0) * x(0) + xt::sum(x * x)() - x(0) * x(0));
    auto const of_struct = xgrad::jacobian([](auto const& l) { return l.b * l.scale; }, some_layer());
    BOOST_CHECK_EQUAL(of_struct.shape(1), 10u);
    check(of_struct(1, 7), 1.5);
    check(of_struct(1, 9), .2);
    check(xgrad::jacobian([](auto const& s, auto const& t) { return s * exp(t); }, 2.0, .5)(1), 2 * std::exp(.5));
    // of an array with respect to an array: both shapes
    xt::xtensor<double, 2> const m = {{1.0, 2.0}, {3.0, 4.0}};
    auto const k = xgrad::jacobian([](auto const& q) { return q * q; }, m);
    check(k(1, 0, 1, 0), 6);
    BOOST_CHECK_EQUAL(k(1, 0, 0, 0), 0.0);
    auto const dynamic = xgrad::jacobian([](auto const& q) { return q * q; }, xt::xarray<double>(m));
    BOOST_CHECK_EQUAL(dynamic.dimension(), 4u);
    check(dynamic(1, 0, 1, 0), 6);
}

BOOST_AUTO_TEST_CASE(jacobians_of_declared_results) {
    using enum xgrad::direction;
    auto const real = [](auto const& x) -> xgrad::real { return sum(x * x * x); };
    auto const total = [](auto const& x) {
        xgrad::sum_result s;
        for (auto const& v : x) s += v * v * v;
        return s;
    };
    for (std::size_t const n : {0u, 3u, 9u, 80u}) {
        xt::xtensor<double, 1> const x = xt::arange<double>(static_cast<double>(n)) + 0.5, expected = 3.0 * x * x;
        BOOST_TEST((xgrad::jacobian(real, x) == expected && xgrad::jacobian<forward>(real, x) == expected && xgrad::jacobian<reverse>(real, x) == expected));
        BOOST_TEST((xgrad::jacobian(total, x) == expected && xgrad::jacobian<forward>(total, x) == expected));
    }
    auto const product = [](auto const& a, auto const& b) -> xgrad::result<float> { return a * b * b; };
    auto const j = xgrad::jacobian(product, 2.0f, 3.0f);
    BOOST_TEST((j(0) == 9.0f && j(1) == 12.0f));
}

BOOST_AUTO_TEST_CASE(hessians) {
    xt::xtensor<double, 2> const m = {{1.0, 2.0, .3}, {3.0, 4.0, -.4}};
    auto const f = [](auto const& q, auto const& k) { return sum(q * q * q) * k + q(0, 0) * q(1, 2); };
    auto const [value, gradient, h] = xgrad::value_gradient_and_hessian(f, m, xgrad::constant(2.0));
    check(value, 2 * xt::sum(m * m * m)() + m(0, 0) * m(1, 2));
    check(std::get<0>(gradient)(1, 1), 6 * 16.0);
    check(h(0, 1, 0, 1), 12 * 2.0);
    check(h(0, 0, 1, 2), 1);
    check(h(1, 2, 0, 0), 1);
    BOOST_CHECK_EQUAL(h(0, 1, 1, 1), 0.0);
    auto const of_struct = xgrad::hessian([](auto const& l) { return l.b(0) * l.scale * l.scale; }, some_layer());
    BOOST_CHECK_EQUAL(of_struct.shape(0), 10u);
    check(of_struct(6, 9), 3);
    check(of_struct(9, 9), .2);
}

BOOST_AUTO_TEST_CASE(tangents_of_other_forms) {
    xt::xtensor<double, 1> const x = {1.0, 2.0}, three = {1.0, 2.0, 3.0};
    auto const f = [](auto const& v) { return sum(v * v); };
    refuses([&] { return xgrad::jvp(f, std::tuple(x), std::tuple(three)); }, "(3)");
    refuses([&] { return xgrad::hvp(f, x, three); }, "(3)");
    refuses([&] { return xgrad::jvp([](auto const& v) { return v[0]; }, std::tuple(std::vector{1.0, 2.0}), std::tuple(std::vector{1.0})); }, "form");
    // a tangent of another layout than its argument's
    xt::xarray<double, xt::layout_type::dynamic> rows(std::vector<std::size_t>{2, 3}, xt::layout_type::row_major),
        columns(std::vector<std::size_t>{2, 3}, xt::layout_type::column_major);
    double n = 1;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) rows(i, j) = n, columns(i, j) = n * n, ++n;
    auto const y = xgrad::jvp([](auto const& v) { return sum(v * v); }, std::tuple(rows), std::tuple(columns));
    check(y.tangent, 2 * xt::sum(rows * columns)());
    auto const second = xgrad::hvp([](auto const& v) { return sum(v * v * v); }, std::tuple(columns), std::tuple(rows));
    check(std::get<0>(second.product)(1, 0), 6 * columns(1, 0) * rows(1, 0));
}
