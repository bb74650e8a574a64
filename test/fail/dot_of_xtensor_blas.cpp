// error: xgrad[E147]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return xt::linalg::dot(x, x);
#else
    return sum(x * x);
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
