// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable y = x * 2.0;
#ifdef XGRAD_MUST_FAIL
    view(y, xt::range(0, 1)) += 1.0;
#else
    y += xt::xtensor<double, 1>{1.0, 0.0};
#endif
    return sum(y);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
