// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

vector f(vector const& x, vector const& xdot) {
    return std::get<0>(xgrad::hvp([](auto const& a) { return sum(log(1.0 + exp(a)) * tanh(a)); }, x, xdot).product);
}
