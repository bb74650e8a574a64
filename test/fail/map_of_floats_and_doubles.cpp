// error: xgrad[E164]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto const& a, auto const& s) -> xgrad::real { return a * s; };
auto good = [](auto const& x, auto const& s) { return sum(xgrad::map(times, xgrad::each(x), 2.0)) * s; };
auto bad = [](auto const& x, auto const& s) { return sum(xgrad::map(times, xgrad::each(x), s)); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<float, 1>{1.0f, 2.0f}, 3.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<float, 1>{1.0f, 2.0f}, 3.0);
#endif
}
