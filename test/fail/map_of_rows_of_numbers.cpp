// error: xgrad[E161]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto first = [](auto const& r) -> xgrad::real { return r(0) * 2.0; };
auto good = [](auto const& x) { return sum(xgrad::map(first, xgrad::each(x))) + sum(xgrad::map(first, xgrad::each<2>(x))); };
auto bad = [](auto const& x) { return sum(xgrad::map(first, xgrad::each<2>(x))); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 2>{{1.0, 2.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
