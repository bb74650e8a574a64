// One of ten typical functions: what its derivative costs to compile.
#include <xgrad/xgrad.hpp>

double f(double x, double y) {
    return std::get<0>(xgrad::gradient([](auto const& a, auto const& b) -> xgrad::real {
        auto p = a * b;
        auto q = sqrt(p) + a;
        return q * q * p;
    }, x, y));
}
