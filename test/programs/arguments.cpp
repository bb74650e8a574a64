// Arguments of every type: what the function sees has the same fields and indices, and so have their gradients.
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "against_differences.hpp"

using programs::agree;
using xgrad::variable;

namespace shop {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer {
    matrix W;
    vector b;
    double scale = 1;
    std::string name;
    int units = 0;
};
XGRAD_REFLECT(layer, W, b, scale, name, units)

// The same field names again, one level up.
struct net {
    layer first, second;
    double scale = 1;
    std::vector<double> W;
    std::array<vector, 2> b;
    std::pair<double, int> units;
};
XGRAD_REFLECT(net, first, second, scale, W, b, units)

}

namespace {

using shop::layer, shop::matrix, shop::net, shop::vector;

layer const l1{{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {0.7, 0.8}, 1.1, "first", 2}, l2{{{0.9, -0.2}}, {0.3}, 0.4, "second", 1};
net const n0{l1, l2, 0.5, {0.1, 0.2, 0.3}, {vector{1, 2}, vector{3}}, {0.6, 7}};

auto const forward = [](auto const& n) {
    auto h = xt::tanh(sum(n.first.W * n.scale, 1) * n.first.scale + n.first.b);
    auto o = sum(n.second.W * h, 1) + n.second.b * n.second.scale * double(n.second.name.size());
    variable s = sum(o * o);
    for (auto const& w : n.W) s = s + w * n.units.first * n.units.second;
    return s + sum(n.b[0]) * sum(n.b[1]);
};
auto const plain_forward = [](net const& n) {
    vector h = xt::tanh(xt::sum(n.first.W * n.scale, {1}) * n.first.scale + n.first.b);
    vector o = xt::sum(n.second.W * h, {1}) + n.second.b * n.second.scale * double(n.second.name.size());
    double s = xt::sum(o * o)();
    for (auto const& w : n.W) s += w * n.units.first * n.units.second;
    return s + xt::sum(n.b[0])() * xt::sum(n.b[1])();
};

}

BOOST_AUTO_TEST_CASE(a_nest_of_structs) {
    agree(forward, plain_forward, n0);
    auto [g] = xgrad::gradient(forward, n0);
    static_assert(std::is_same_v<decltype(g), xgrad::tangent<net>>);
    static_assert(std::is_same_v<decltype(g.first.W), matrix>);
    static_assert(std::is_same_v<decltype(g.W), std::vector<double>>);
    BOOST_CHECK_EQUAL(g.b[1](0), 3.0);
    BOOST_CHECK_EQUAL(g.second.b.size(), 1u);
    auto see = [](auto const& n) {
        static_assert(std::is_same_v<decltype(n.first.name), std::string const&>);
        static_assert(std::is_same_v<decltype(n.first.units), int const&>);
        BOOST_CHECK_EQUAL(n.second.name, "second");
        BOOST_CHECK_EQUAL(n.first.W.shape(1), 3u);
        return n.first.scale * n.first.units;
    };
    BOOST_CHECK_EQUAL(std::get<0>(xgrad::gradient(see, n0)).first.scale, 2.0);
}

BOOST_AUTO_TEST_CASE(a_struct_as_a_constant) {
    agree([](auto const& x, auto const& n) { static_assert(std::is_same_v<decltype(n), net const&>); return sum(x * n.first.b) * n.scale; },
          [](vector const& x, net const& n) { return xt::sum(x * n.first.b)() * n.scale; }, vector{1, 2}, xgrad::constant(n0));
}

BOOST_AUTO_TEST_CASE(vectors) {
    std::vector<double> const v{0.1, 0.2, 0.3};
    agree([](auto const& x) { variable s = 0.0; for (std::size_t i = 0; i < x.size(); ++i) s = s + x[i] * x[(i + 1) % x.size()]; return s; },
          [](auto const& x) { return x[0] * x[1] + x[1] * x[2] + x[2] * x[0]; }, v);
    std::vector<vector> const arrays{{1, 2}, {3}, {}};
    agree([](auto const& x) { variable s = 0.0; for (auto const& a : x) s = s + sum(a * a); return s + x[0](1) * x[1](0); },
          [](auto const& x) { return xt::sum(x[0] * x[0])() + x[1](0) * x[1](0) + x[0](1) * x[1](0); }, arrays);
    std::vector<std::vector<double>> const nested{{0.1, 0.2}, {}, {0.3}};
    agree([](auto const& x) { return x[0][0] * x[0][1] * x[2].back(); }, [](auto const& x) { return x[0][0] * x[0][1] * x[2][0]; }, nested);
    agree([](auto const& x) { return x.empty() ? variable(1.0) : variable(x[0]); }, [](auto const&) { return 1.0; }, std::vector<double>{});
    std::vector<layer> const layers{l1, l2};
    agree([](auto const& x) { return sum(x[0].W) * sum(x[1].b) * x[0].scale; },
          [](auto const& x) { return xt::sum(x[0].W)() * xt::sum(x[1].b)() * x[0].scale; }, layers);
    // integers beside them are as they are
    agree(
        [](auto const& x, auto const& k) {
            static_assert(std::is_same_v<decltype(k), std::vector<int> const&>);
            return x[0] * k[1];
        },
        [](auto const& x, auto const& k) { return x[0] * k[1]; }, v, xgrad::constant(std::vector<int>{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_vector_changes_its_size_between_calls) {
    auto g = xgrad::prepare_gradient([](auto const& x) { variable s = 1.0; for (auto const& e : x) s = s * e; return s; }, std::vector<double>{});
    for (std::size_t n : {3u, 0u, 5u, 1u, 2u}) {
        auto& [value, gradient] = g(std::vector<double>(n, 2.0));
        BOOST_CHECK_EQUAL(value, std::pow(2.0, n));
        BOOST_REQUIRE_EQUAL(std::get<0>(gradient).size(), n);
        for (double d : std::get<0>(gradient)) BOOST_CHECK_EQUAL(d, std::pow(2.0, n - 1));
    }
}

BOOST_AUTO_TEST_CASE(arrays_pairs_and_tuples) {
    agree(
        [](auto const& a, auto const& p, auto const& t) {
            auto const& [x, v] = p;
            return a[0] * a[1] * x * sum(v) + std::get<0>(t) * sum(std::get<2>(t) * v) * std::get<1>(t) + std::get<3>(t).first;
        },
        [](auto const& a, auto const& p, auto const& t) {
            return a[0] * a[1] * p.first * xt::sum(p.second)() + std::get<0>(t) * xt::sum(std::get<2>(t) * p.second)() * std::get<1>(t) + std::get<3>(t).first;
        },
        std::array{0.3, 0.4}, std::pair{0.5, vector{1, 2}}, std::tuple{0.6, 3, vector{4, 5}, std::pair{0.7, std::string("no")}});
}

BOOST_AUTO_TEST_CASE(arrays_of_dynamic_rank) {
    xt::xarray<double> const a = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, b = {1.0, 2.0, 3.0}, c = 0.7;
    agree(
        [](auto const& x, auto const& y, auto const& z) {
            auto h = sin(x * y) * z;
            auto s = sum(h, 0);
            return sum(s * y) + mean(h * h) + h(1, 2) + z() * y[0];
        },
        [](auto const& x, auto const& y, auto const& z) {
            xt::xarray<double> h = xt::sin(x * y) * z, s = xt::sum(h, {0});
            return xt::sum(s * y)() + xt::mean(h * h)() + h(1, 2) + z() * y(0);
        },
        a, b, c);
    agree([](auto const& x) { return x * x + sum(x, xt::keep_dims) * 0.5; }, [](auto const& x) { return x() * x() + x() * 0.5; }, xt::xarray<double>(0.7));
    auto [g] = xgrad::gradient([](auto const& x) { return sum(x * x); }, a);
    static_assert(std::is_same_v<decltype(g), xt::xarray<double>>);
    BOOST_CHECK(g == 2 * a);
}

BOOST_AUTO_TEST_CASE(other_layouts) {
    using column_major = xt::xtensor<double, 2, xt::layout_type::column_major>;
    column_major const a = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    matrix const b = {{1, 2, 3}, {4, 5, 6}};
    auto plain = [](auto const& x, auto const& y) {
        matrix h = xt::sin(x * y);
        vector s = xt::sum(h, {0});
        return xt::sum(s * s)() + xt::sum(x * x * y)() + x(1, 2) * h(0, 1);
    };
    auto f = [](auto const& x, auto const& y) { auto h = sin(x * y); auto s = sum(h, 0); return sum(s * s) + sum(x * x * y) + x(1, 2) * h(0, 1); };
    agree(f, plain, a, b);
    agree(f, plain, b, a);
    agree(f, plain, a, column_major(b));
    agree(f, plain, a, xt::xarray<double, xt::layout_type::column_major>(b));
    auto [g] = xgrad::gradient([](auto const& x) { return sum(x * x); }, a);
    static_assert(std::is_same_v<decltype(g), column_major>);
    BOOST_CHECK(g == 2 * a);
    agree([](auto const& x) { return x(1, 0) * 2.0; }, [](auto const& x) { return 2 * x(1, 0); }, a);
    agree([](auto const&) { return 2.0; }, [](auto const&) { return 2.0; }, a);
}

BOOST_AUTO_TEST_CASE(temporaries_as_arguments) {
    auto [g, h] = xgrad::gradient([](auto const& x, auto const& y) { return sum(x * y); }, vector{1, 2}, vector(2 * vector{1, 2}));
    BOOST_CHECK(g == (vector{2, 4}));
    BOOST_CHECK(h == (vector{1, 2}));
}
