// error: xgrad[E028]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return sum(view(x, xt::range(0, 2))); };
auto bad = [](auto const& x) { return sum(view(x, xt::keep(0, 2))); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0, 3.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0, 3.0});
#endif
}
