// error: xgrad[E069]: take\(x, indices\) requires an array
#include <xgrad/index.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return sum(take(x(0), {0, 0}, 0));
#else
    return sum(take(x, {0, 0}, 0));
#endif
};
auto g = xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
