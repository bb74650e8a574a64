// error: xgrad\[E049\]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    auto s = x(0) * 2.0;
#else
    xgrad::variable s = x(0) * 2.0;
#endif
    s += x(1);
    return s * 1.0;
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
