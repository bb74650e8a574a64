// error: xgrad[E173]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::iterate(2, [](auto const& s) { return s * sum(s); }, x)); };
auto bad = [](auto const& x) { return (void)xgrad::iterate(2, [](auto const& s) -> xgrad::real { return sum(s); }, x), sum(x); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
