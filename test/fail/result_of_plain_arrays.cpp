// error: xgrad[E148]
#include <xgrad/xgrad.hpp>

xt::xtensor<double, 1> const weights{0.5, 1.5};
auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return xt::sum(weights * weights);
#else
    return sum(x * weights);
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
