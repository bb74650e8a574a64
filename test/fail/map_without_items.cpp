// error: xgrad[E163]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::map([](auto const& a) -> xgrad::real { return a * a; }, xgrad::each(x))); };
auto bad = [](auto const& x) { return sum(xgrad::map([](auto const& a) -> xgrad::real { return a(0) * a(0); }, x)); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
