// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;

matrix f(matrix const& x) {
    return std::get<0>(xgrad::gradient([](auto const& a) { return sum(square(a - mean(a, {0}))); }, x));
}
