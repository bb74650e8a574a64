// error: xgrad[E165]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::map([](auto const& a) -> xgrad::real { return a * a; }, xgrad::each(x))); };
auto bad = [](auto const& x) { return sum(xgrad::map([](auto const& a, auto const& b) { return a * b; }, xgrad::each(x))); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
