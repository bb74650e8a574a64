// A prepared gradient called again with arguments of the same forms takes nothing from the heap; maps and shared objects a little.
#include <array>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "along_directions.hpp"
#include "../count_allocations.hpp"

using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;

struct layer {
    vector W;
    std::optional<vector> bias;
    std::variant<int, double, vector> scale;
    std::string name;
    double corners[2];
};
XGRAD_REFLECT(layer, W, bias, scale, name, corners)
struct node {
    double value = 0;
    std::unique_ptr<node> next{};
};
XGRAD_REFLECT(node, value, next)

// How often the heap is asked in the third call.
template <class F, class... X>
std::size_t count(F f, X const&... x) {
    auto g = xgrad::prepare_gradient(f, x...);
    g(x...);
    double const value = g(x...).value;
    auto const before = allocations;
    double const again = g(x...).value;
    auto const after = allocations;
    BOOST_CHECK_EQUAL(value, again);
    return after - before;
}
template <class F, class G, class... X>
std::size_t count(std::pair<F, G> const& both, X const&... x) {
    return count(both.first, x...) + count(both.second, x...);
}

layer const l{{1, 2}, vector{3, 4}, vector{5, 6}, "a name that is too long to be held inside of a string", {7, 8}};
auto const of_layer = ARGUMENTS_BOTH_MODES((auto const& x), variable s = sum(x.W * x.W) * x.corners[1]; if (x.bias) s = s * sum(*x.bias);
                                           if (x.scale.index() == 2) s = s * sum(std::get<2>(x.scale)); return s;);
}

BOOST_AUTO_TEST_CASE(values_of_several_parts) {
    BOOST_CHECK_EQUAL(count(of_layer, l), 0u);
    BOOST_CHECK_EQUAL(count(of_layer, layer{{1, 2}, {}, 2.0, {}, {7, 8}}), 0u);
    BOOST_CHECK_EQUAL(count(ARGUMENTS_BOTH_MODES((auto const& o), return o ? variable(*o * *o) : variable(1.0);), std::optional(0.5)), 0u);
    BOOST_CHECK_EQUAL(count(
                          [](auto const& t) {
                              auto const& [a, n, p] = t;
                              return sum(a[0] * a[1]) * p.first * n;
                          },
                          std::tuple{std::array{vector{1, 2}, vector{3, 4}}, 3, std::pair{0.5, 1}}),
                      0u);
    BOOST_CHECK_EQUAL(count([](auto const& x) { return sum(x * x); }, xt::xtensor_fixed<double, xt::xshape<2, 2>>{{1, 2}, {3, 4}}), 0u);
}

BOOST_AUTO_TEST_CASE(sequences) {
    auto const product = ARGUMENTS_BOTH_MODES((auto const& v), variable s = 1.0; for (auto const& x : v) s = s * sum(x.W); return s;);
    BOOST_CHECK_EQUAL(count(product, std::vector<layer>{l, l}), 0u);
    BOOST_CHECK_EQUAL(count(product, std::list<layer>{l, l}), 0u);
    BOOST_CHECK_EQUAL(count(product, xt::xtensor<layer, 1>({2}, l)), 0u);
    BOOST_CHECK_EQUAL(count([](auto const& v) { return *v[1] * *v[2]; }, std::vector<std::optional<double>>{std::nullopt, 2.0, 3.0}), 0u);
}

BOOST_AUTO_TEST_CASE(owned_objects) {
    node list{1, std::make_unique<node>(node{2, std::make_unique<node>(node{3})})};
    BOOST_CHECK_EQUAL(
        count(ARGUMENTS_BOTH_MODES((auto const& x), variable s = 1.0; for (auto const* p = &x; p; p = p->next.get()) s = s * p->value; return s;), list), 0u);
    // an entry of the table of shared objects
    auto const p = std::make_shared<vector>(vector{1, 2});
    BOOST_CHECK_EQUAL(count([](auto const& x, auto const& y) { return sum(*x * *y); }, p, p), 1u);
    // the handles
    BOOST_CHECK_EQUAL(count([](auto const& m) { return m.at(1) * m.at(2); }, std::map<int, double>{{1, 2}, {2, 3}}), 2u);
}

BOOST_AUTO_TEST_CASE(forms_that_come_back) {
    // what a form needs is made anew when it returns, and not more often
    layer const bare{{1, 2}, {}, 2.0, {}, {7, 8}};
    auto g = xgrad::prepare_gradient(of_layer.first, l);
    for (auto const* x : {&l, &bare, &l, &bare}) g(*x);
    auto const before = allocations;
    g(l);
    auto const first = allocations;
    g(l);
    BOOST_CHECK_LE(first - before, 2u);
    BOOST_CHECK_EQUAL(allocations, first);
}
