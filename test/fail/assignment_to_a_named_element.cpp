// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable u = x;
    auto r = xt::view(u, 1);
    auto e = r(0);
#ifdef XGRAD_MUST_FAIL
    e = 2.0;
#else
    r(0) = 2.0 * e;
#endif
    return sum(u * u) + sum(r);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}, {3.0, 4.0}});
