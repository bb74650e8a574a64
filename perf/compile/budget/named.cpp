// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

vector f(vector const& x, vector const& y) {
    return std::get<0>(xgrad::gradient([](auto const& a, auto const& b) {
        auto e = exp(a * b);
        auto l = log(1.0 + e);
        return sum(l * e);
    }, x, y));
}
