// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

double f(double x, double y) {
    return std::get<0>(xgrad::gradient([](auto const& a, auto const& b) {
        xgrad::variable s = a;
        for (int i = 0; i < 10; ++i) s = s * b + a;
        return s;
    }, x, y));
}
