// error: xgrad[E065]: diagonal\(x\) requires an array of at least 2 dimensions
#include <xgrad/shape.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return sum(diagonal(x)); };
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0}});
#ifdef XGRAD_MUST_FAIL
auto h = xgrad::gradient(f, xt::xtensor<double, 1>{1.0});
#endif
