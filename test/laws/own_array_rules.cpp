// check_rule passes xgrad's own rules of whole arrays: reductions, views, products, assignments, loops over elements; and programs of structs and containers.
#include "../count_allocations.hpp"

#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/boost_test.hpp>
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::check_rule, xgrad::constant, xgrad::rule_checks, xgrad::rule_options;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector const v{0.3, -0.7, 1.1}, u{1.2, 0.4, -0.5};
matrix const m{{0.1, 0.2, 0.3}, {0.4, -0.5, 0.6}}, n{{1.1, -0.4}, {0.7, 0.2}, {0.9, 0.3}};

struct layer {
    matrix W;
    double b;
    int used;
};
XGRAD_REFLECT(layer, W, b, used)
struct network {
    std::vector<layer> hidden;
    vector last;
};
XGRAD_REFLECT(network, hidden, last)

// The body is not for plain values; and a second call allocates nothing.
#define HOLDS(...) XGRAD_CHECK_REPORT(check_rule<rule_checks{.plain = false}>(rule_options{.allocations = [] { return allocations; }}, __VA_ARGS__))

}

BOOST_AUTO_TEST_CASE(reductions) {
    HOLDS([](auto const& x) { return sum(x); }, m);
    HOLDS([](auto const& x) { return sum(x, {1}); }, m);
    HOLDS([](auto const& x) { return mean(x * x, {0}); }, m);
    HOLDS([](auto const& x) { return std::tuple(mean(exp(x)), sum(x, {0}, xt::keep_dims)); }, xt::xtensor<float, 2>(m));
}
BOOST_AUTO_TEST_CASE(views) {
    HOLDS([](auto const& x) { return view(x, xt::all(), 1) * view(x, xt::all(), 0); }, m);
    HOLDS([](auto const& x) { return transpose(x) * 2.0; }, m);
    HOLDS([](auto const& x) { return transpose(x) * x; }, xt::xarray<double>(xt::view(m, xt::all(), xt::range(0, 2))));
    HOLDS([](auto const& x) { return x(0, 1) * x(1, 2); }, xt::xtensor<double, 2, xt::layout_type::column_major>(m));
    HOLDS([](auto const& x, auto const& y) { return x * y; }, m, v);
}
BOOST_AUTO_TEST_CASE(products) {
    HOLDS([](auto const& a, auto const& b) { return dot(a, b); }, m, n);
    HOLDS([](auto const& a, auto const& b) { return dot(transpose(b), a); }, v, n);
    HOLDS([](auto const& a, auto const& b) { return dot(a, b); }, v, u);
}
BOOST_AUTO_TEST_CASE(assignments) {
    HOLDS([](auto const& x, auto const& y) { auto g = assign(x, x * y); return sum(x * x * y); }, v, u);
}
BOOST_AUTO_TEST_CASE(programs_of_other_types) {
    network const net{{{m, 0.5, 3}, {xt::transpose(m), -0.2, 4}}, v};
    auto const f = [](auto const& p, auto const& x) {
        return sum(tanh(sum(p.hidden[0].W * x, {1}) * p.hidden[0].b)) * p.hidden[1].b * sum(p.hidden[1].W) + sum(p.last);
    };
    HOLDS(f, net, constant(u));
    HOLDS([](auto const& a) -> xgrad::real { auto b = a * a; return exp(b) * a; }, 0.4);
    // called with plain values, too
    XGRAD_CHECK_RULE([](auto const& a, auto const& x) { return std::tuple(a * a, x(0) * 2.0); }, 0.4, v);
    auto const r = check_rule([](auto const& a, auto const& b) { return a * b; }, 0.4, 3.0);
    BOOST_TEST(bool(r), r.text());
    BOOST_TEST(r.text() == "the rule holds: value, repetition, restoring, jvp, gradient, convergence, dot product, accumulation, second order");
}
