// error: xgrad[E054]: derivative\(f, x\) requires a plain x inside a function that the reverse mode differentiates
#include <xgrad/xgrad.hpp>

auto slope = [](auto const& x) { return xgrad::derivative([](auto const& t) { return t * t * t; }, x); };
#ifdef XGRAD_MUST_FAIL
auto second = xgrad::gradient(slope, 2.0);
#else
auto second = xgrad::derivative(slope, 2.0);
#endif
