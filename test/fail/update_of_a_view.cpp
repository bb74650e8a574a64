// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    auto y = x * 2.0;
#else
    xgrad::variable y = x * 2.0;
#endif
    view(y, xt::range(0, 1)) += 1.0;
    return sum(y);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
