// error: xgrad[E024]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable u = x;
#ifdef XGRAD_MUST_FAIL
    u = 0.0;
#else
    u.fill(0.0);
#endif
    return sum(u * x);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
