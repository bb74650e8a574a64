// error: xgrad[E027]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return x == x && equal(x, 1.0)(0) ? xgrad::variable(sum(x)) : xgrad::variable(0.0); };
auto bad = [](auto const& x) { return x == 1.0 ? xgrad::variable(sum(x)) : xgrad::variable(0.0); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
