// error: xgrad[E166]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::map([](auto const& r) { return sum(r * r); }, xgrad::each<2>(x))); };
auto bad = [](auto const& x) { return sum(xgrad::map([](auto const& r) { return r * r; }, xgrad::each<2>(x))); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 2>{{1.0, 2.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 2>{{1.0, 2.0}});
#endif
}
