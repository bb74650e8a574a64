// error: xgrad[E023]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return x(0) * x(0);
#else
    return x() * x();
#endif
};
auto g = xgrad::gradient(f, 2.0);
