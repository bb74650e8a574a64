// error: xgrad[E144]
#include <xgrad/xgrad.hpp>

struct point {
    double x, y;
    auto area() const { return x * y; }
};
XGRAD_REFLECT(point, x, y)

auto f = [](auto const& p) {
#ifdef XGRAD_MUST_FAIL
    return p.area();
#else
    return p.x * p.y;
#endif
};
auto g = xgrad::gradient(f, point{1.0, 2.0});
