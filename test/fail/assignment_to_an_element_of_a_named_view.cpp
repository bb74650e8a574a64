// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    xgrad::variable u = x;
    auto r = xt::view(u, 1);
#ifdef XGRAD_MUST_FAIL
    r(0) = 2.0;
#else
    xt::view(u, 1)(0) = 2.0;
#endif
    return sum(u * u) + sum(r);
};
auto g = xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}, {3.0, 4.0}});
