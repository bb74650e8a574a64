// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

double f(double x, double y) {
    return std::get<0>(xgrad::gradient([](auto const& a, auto const& b) { return sin(a * b) + exp(a) / b; }, x, y));
}
