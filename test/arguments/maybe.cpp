// Arguments that may be there or not, or be one of several: std::optional and std::variant.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "along_directions.hpp"

using arguments::agree;
using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;

struct layer {
    vector W;
    std::optional<vector> bias;
    double scale = 1;
    std::string name;
};
XGRAD_REFLECT(layer, W, bias, scale, name)

using either = std::variant<int, double, layer, std::string>;

auto const of_layer = ARGUMENTS_BOTH_MODES((auto const& l),
    auto h = l.W * l.scale;
    if (l.bias) return variable(sum(h * h * *l.bias) * double(l.name.size()));
    return variable(sum(h * h));
);
auto const plain_of_layer = [](layer const& l) {
    vector h = l.W * l.scale;
    return l.bias ? xt::sum(h * h * *l.bias)() * double(l.name.size()) : xt::sum(h * h)();
};
auto const of_optional = ARGUMENTS_BOTH_MODES((auto const& o, auto const& x), if (o) return variable(*o * x * x); return variable(x););
auto const plain_of_optional = [](std::optional<double> const& o, double x) { return o ? *o * x * x : x; };

template <class... F>
struct overload : F... {
    using F::operator()...;
};
template <class... F>
overload(F...) -> overload<F...>;
// What is in a variant without a tangent is a copy.
auto const of_either = [](auto const& x, auto const& k) {
    return std::visit(overload{[&](int const& n) { return variable(k * double(n)); },
                               [&](std::string const& s) { return variable(k * double(s.size())); },
                               [&](auto const& y) {
                                   if constexpr (xgrad::mirror<decltype(y)>) return variable(sum(y.W) * y.scale * k);
                                   else return variable(y * y * k);
                               }},
                      x);
};
auto const plain_of_either = [](either const& x, double k) {
    return std::visit(overload{[&](int n) { return k * n; }, [&](std::string const& s) { return k * double(s.size()); },
                               [&](layer const& l) { return xt::sum(l.W)() * l.scale * k; }, [&](double y) { return y * y * k; }},
                      x);
};
layer const full{{1, 2}, vector{3, 4}, 0.5, "full"}, bare{{1, 2, 3}, {}, 0.5, "bare"};

}

BOOST_AUTO_TEST_CASE(optionals) {
    agree(of_optional, plain_of_optional, std::optional(2.0), 3.0);
    agree(of_optional, plain_of_optional, std::optional<double>(), 3.0);
    agree(of_layer, plain_of_layer, full);
    agree(of_layer, plain_of_layer, bare);
    auto const of_whole = [](auto const& o) { return o ? variable(sum(o->W) * o->scale + sum(*o->bias)) : variable(1.0); };
    auto const plain_of_whole = [](std::optional<layer> const& o) { return o ? xt::sum(o->W)() * o->scale + xt::sum(*o->bias)() : 1.0; };
    agree(of_whole, plain_of_whole, std::optional(full));
    agree(of_whole, plain_of_whole, std::optional<layer>());
    agree([](auto const& v) { return v[1] ? v[0].value() * *v[1] : variable(v[0].value()); },
          [](auto const& v) { return *v[0] * *v[1]; }, std::vector<std::optional<double>>{2.0, 3.0, std::nullopt});
    auto const [g] = xgrad::gradient(of_layer.first, bare);
    static_assert(std::is_same_v<decltype(g.bias), std::optional<vector>>);
    BOOST_CHECK(!g.bias);
    BOOST_CHECK(!std::get<0>(xgrad::gradient(of_optional.first, std::optional<double>(), 3.0)));
}

BOOST_AUTO_TEST_CASE(variants) {
    for (either const& x : {either(3), either(2.0), either(full), either(bare), either("text")}) agree(of_either, plain_of_either, x, 1.5);
    agree([](auto const& x) { return std::get<1>(x).scale * std::holds_alternative<int>(x); }, [](auto const&) { return 0.0; }, std::variant<int, layer>(full));
    auto const [g, h] = xgrad::gradient(of_either, either(full), 1.5);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, std::variant<xgrad::no_tangent, double, xgrad::tangent<layer>, xgrad::no_tangent>>);
    BOOST_CHECK_EQUAL(g.index(), 2u);
    BOOST_CHECK_EQUAL(h, 1.5);
}

BOOST_AUTO_TEST_CASE(the_form_changes_between_calls) {
    auto g = xgrad::prepare_gradient(of_layer.first, full);
    for (auto const& l : {full, bare, full, bare, bare, full}) {
        auto const& [gradient] = g(l).gradient;
        auto const [fresh] = xgrad::gradient(of_layer.first, l);
        BOOST_CHECK(gradient.W == fresh.W);
        BOOST_CHECK(gradient.bias == fresh.bias);
        BOOST_CHECK_EQUAL(gradient.scale, fresh.scale);
    }
    auto e = xgrad::prepare_gradient(of_either, either(1), 1.0);
    for (either const& x : {either(3), either(2.0), either(full), either(bare), either("text"), either(4.0)}) {
        auto const& [value, gradient] = e(x, 2.0);
        BOOST_CHECK_EQUAL(value, plain_of_either(x, 2.0));
        BOOST_CHECK_EQUAL(std::get<0>(gradient).index(), x.index());
    }
    BOOST_CHECK_EQUAL(std::get<double>(std::get<0>(e(either(4.0), 2.0).gradient)), 16.0);
}

BOOST_AUTO_TEST_CASE(gradients_of_other_forms_are_refused) {
    std::tuple g{std::optional<double>(), 7.0};
    arguments::refuses("forms", g, of_optional.first, std::optional(2.0), 3.0);
    BOOST_CHECK_EQUAL(std::get<1>(g), 7.0);
    std::tuple<xgrad::tangent_type_t<either>, double> h{1.0, 7.0};
    arguments::refuses("alternatives", h, of_either, either(full), 3.0);
    BOOST_CHECK_EQUAL(std::get<double>(std::get<0>(h)), 1.0);
    std::tuple k{xgrad::zero_tangent(full)};
    arguments::refuses("forms", k, of_layer.first, [] { auto l = full; l.bias.reset(); return l; }());
}
