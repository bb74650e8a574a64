// Structs with a static template call(self, x...): the object is an argument, and the gradient begins with its tangent.
#include <tuple>
#include <vector>

#include "along_directions.hpp"

using xgrad::variable;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct layer {
    matrix W;
    vector b;
    int used = 1;

    template <class Self, class X>
    static auto call(Self const& self, X const& x) {
        auto h = tanh(sum(self.W * x, 1) + self.b);
        return sum(h * h) * self.used;
    }
};
XGRAD_REFLECT(layer, W, b, used)

// A plain class for callers, and a body for its mirrors.
struct network {
    std::vector<layer> layers;
    double scale = 1;

    template <class Self, class X>
    static xgrad::real call(Self const& self, X const& x, double power) {
        variable s = 1.0;
        for (auto const& l : self.layers) s = s * layer::call(l, x);
        return pow(s, power) * self.scale;
    }
    template <class X>
    auto operator()(X const& x, double power) const {
        return call(*this, x, power);
    }
};
XGRAD_REFLECT(network, layers, scale)

// These are functions: only what they are called with is differentiated.
struct functor {
    double factor;
    template <class X>
    auto operator()(X const& x) const {
        return x * factor;
    }
};
XGRAD_REFLECT(functor, factor)
struct not_for_numbers {
    double factor;
    template <class Self>
    static auto call(Self const& self) {
        return self.factor;
    }
    template <class X>
    auto operator()(X const& x) const {
        return x * factor;
    }
};
XGRAD_REFLECT(not_for_numbers, factor)
struct without_fields_to_differentiate {
    int n;
    template <class Self, class X>
    static auto call(Self const& self, X const& x) {
        return x * self.n;
    }
    template <class X>
    auto operator()(X const& x) const {
        return call(*this, x);
    }
};
XGRAD_REFLECT(without_fields_to_differentiate, n)

layer const l0{{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {0.7, 0.8}, 2};
auto const plain = [](layer const& l, vector const& x) {
    vector h = xt::tanh(xt::sum(l.W * x, {1}) + l.b);
    return xt::sum(h * h)() * l.used;
};

}

BOOST_AUTO_TEST_CASE(the_object_is_the_first_argument) {
    vector const x{1, 2, 3};
    auto const as_function = [](auto const& l, auto const& y) { return layer::call(l, y); };
    arguments::agree(as_function, plain, l0, x);
    auto const [expected, expected_x] = xgrad::gradient(as_function, l0, x);
    auto [value, g] = xgrad::value_and_gradient(l0, x);
    static_assert(std::is_same_v<decltype(g), std::tuple<xgrad::tangent<layer>, vector>>);
    BOOST_CHECK_CLOSE(value, plain(l0, x), 1e-12);
    BOOST_CHECK(std::get<0>(g).W == expected.W);
    BOOST_CHECK(std::get<1>(g) == expected_x);
    BOOST_CHECK_EQUAL(xgrad::value(l0, x), value);
    BOOST_CHECK(std::get<0>(xgrad::gradient(l0, xgrad::constant(x))).b == expected.b);
    static_assert(std::is_same_v<std::tuple_element_t<1, decltype(xgrad::gradient(l0, xgrad::constant(x)))>, xgrad::no_tangent>);
    BOOST_CHECK_EQUAL(xgrad::add_gradient(g, l0, x), value);
    BOOST_CHECK(std::get<0>(g).W == 2 * expected.W);
    auto prepared = xgrad::prepare_gradient(l0, x);
    layer other = l0;
    other.b(0) = 0;
    BOOST_CHECK_EQUAL(prepared(l0, x).value, value);
    BOOST_CHECK_CLOSE(prepared(other, x).value, plain(other, x), 1e-12);
}

BOOST_AUTO_TEST_CASE(a_nest_with_a_declared_result) {
    network const n{{l0, l0}, 0.5};
    vector const x{1, 2, 3};
    auto const [value, g] = xgrad::value_and_gradient(n, x, xgrad::constant(1.5));
    BOOST_CHECK_CLOSE(value, std::pow(plain(l0, x), 3.0) * 0.5, 1e-9);
    BOOST_CHECK_CLOSE(std::get<0>(g).scale, value * 2, 1e-9);
    auto const [of_layer, of_x] = xgrad::gradient(l0, x);
    BOOST_CHECK_CLOSE(std::get<0>(g).layers[1].b(1), 1.5 * value / plain(l0, x) * of_layer.b(1), 1e-9);
    BOOST_CHECK_CLOSE(std::get<1>(g)(2), 3 * value / plain(l0, x) * of_x(2), 1e-9);
}

BOOST_AUTO_TEST_CASE(functions_stay_functions) {
    BOOST_CHECK(xgrad::gradient(functor{2}, 5.0) == std::tuple(2.0));
    BOOST_CHECK(xgrad::gradient(not_for_numbers{2}, 5.0) == std::tuple(2.0));
    BOOST_CHECK(xgrad::gradient(without_fields_to_differentiate{2}, 5.0) == std::tuple(2.0));
    BOOST_CHECK(std::get<0>(xgrad::gradient(not_for_numbers{2})).factor == 1.0);
}
