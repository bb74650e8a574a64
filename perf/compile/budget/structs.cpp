// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

struct layer {
    xt::xtensor<double, 1> weight;
    double bias;
    int epochs;
};
XGRAD_REFLECT(layer, weight, bias, epochs)

xgrad::tangent<layer> f(layer const& l, xt::xtensor<double, 1> const& x) {
    return std::get<0>(xgrad::gradient([](auto const& m, auto const& v) { return sum(m.weight * v) * m.bias; }, l, xgrad::constant(x)));
}
