// error: xgrad[E155]: a \^ b
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return x ^ 2;
#else
    return pow(x, 2);
#endif
};
auto g = xgrad::gradient(f, 2.5);
