// error: xgrad[E155]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return x % 2.0;
#else
    return fmod(x, 2.0);
#endif
};
auto g = xgrad::gradient(f, 2.5);
