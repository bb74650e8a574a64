// error: xgrad[E140]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return x(x(0));
#else
    return x(int(xgrad::primal(x(0))));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
