// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    xt::noalias(x) = x + 1.0;
    return sum(x);
#else
    xgrad::variable y = x;
    xt::noalias(y) = x + 1.0;
    return sum(y);
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
