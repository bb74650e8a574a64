// error: xgrad[E152]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;

int main() {
    (void)xgrad::gradient([](auto const& x) { return sum(interp(x, xgrad::primal(x), x)); }, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return sum(interp(x, x, x)); }, vector{1.0, 2.0});
#endif
}
