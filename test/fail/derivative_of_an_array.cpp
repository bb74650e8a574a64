// error: xgrad[E120]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return sum(x * x); };
#ifdef XGRAD_MUST_FAIL
auto y = xgrad::derivative(f, xt::xtensor<double, 1>{1.0, 2.0});
#else
auto y = xgrad::derivative(f, 1.0);
#endif
