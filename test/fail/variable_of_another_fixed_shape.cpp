// error: xgrad[E024]
#include <xtensor/xfixed.hpp>
#include <xgrad/xgrad.hpp>

using three = xt::xtensor_fixed<double, xt::xshape<3>>;
using four = xt::xtensor_fixed<double, xt::xshape<4>>;
auto f = [](auto const& x, auto const& y) {
    xgrad::variable u = x;
#ifdef XGRAD_MUST_FAIL
    u = 2.0 * y;
#else
    u = 2.0 * x;
#endif
    return sum(u) + sum(y);
};
auto g = xgrad::gradient(f, three{1.0, 2.0, 3.0}, four{1.0, 2.0, 3.0, 4.0});
