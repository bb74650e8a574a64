// flattened, unflatten, for_each_leaf and map_leaves over values and gradients of every form.
#include <array>
#include <complex>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/flatten.hpp>
#include <xgrad/xgrad.hpp>

#include "count_allocations.hpp"

namespace {

struct layer {
    xt::xtensor<double, 2> weights;
    xt::xarray<float> bias;
    std::string name;
    int rounds = 0;
};
XGRAD_REFLECT(layer, weights, bias, name, rounds)

struct model {
    std::vector<layer> layers;
    double scale = 1;
    std::optional<double> offset;
    std::map<std::string, std::array<double, 2>> table;
};
XGRAD_REFLECT(model, layers, scale, offset, table)

model some_model() {
    return {{{{{1, 2}, {3, 4}}, {5, 6}, "a", 3}, {{{7}}, {8}, "b", 4}}, 9, 10.0, {{"k", {11, 12}}}};
}
std::vector<double> counted_up(std::size_t n) {
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<double>(i + 1);
    return v;
}

}

BOOST_AUTO_TEST_CASE(there_and_back) {
    auto const m = some_model();
    BOOST_TEST(xgrad::count_numbers(m) == 12u);
    auto v = xgrad::flattened(m);
    static_assert(std::is_same_v<decltype(v), xt::xtensor<double, 1>>);
    BOOST_TEST(std::vector<double>(v.begin(), v.end()) == counted_up(12), boost::test_tools::per_element());
    v *= 2.0;
    auto const twice = xgrad::unflatten(m, v);
    BOOST_TEST(twice.layers[0].weights(1, 0) == 6.0);
    BOOST_TEST(twice.layers[1].bias(0) == 16.0f);
    BOOST_TEST(twice.layers[1].name == "b");
    BOOST_TEST(twice.layers[1].rounds == 4);
    BOOST_TEST(*twice.offset == 20.0);
    BOOST_TEST(twice.table.at("k")[1] == 24.0);
    BOOST_TEST(m.layers[0].weights(1, 0) == 3.0);
}

BOOST_AUTO_TEST_CASE(a_value_and_its_gradient_have_one_order) {
    auto const m = some_model();
    auto const [g] = xgrad::gradient(
        [](auto const& a) {
            auto total = xgrad::variable(a.scale * *a.offset);
            for (auto const& l : a.layers) total += sum(l.weights * l.weights) + sum(l.bias);
            return total + a.table.at("k")[0];
        },
        m);
    auto const v = xgrad::flattened(g);
    BOOST_TEST(std::vector<double>(v.begin(), v.end()) == (std::vector<double>{2, 4, 6, 8, 1, 1, 14, 1, 10, 9, 1, 0}), boost::test_tools::per_element());
    BOOST_TEST(xgrad::unflatten(g, v).layers[0].weights(1, 1) == 8.0);
    // the gradient of a hash map may have another order: it is written in that of the value
    std::unordered_map<int, double> h;
    for (int i = 0; i < 40; ++i) h[i * 37] = i;
    auto const [dh] = xgrad::gradient(
        [](auto const& a) {
            auto total = xgrad::variable(0.0);
            for (auto const& [k, x] : a) total += x * x;
            return total;
        },
        h);
    auto const x = xgrad::flattened(h), dx = xgrad::flattened(h, dh);
    BOOST_TEST((dx == 2.0 * x));
}

BOOST_AUTO_TEST_CASE(of_other_forms) {
    BOOST_TEST(xgrad::count_numbers(3) == 0u);
    BOOST_TEST(xgrad::flattened(2.5f)(0) == 2.5f);
    static_assert(std::is_same_v<decltype(xgrad::flattened(std::tuple(2.5f, 1, std::string()))), xt::xtensor<float, 1>>);
    static_assert(std::is_same_v<decltype(xgrad::flattened(std::tuple(2.5f, 1.0L))), xt::xtensor<long double, 1>>);
    static_assert(std::is_same_v<decltype(xgrad::flattened(std::string())), xt::xtensor<double, 1>>);
    std::complex<double> const z(1, 2);
    BOOST_TEST((xgrad::flattened(std::vector{z, z}) == xt::xtensor<double, 1>{1, 2, 1, 2}));
    BOOST_TEST((xgrad::unflatten(z, std::array{3.0, 4.0}) == std::complex<double>(3, 4)));
    std::variant<int, std::list<double>> const alternatives = std::list<double>{1, 2};
    BOOST_TEST(xgrad::flattened(alternatives)(1) == 2.0);
    // an object with two owners is there once, and the copy's owners share one, too
    auto const shared = std::make_shared<double>(7.0);
    std::array const owners{shared, shared};
    BOOST_TEST(xgrad::count_numbers(owners) == 1u);
    auto const copy = xgrad::unflatten(owners, std::array{8.0});
    BOOST_TEST(*copy[0] == 8.0);
    BOOST_TEST(copy[0] == copy[1]);
    BOOST_TEST(*shared == 7.0);
    // views of other memory are written through
    std::array<double, 3> memory{1, 2, 3};
    std::span<double> s(memory);
    xgrad::unflatten_to(s, xt::xtensor<double, 1>{4, 5, 6});
    BOOST_TEST(memory[2] == 6.0);
    xt::xarray<double, xt::layout_type::column_major> const columns{{1, 2}, {3, 4}};
    auto const again = xgrad::unflatten(columns, xgrad::flattened(columns));
    BOOST_TEST((again == columns));
    xt::xtensor<double, 2> const nothing = xt::zeros<double>({0, 3});
    BOOST_TEST(xgrad::flattened(nothing).size() == 0u);
}

BOOST_AUTO_TEST_CASE(leaves_side_by_side) {
    auto m = some_model();
    auto g = xgrad::zero_tangent(m);
    xgrad::unflatten_to(g, counted_up(12));
    int leaves = 0;
    xgrad::for_each_leaf(
        [&](auto& x, auto const& dx) {
            ++leaves;
            x -= dx;
        },
        m, g);
    BOOST_TEST(leaves == 8);
    BOOST_TEST((xgrad::flattened(m) == xt::zeros<double>({12})));
    auto const larger = xgrad::map_leaves([](auto const& x, auto const& dx) { return x + 3 * dx; }, m, g);
    BOOST_TEST(larger.layers[0].weights(0, 1) == 6.0);
    BOOST_TEST(larger.layers[0].name == "a");
    double most = 0;
    xgrad::for_each_number([&](auto const& x) { most = std::max(most, static_cast<double>(x)); }, larger);
    BOOST_TEST(most == 36.0);
    BOOST_CHECK_THROW(xgrad::for_each_leaf([](auto&, auto const&) {}, m, xgrad::zero_tangent(model{})), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(in_place_nothing_is_allocated) {
    auto m = some_model();
    std::vector<double> v(12);
    auto const before = allocations;
    xgrad::flatten_to(v, m);
    for (double& x : v) x += 1;
    xgrad::unflatten_to(m, v);
    BOOST_TEST(allocations == before);
    BOOST_TEST(m.scale == 10.0);
    BOOST_CHECK_EXCEPTION(xgrad::flatten_to(std::span(v).first(3), m), std::invalid_argument, [](std::exception const& e) {
        return std::string(e.what()) == "xgrad[E208]: flatten_to(out, t) requires as many elements as t has numbers, 12, found 3: see count_numbers(t)";
    });
    BOOST_CHECK_THROW(xgrad::unflatten_to(m, std::vector<double>(13)), std::invalid_argument);
}
// By rows, however the elements lie.
BOOST_AUTO_TEST_CASE(of_arrays_that_lie_by_columns) {
    using columns = xt::xtensor<double, 2, xt::layout_type::column_major>;
    std::tuple<columns, double> const t{columns{{1, 2, 3}, {4, 5, 6}}, 7.0};
    xt::xtensor<double, 1> const expected{1, 2, 3, 4, 5, 6, 7};
    BOOST_TEST((xgrad::flattened(t) == expected));
    BOOST_TEST((std::get<0>(xgrad::unflatten(t, expected)) == std::get<0>(t)));
    auto const f = [](auto const& s) { return std::get<0>(s)(0, 1) * std::get<0>(s)(0, 1) * 3.0 + std::get<1>(s); };
    auto const g = xgrad::flattened(xgrad::gradient(f, t));
    auto const h = xgrad::hessian(f, t);
    for (std::size_t i = 0; i < 7; ++i) {
        BOOST_TEST(g(i) == (i == 1 ? 12.0 : i == 6 ? 1.0 : 0.0));
        BOOST_TEST(h(i, i) == (i == 1 ? 6.0 : 0.0));
    }
    columns const other = xt::zeros<double>({3, 2});
    BOOST_CHECK_THROW(xgrad::for_each_number([](double, double) {}, std::get<0>(t), other), std::invalid_argument);
}
