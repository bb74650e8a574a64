// error: xgrad[E106]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(select(xt::xtuple(x > 1.0, x > 0.0), xt::xtuple(x, 2.0 * x), 0.0)); };
auto bad = [](auto const& x) { return sum(select(xt::xtuple(x > 1.0, x > 0.0), xt::xtuple(x, 2.0 * x, 0.0), 1.0)); };

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    (void)xgrad::gradient(good, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, x);
#endif
}
