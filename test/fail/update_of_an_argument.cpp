// error: xgrad[E049]
#include <xgrad/xgrad.hpp>

auto f = [](auto x) {
#ifdef XGRAD_MUST_FAIL
    x += 1.0;
    return x * x;
#else
    xgrad::variable s = x;
    s += 1.0;
    return s * s;
#endif
};
auto g = xgrad::gradient(f, 2.0);
