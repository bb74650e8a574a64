// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    xgrad::variable const u = x * 2.0;
#else
    xgrad::variable u = x * 2.0;
#endif
    u(0) = 1.0;
    return sum(u * x);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
