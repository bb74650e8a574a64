// error: xgrad[E143]
#include <xgrad/xgrad.hpp>

struct point { double x, y; };
XGRAD_REFLECT(point, x, y)
[[maybe_unused]] point operator+(point const& a, point const& b) { return {a.x + b.x, a.y + b.y}; }

auto f = [](auto const& p) {
#ifdef XGRAD_MUST_FAIL
    auto q = p + p;
    return q.x * q.y;
#else
    return p.x * p.y;
#endif
};
auto g = xgrad::gradient(f, point{1.0, 2.0});
