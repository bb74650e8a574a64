// All laws on every row of the table of tangent types, on values that are full, empty, and nested.
#include <boost/test/unit_test.hpp>

#include <xgrad/check_tangent.hpp>

#include <array>
#include <complex>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

namespace {

struct layer {
    xt::xtensor<double, 2> W;
    xt::xtensor<float, 1> b;
    int used;
};
XGRAD_REFLECT(layer, W, b, used)
struct node {
    double value;
    std::unique_ptr<node> next;
};
XGRAD_REFLECT(node, value, next)
struct tree {
    std::vector<tree> children;
    float value;
};
XGRAD_REFLECT(tree, children, value)
struct scaled {
    double factor;
    double offsets[2][2];
    // Generic over the struct and its mirrors, which have no member functions.
    static constexpr auto call(auto const& self, double x) { return self.factor * x + self.offsets[1][0]; }
};
XGRAD_REFLECT(scaled, factor, offsets)
struct point {
    double x;
    std::string name;
    std::vector<float> path;
    float corner[3];
};

layer const some_layer{{{1, 2}, {3, 4}}, {5, 6}, 7};

}  // namespace

template <class P>
void laws_hold(P const& x) {
    for (std::uint64_t seed : {1, 2}) {
        auto const report = xgrad::check_tangent(x, seed);
        BOOST_TEST(bool(report), report.text());
    }
}

BOOST_AUTO_TEST_CASE(numbers) {
    laws_hold(1.5f);
    laws_hold(1.5);
    laws_hold(1.5L);
    laws_hold(std::complex<float>(1, 2));
    laws_hold(std::complex<double>(1, 2));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_perturbed) {
    laws_hold(3);
    laws_hold(true);
    laws_hold(std::string("text"));
    laws_hold(std::vector<int>{1, 2});
    laws_hold(std::tuple<int, char>{1, 'x'});
    laws_hold(std::mt19937{});
    laws_hold([](double x) { return x; });
}

BOOST_AUTO_TEST_CASE(arrays) {
    laws_hold(xt::xtensor<double, 2>{{1, 2, 3}, {4, 5, 6}});
    laws_hold(xt::xtensor<std::complex<double>, 1>{{1, 2}, {3, 4}});
    laws_hold(xt::xtensor<double, 3>{});
    laws_hold(xt::xtensor<double, 0>{1.5});
    laws_hold(xt::xarray<float>{{1, 2}, {3, 4}});
    laws_hold(xt::xarray<double, xt::layout_type::column_major>{{1, 2, 3}, {4, 5, 6}});
    laws_hold(xt::xarray<double, xt::layout_type::dynamic>(std::vector<std::size_t>{2, 3}, xt::layout_type::column_major));
    laws_hold(xt::xtensor_fixed<double, xt::xshape<2, 2>>{{1, 2}, {3, 4}});
    xt::xtensor<layer, 1> layers = xt::xtensor<layer, 1>::from_shape({2});
    layers(0) = layers(1) = some_layer;
    laws_hold(layers);
}

BOOST_AUTO_TEST_CASE(sequences_and_maps) {
    laws_hold(std::vector<double>{1, 2, 3});
    laws_hold(std::vector<double>{});
    laws_hold(std::vector<std::vector<float>>{{1, 2}, {}, {3}});
    laws_hold(std::vector<layer>{some_layer, some_layer});
    laws_hold(std::vector<std::unique_ptr<double>>(2));
    laws_hold(std::list<double>{1, 2});
    laws_hold(std::deque<std::tuple<int, double>>{{1, 2}, {3, 4}});
    laws_hold(std::valarray<double>{1, 2, 3});
    laws_hold(std::map<std::string, double>{{"a", 1}, {"b", 2}});
    laws_hold(std::map<int, layer>{{1, some_layer}, {5, some_layer}});
    laws_hold(std::unordered_map<std::string, std::vector<double>>{{"a", {1, 2}}, {"b", {}}});
}

BOOST_AUTO_TEST_CASE(values_of_several_parts) {
    laws_hold(std::array<double, 3>{1, 2, 3});
    laws_hold(std::array<float, 100>{1, 2});
    laws_hold(std::array<std::vector<double>, 2>{{{1, 2}, {3}}});
    laws_hold(std::pair<double, int>{1, 2});
    laws_hold(std::tuple<double, int, std::vector<float>, std::tuple<>>{1, 2, {3, 4}, {}});
    laws_hold(std::optional<double>{1.5});
    laws_hold(std::optional<std::vector<double>>{});
    laws_hold(std::optional<layer>{some_layer});
    laws_hold(std::variant<int, double, std::vector<float>>{2});
    laws_hold(std::variant<int, double, std::vector<float>>{1.5});
    laws_hold(std::variant<int, double, std::vector<float>>{std::vector<float>{1, 2}});
    laws_hold(std::vector<std::optional<std::array<double, 2>>>{{}, {{1, 2}}});
}

BOOST_AUTO_TEST_CASE(what_points) {
    laws_hold(std::make_unique<double>(1.5));
    laws_hold(std::unique_ptr<layer>{});
    auto const shared = std::make_shared<std::vector<double>>(std::vector<double>{1, 2});
    laws_hold(std::tuple{shared, shared, std::make_shared<std::vector<double>>(3)});
    laws_hold(std::map<int, std::shared_ptr<std::vector<double>>>{{1, shared}, {2, shared}});
    laws_hold(node{1, std::make_unique<node>(node{2, nullptr})});
    laws_hold(tree{{tree{{}, 1}, tree{{tree{{}, 2}}, 3}}, 4});
}

BOOST_AUTO_TEST_CASE(structs) {
    laws_hold(some_layer);
    laws_hold(scaled{2, {{1, 2}, {3, 4}}});
    static_assert(scaled::call(xgrad::tangent<scaled>{2, {{{1, 2}, {3, 4}}}}, 5) == 13);
    laws_hold(point{1, "here", {2, 3}, {4, 5, 6}});
}
