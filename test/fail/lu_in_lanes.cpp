// error: xgrad[E190]
#include <xgrad/linalg.hpp>
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

xt::xtensor<double, 1> const x{1.0, 2.0};
xt::xtensor<double, 2> const m{{2.0, 1.0}, {1.0, 3.0}};
auto f = [](auto const& a, auto const& b)
#ifdef XGRAD_MUST_FAIL
    -> xgrad::real
#endif
{
    auto [p, l, u] = xgrad::lu(a * b);
    return sum(log(abs(xgrad::diagonal(u))));
};
auto g = xgrad::gradient([](auto const& a, auto const& b) { return sum(xgrad::map(f, xgrad::each(a), b)); }, x, m);
