// error: xgrad[E141]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    auto y = x * x;
#else
    xgrad::variable y = x * x;
#endif
    xt::noalias(y) = x + 1.0;
    return sum(y);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
