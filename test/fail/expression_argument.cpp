// error: xgrad[E048]: gradient\(f, x...\) requires arrays, but one argument is an xtensor expression
#include <xgrad/xgrad.hpp>

xt::xtensor<double, 1> const x{1.0, 2.0};
#ifdef XGRAD_MUST_FAIL
auto g = xgrad::gradient([](auto const& y) { return sum(y * y); }, 2.0 * x);
#else
auto g = xgrad::gradient([](auto const& y) { return sum(y * y); }, xt::eval(2.0 * x));
#endif
