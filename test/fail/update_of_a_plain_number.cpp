// error: xgrad\[E049\]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    double s = 0.0;
#else
    xgrad::variable s = 0.0;
#endif
    for (std::size_t i = 0; i < x.size(); ++i) s += x(i) * x(i);
    return x(0) * s;
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
