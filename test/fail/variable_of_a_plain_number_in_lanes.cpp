// error: xgrad[E191]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& a) -> xgrad::real {
#ifdef XGRAD_MUST_FAIL
    xgrad::variable s = 0.0;
#else
    xgrad::number_like<decltype(a)> s = 0.0;
#endif
    for (int k = 0; k < 3; ++k) s += a * a;
    return s;
};
auto g = xgrad::gradient([](auto const& x) { return sum(xgrad::map(f, xgrad::each(x))); }, xt::xtensor<double, 1>{1.0, 2.0, 3.0});
