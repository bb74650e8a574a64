// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;

matrix f(matrix const& x) {
    return std::get<0>(xgrad::gradient([](auto const& a) { return sum(view(a, 0) * view(a, 1)) + a(1, 1); }, x));
}
