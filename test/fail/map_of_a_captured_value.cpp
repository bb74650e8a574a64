// error: xgrad[E160]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x, auto const& s) { return sum(xgrad::map([](auto const& a, auto const& b) -> xgrad::real { return a * b; }, xgrad::each(x), s)); };
auto bad = [](auto const& x, auto const& s) { return sum(xgrad::map([&](auto const& a) -> xgrad::real { return a * s; }, xgrad::each(x))); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0}, 3.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0}, 3.0);
#endif
}
