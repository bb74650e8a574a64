// Prepared Hessian products beside hvp: of all kinds of arguments, again with other forms, and where they could go wrong. From the second call on nothing is
// allocated.
#include <complex>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <xgrad/map.hpp>
#include <xgrad/tangent/same_value.hpp>
#include <xgrad/xgrad.hpp>

#include "../count_allocations.hpp"

using namespace xgrad;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer {
    matrix weight;
    double bias;
};
XGRAD_REFLECT(layer, weight, bias)

struct weight_of_its_own {
    double bias;
    std::unique_ptr<double> weight;
};
XGRAD_REFLECT(weight_of_its_own, bias, weight)

auto says(char const* id) {
    return [id](std::exception const& e) { return std::string(e.what()).find(id) != std::string::npos; };
}

template <class R, class S>
void agree(R const& a, S const& b) {
    BOOST_TEST(a.value == b.value);
    BOOST_TEST(detail::same_value(a.gradient, b.gradient));
    BOOST_TEST(detail::same_value(a.product, b.product));
}

auto const waves = [](auto const& x, auto const& y) { return sum(sin(x) * y * x) + x(0) * sum(exp(y)); };
vector const x{0.3, -0.2, 0.5}, y{1.0, 2.0, -0.5}, dx{1.0, 0.5, -1.0}, dy{0.0, 2.0, 1.0};

}

BOOST_AUTO_TEST_CASE(arguments_of_all_kinds) {
    auto h = prepare_hvp(waves, x, y);
    for (int k = 0; k < 2; ++k) agree(h(std::tie(x, y), std::tie(dx, dy)), hvp(waves, std::tie(x, y), std::tie(dx, dy)));
    agree(h(std::tie(y, x), std::tie(dy, dx)), hvp(waves, std::tie(y, x), std::tie(dy, dx)));

    auto with_constant = prepare_hvp(waves, x, constant(y));
    auto const& r = with_constant(std::tuple(x, constant(y)), std::tuple(dx, no_tangent{}));
    agree(r, hvp(waves, std::tuple(x, constant(y)), std::tuple(dx, no_tangent{})));

    auto cube = [](auto const& a) { return a * a * a; };
    auto of_number = prepare_hvp(cube, 2.0);
    BOOST_TEST(std::get<0>(of_number(2.0, 1.0).product) == 12.0);
    BOOST_TEST(std::get<0>(of_number(3.0, 2.0).product) == 36.0);

    auto of_layer = [](auto const& l, auto const& v) { return sum(square(tanh(l.weight * v + l.bias))); };
    layer const l{{{0.1, 0.2, 0.3}, {-0.2, 0.4, 0.1}}, 0.2};
    tangent<layer> dl = zero_tangent(l);
    dl.weight(1, 2) = 1.0;
    dl.bias = -0.5;
    auto of_struct = prepare_hvp(of_layer, l, x);
    for (int k = 0; k < 2; ++k) agree(of_struct(std::tie(l, x), std::tie(dl, dx)), hvp(of_layer, std::tie(l, x), std::tie(dl, dx)));

    using complex_vector = xt::xtensor<std::complex<double>, 1>;
    complex_vector const z{{1.0, 0.5}, {-0.3, 0.2}}, dz{{0.0, 1.0}, {2.0, -1.0}};
    auto of_complex = [](auto const& c) { return sum(abs(c * c) * abs(c)); };
    auto product = prepare_hvp(of_complex, z);
    for (int k = 0; k < 2; ++k) agree(product(z, dz), hvp(of_complex, z, dz));

    auto of_items = [](auto const& a, auto const& b) {
        auto const item = [](auto const& u, auto const& v) -> xgrad::real { return exp(u) * v * v; };
        return sum(map(item, each(a), each(b)));
    };
    auto along = prepare_hvp(of_items, x, y);
    for (int k = 0; k < 2; ++k) agree(along(std::tie(x, y), std::tie(dx, dy)), hvp(of_items, std::tie(x, y), std::tie(dx, dy)));
}

BOOST_AUTO_TEST_CASE(other_forms) {
    auto squares = [](auto const& a) { return sum(a * a * a); };
    auto h = prepare_hvp(squares, vector{1.0, 2.0});
    for (std::size_t n : {2, 5, 0, 1, 5}) {
        vector a = vector::from_shape({n}), da = a;
        for (std::size_t i = 0; i < n; ++i) a(i) = 1.0 + double(i), da(i) = 0.5 - double(i);
        agree(h(a, da), hvp(squares, a, da));
    }
    auto of_list = [](auto const& list) {
        number_like<decltype(list[0])> s = 0.0;
        for (auto const& a : list) s += sum(a * a * a);
        return s;
    };
    using list = std::vector<vector>;
    auto of_lists = prepare_hvp(of_list, list{x});
    for (list const& a : {list{x}, list{x, y}, list{}, list{vector{1.0}, y}}) {
        list da = a;
        for (auto& part : da) part *= 0.5;
        agree(of_lists(a, da), hvp(of_list, a, da));
    }
}

BOOST_AUTO_TEST_CASE(who_shares_changes_between_calls) {
    auto const cubes = [](auto const& all) {
        number_like<decltype(*all[0])> s = 0.0;
        for (auto const& p : all)
            if (p) s = s + sum(*p * *p * *p);
        return s;
    };
    using pointers = std::vector<std::shared_ptr<vector>>;
    auto const p = std::make_shared<vector>(x), q = std::make_shared<vector>(y);
    auto h = prepare_hvp(cubes, pointers{p, q});
    auto const along = [&](pointers const& all) {
        pointers d = zero_tangent(all);
        for (auto& one : d)
            if (one) one->fill(1.0);
        return d;
    };
    for (pointers const& all : {pointers{p, q}, pointers{p, p}, pointers{p, nullptr}, pointers{q, p}, pointers{nullptr, q}}) {
        pointers const d = along(all);
        auto const& r = h(all, d);
        auto const [product] = r.product;
        double const times = all[0] == all[1] ? 2.0 : 1.0;
        for (std::size_t i : {0, 1}) {
            BOOST_TEST(bool(product[i]) == bool(all[i]));
            if (all[i]) BOOST_TEST(xt::allclose(*product[i], 6.0 * times * *all[i], 1e-14, 0.0));
        }
        BOOST_TEST((product[0] == product[1]) == (all[0] == all[1]));
        agree(r, hvp(cubes, all, d));
    }
    // what was copied from a result stays as it was
    auto const kept = h(pointers{p, q}, along({p, q})).product;
    h(pointers{q, q}, along({q, q}));
    BOOST_TEST((*std::get<0>(kept)[0] == vector(6.0 * x)));
}

BOOST_AUTO_TEST_CASE(along_what_the_call_before_gave) {
    auto h = prepare_hvp(waves, x, y);
    auto const once = hvp(waves, std::tie(x, y), std::tie(dx, dy));
    auto const& r = h(std::tie(x, y), std::tie(dx, dy));
    agree(h(std::tie(x, y), r.product), hvp(waves, std::tie(x, y), once.product));
    agree(h(std::tie(x, y), r.gradient), hvp(waves, std::tie(x, y), once.gradient));
    agree(h(std::tie(x, y), std::tie(std::get<1>(r.gradient), dy)), hvp(waves, std::tie(x, y), std::tie(std::get<1>(once.gradient), dy)));
}

BOOST_AUTO_TEST_CASE(conversions) {
    auto cube = [](auto const& a) { return a * a * a; };
    auto h = prepare_hvp(cube, 2.0);
    BOOST_TEST(std::get<0>(h(2, 1).product) == 12.0);
    BOOST_TEST(std::get<0>(h(2.0, 1).product) == 12.0);
    auto squares = [](auto const& a) { return sum(a * a * a); };
    auto of_array = prepare_hvp(squares, x);
    BOOST_TEST((std::get<0>(of_array(2.0 * x, dx).product) == vector(12.0 * x * dx)));
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated) {
    auto h = prepare_hvp(waves, x, y);
    h(std::tie(x, y), std::tie(dx, dy));
    auto const before = allocations;
    h(std::tie(x, y), std::tie(dy, dx));
    h(std::tie(y, x), std::tie(dx, dy));
    BOOST_TEST(allocations - before == 0u);

    auto of_layers = [](auto const& all, auto const& v) {
        number_like<decltype(v)> s = 0.0;
        for (auto const& l : all) s = s + sum(tanh(l.weight * v + l.bias));
        return s;
    };
    std::vector<layer> const layers(2, layer{{{0.1, 0.2, 0.3}, {-0.2, 0.4, 0.1}}, 0.2});
    auto const dlayers = zero_tangent(layers);
    auto g = prepare_hvp(of_layers, layers, x);
    g(std::tie(layers, x), std::tie(dlayers, dx));
    auto const since = allocations;
    g(std::tie(layers, x), std::tie(dlayers, dx));
    BOOST_TEST(allocations - since == 0u);
    BOOST_TEST(h.workspace_bytes() != 0u);
    h.release_workspace();
    BOOST_TEST(h.workspace_bytes() == 0u);
    agree(h(std::tie(x, y), std::tie(dx, dy)), hvp(waves, std::tie(x, y), std::tie(dx, dy)));
}

BOOST_AUTO_TEST_CASE(what_goes_wrong_is_said_and_leaves_it_usable) {
    auto h = prepare_hvp(waves, x, y);
    BOOST_CHECK_EXCEPTION(h(std::tie(x, y), std::tuple(dx, vector{1.0})), std::invalid_argument, says("E208"));
    BOOST_CHECK_THROW(h(std::tuple(x, vector{1.0, 2.0}), std::tuple(dx, vector{1.0, 0.0})), std::invalid_argument);
    agree(h(std::tie(x, y), std::tie(dx, dy)), hvp(waves, std::tie(x, y), std::tie(dx, dy)));

    auto copy = h;
    BOOST_TEST(copy.workspace_bytes() == 0u);
    auto moved = std::move(h);
    BOOST_CHECK_EXCEPTION(h(std::tie(x, y), std::tie(dx, dy)), std::logic_error, says("E212"));
    agree(copy(std::tie(x, y), std::tie(dx, dy)), moved(std::tie(x, y), std::tie(dx, dy)));
    h = std::move(moved);
    agree(copy(std::tie(x, y), std::tie(dx, dy)), h(std::tie(x, y), std::tie(dx, dy)));

    std::function<double(double)> again;
    auto inside = prepare_hvp([&](auto const& a) { auto b = a * a; return b * (again ? again(2.0) : 1.0); }, 3.0);
    again = [&](double a) { return inside(a, 1.0).value; };
    BOOST_CHECK_EXCEPTION(inside(3.0, 1.0), std::logic_error, says("E222"));
    again = nullptr;
    BOOST_TEST(std::get<0>(inside(3.0, 1.0).product) == 2.0);
}
// As far as the arguments go, too, and for a gradient.
BOOST_AUTO_TEST_CASE(arguments_that_the_call_before_gave) {
    auto const f = [](auto const& v) { return sum(sin(v) * v) * v(0); };
    auto h = prepare_hvp(f, x);
    h(x, dx);
    vector const g1 = std::get<0>(h(x, dx).gradient), p1 = std::get<0>(h(x, dx).product);
    auto const expected = hvp(f, g1, p1);
    auto& r = h(x, dx);
    agree(h(std::get<0>(r.gradient), std::get<0>(r.product)), expected);
    auto& again = h(x, dx);
    agree(h(std::get<0>(again.gradient), p1), expected);

    auto g = prepare_gradient(f, x);
    auto& first = g(x);
    auto const second = value_and_gradient(f, vector(std::get<0>(first.gradient)));
    auto const& overwritten = g(std::get<0>(first.gradient));
    BOOST_TEST(overwritten.value == second.value);
    BOOST_TEST(std::get<0>(overwritten.gradient) == std::get<0>(second.gradient));

    auto const weighted = [](auto const& a, auto const& b) { return sum(sin(a) * b * b); };
    auto by_constant = prepare_gradient(weighted, x, constant(y));
    auto& before = by_constant(x, constant(y));
    vector const first_gradient = std::get<0>(before.gradient);
    BOOST_TEST(std::get<0>(by_constant(x, constant(std::get<0>(before.gradient))).gradient) == std::get<0>(gradient(weighted, x, constant(first_gradient))));

    auto of_layer = [](auto const& w, auto const& v) { return sum(tanh(w * v)); };
    layer const l{{{0.1, 0.2, 0.3}, {-0.2, 0.4, 0.1}}, 0.2};
    auto gradient_of_layer = prepare_gradient([&](auto const& k, auto const& v) { return of_layer(k.weight, v) * k.bias; }, l, x);
    auto gradient_of_weight = value_and_gradient([&](auto const& k, auto const& v) { return of_layer(k.weight, v) * k.bias; }, l, x);
    auto& gl = gradient_of_layer(l, x);
    vector const v2 = std::get<1>(gl.gradient);
    auto const direct = value_and_gradient([&](auto const& k, auto const& v) { return of_layer(k.weight, v) * k.bias; }, l, v2);
    BOOST_TEST(std::get<1>(gl.gradient) == std::get<1>(gradient_of_weight.gradient));
    auto& next = gradient_of_layer(l, std::get<1>(gl.gradient));
    BOOST_TEST(next.value == direct.value);
    BOOST_TEST(std::get<1>(next.gradient) == std::get<1>(direct.gradient));
    BOOST_TEST(std::get<1>(gradient_of_layer(l, std::get<1>(next.gradient)).gradient) ==
               std::get<1>(value_and_gradient([&](auto const& k, auto const& v) { return of_layer(k.weight, v) * k.bias; }, l,
                                              vector(std::get<1>(direct.gradient))).gradient));
}
BOOST_AUTO_TEST_CASE(one_object_as_two_arguments) {
    auto const p = std::make_shared<double>(2.0);
    auto const dp = std::make_shared<double>(1.0);
    auto const f = [](auto const& a, auto const& b) { return *a * *a * *b; };
    auto const r = hvp(f, std::tuple(p, p), std::tuple(dp, dp));
    BOOST_TEST(*std::get<0>(r.gradient) == 12.0);
    BOOST_TEST(std::get<1>(r.gradient) == std::get<0>(r.gradient));
    BOOST_TEST(*std::get<0>(r.product) == 12.0);
    BOOST_TEST(std::get<1>(r.product) == std::get<0>(r.product));
    auto h = prepare_hvp(f, p, p);
    auto const other = std::make_shared<double>(3.0);
    agree(h(std::tuple(p, other), std::tuple(dp, dp)), hvp(f, std::tuple(p, other), std::tuple(dp, dp)));
    auto const& s = h(std::tuple(p, p), std::tuple(dp, dp));
    BOOST_TEST(*std::get<1>(s.product) == 12.0);
    BOOST_TEST(std::get<1>(s.product) == std::get<0>(s.product));
}
BOOST_AUTO_TEST_CASE(what_cannot_be_copied) {
    auto const f = [](auto const& n) { return n.bias * n.bias * *n.weight; };
    weight_of_its_own const n{1.5, std::make_unique<double>(2.0)};
    auto along = zero_tangent(n);
    along.bias = 0.5;
    auto h = prepare_hvp(f, n);
    auto& r = h(n, along);
    BOOST_TEST((std::get<0>(r.product).bias == 2.0 && *std::get<0>(r.product).weight == 1.5));
    auto const& second = h(n, std::get<0>(r.product));
    BOOST_TEST((std::get<0>(second.product).bias == 2.0 * 2.0 * 2.0 + 2.0 * 1.5 * 1.5 && *std::get<0>(second.product).weight == 2.0 * 1.5 * 2.0));
}
