// error: xgrad[E156]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    if (x > 0.0) return sum(x);
#else
    if (xt::all(x > 0.0)) return sum(x);
#endif
    return sum(x);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
