// error: xgrad[E049]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable u = x;
#ifdef XGRAD_MUST_FAIL
    exp(u) += 1.0;
#else
    u += 1.0;
#endif
    return sum(u);
};

auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0, 3.0});
