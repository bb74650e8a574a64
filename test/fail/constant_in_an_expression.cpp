// error: xgrad[E189]
#include <xgrad/xgrad.hpp>

xt::xtensor<double, 1> const y{1.0, 2.0};
auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return sum(x * xgrad::constant(y));
#else
    return sum(x * y);
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{3.0, 4.0});
