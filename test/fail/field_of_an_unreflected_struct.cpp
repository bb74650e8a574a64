// error: xgrad[E145]
#include <xgrad/xgrad.hpp>

struct point { double x, y; };
#ifndef XGRAD_MUST_FAIL
XGRAD_REFLECT(point, x, y)
#endif

auto g = xgrad::gradient([](auto const& p) { return p.x * p.y; }, point{1.0, 2.0});
