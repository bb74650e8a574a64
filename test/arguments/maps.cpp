// Maps as arguments: the same keys, for the function and in the gradient.
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer {
    matrix W;
    vector b;
    int used = 1;
};
XGRAD_REFLECT(layer, W, b, used)

struct model {
    std::map<std::string, layer> layers;
    std::unordered_map<int, double> weights;
    std::map<double, std::vector<std::map<int, double>>, std::greater<>> deep;
    std::map<std::string, int> sizes;
};
XGRAD_REFLECT(model, layers, weights, deep, sizes)

using layers = std::map<std::string, layer>;

layers const two{{"first", {{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {0.7, 0.8}, 2}}, {"second", {{{0.9, -0.2}}, {0.3}}}};
layers const one{{"second", {{{0.9, -0.2, 0.3}}, {0.3}}}};

auto const of_layers = ARGUMENTS_BOTH_MODES((auto const& m, auto const& x),
    variable s = sum(x);
    for (auto const& [name, l] : m) s = s + sum(l.W * l.W) * sum(l.b) * l.used * double(name.size());
    if (m.contains("first")) s = s * m.at("first").b(1);
    return s * double(m.size());
);
auto const plain_of_layers = [](layers const& m, vector const& x) {
    double s = xt::sum(x)();
    for (auto const& [name, l] : m) s += xt::sum(l.W * l.W)() * xt::sum(l.b)() * l.used * double(name.size());
    if (m.contains("first")) s *= m.at("first").b(1);
    return s * double(m.size());
};

}

BOOST_AUTO_TEST_CASE(a_map_of_structs_of_arrays) {
    agree(of_layers, plain_of_layers, two, vector{1, 2});
    agree(of_layers, plain_of_layers, one, vector{1, 2});
    agree(of_layers, plain_of_layers, layers{}, vector{1, 2});
    auto const [g, h] = xgrad::gradient([](auto const& m, auto const& x) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(m)>, std::map<std::string, xgrad::handle_t<layer, xgrad::counted>>>);
        return sum(m.at("first").b * m.find("second")->second.b(0)) + sum(x);
    }, two, vector{1});
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, std::map<std::string, xgrad::tangent<layer>>>);
    BOOST_CHECK_EQUAL(g.size(), 2u);
    BOOST_CHECK(g.at("first").b == (vector{0.3, 0.3}));
    BOOST_CHECK_CLOSE(g.at("second").b(0), 1.5, 1e-12);
    BOOST_CHECK(g.at("first").W == xt::zeros_like(two.at("first").W));
}

BOOST_AUTO_TEST_CASE(maps_of_every_kind_in_a_struct) {
    model const x{two, {{3, 0.5}, {1, 0.25}, {100, 2.0}}, {{1.5, {{{1, 2.0}}, {}}}, {2.5, {{{4, 3.0}, {5, 4.0}}}}}, {{"n", 3}}};
    agree([](auto const& m) {
              static_assert(std::is_same_v<decltype(m.sizes), std::map<std::string, int> const&>);
              auto w = m.weights.at(3) * m.weights.at(100) + m.weights.find(1)->second * double(m.weights.count(7));
              return w * w * sum(m.layers.at("first").b) * m.sizes.at("n") + m.deep.begin()->second[0].at(5) * m.deep.at(1.5)[0].at(1);
          },
          [](model const& m) {
              double const w = m.weights.at(3) * m.weights.at(100);
              return w * w * xt::sum(m.layers.at("first").b)() * m.sizes.at("n") + m.deep.begin()->second[0].at(5) * m.deep.at(1.5)[0].at(1);
          },
          x);
}

BOOST_AUTO_TEST_CASE(the_keys_change_between_calls) {
    auto g = xgrad::prepare_gradient(of_layers.second, two, vector{});
    for (auto const& m : {two, one, two, layers{}, one, two}) {
        auto const& [gradient, h] = g(m, vector{1, 2}).gradient;
        auto const [fresh, i] = xgrad::gradient(of_layers.first, m, vector{1, 2});
        BOOST_REQUIRE_EQUAL(gradient.size(), m.size());
        for (auto const& [key, t] : fresh) BOOST_CHECK(gradient.at(key).W == t.W && gradient.at(key).b == t.b);
        BOOST_CHECK(h == i);
    }
    // as many, but others
    layers other{{"third", one.at("second")}};
    BOOST_CHECK_EQUAL(std::get<0>(g(one, vector{}).gradient).begin()->first, "second");
    BOOST_CHECK_EQUAL(std::get<0>(g(other, vector{}).gradient).begin()->first, "third");
}

BOOST_AUTO_TEST_CASE(gradients_of_other_keys_are_refused) {
    std::tuple g{xgrad::zero_tangent(layers{{"third", one.at("second")}}), vector{5, 5}};
    arguments::refuses("keys", g, of_layers.first, one, vector{1, 2});
    BOOST_CHECK(std::get<1>(g) == (vector{5, 5}));
    BOOST_CHECK(std::get<0>(g).at("third").W == xt::zeros_like(one.at("second").W));
}
// What is put side by side as flat numbers has one order: that of the argument.
BOOST_AUTO_TEST_CASE(an_unordered_map_keeps_its_order) {
    std::unordered_map<int, double> m;
    for (int i = 0; i < 100; ++i) {
        m[(i * 37) % 1009] = 0.5 + i;
        auto const [g] = xgrad::gradient([](auto const& weights) {
            variable s = 0.0;
            for (auto const& [key, weight] : weights) s += weight * weight;
            return s;
        }, m);
        auto const x = xgrad::flattened(m), y = xgrad::flattened(g);
        BOOST_REQUIRE(y == 2.0 * x);
        auto const z = xgrad::flattened(xgrad::add_to_primal(m, g));
        BOOST_REQUIRE(z == 3.0 * x);
    }
}
BOOST_AUTO_TEST_CASE(comparators_and_hashes_with_a_state) {
    bool (*descending)(int, int) = [](int a, int b) { return a > b; };
    std::map<int, double, bool (*)(int, int)> const m({{1, 2.0}, {2, 3.0}, {3, 5.0}}, descending);
    auto const f = [](auto const& all) { return all.at(1) * all.at(2) * all.at(3); };
    auto const [g] = xgrad::gradient(f, m);
    BOOST_TEST((g.begin()->first == 3 && g.at(1) == 15.0 && g.at(2) == 10.0 && g.at(3) == 6.0));
    std::size_t (*hash)(int) = [](int a) { return static_cast<std::size_t>(a % 2); };
    std::unordered_map<int, double, std::size_t (*)(int)> const h({{1, 2.0}, {2, 3.0}, {3, 5.0}}, 4, hash);
    auto const [of_h] = xgrad::gradient(f, h);
    BOOST_TEST((of_h.at(1) == 15.0 && of_h.at(2) == 10.0 && of_h.at(3) == 6.0));
}
