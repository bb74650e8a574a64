// error: xgrad[E108]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return xt::sum<double>(x); };
auto bad = [](auto const& x) { return xt::sum<float>(x); };

int main() {
    xt::xtensor<double, 1> const x = {1.0, 2.0};
    (void)xgrad::gradient(good, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, x);
#endif
}
