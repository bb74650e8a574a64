// error: xgrad[E147]
#ifndef XGRAD_MUST_FAIL
#include <xgrad/linalg.hpp>
#endif
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return xt::linalg::dot(x, x); };
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
