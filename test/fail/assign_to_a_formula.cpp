// error: xgrad[E046]: assign\(x, y\) requires for x an array argument
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    auto h = x * 2.0;
    auto g = assign(h, x);
#else
    auto g = assign(x, x * 2.0);
#endif
    return sum(x);
};

auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0});
