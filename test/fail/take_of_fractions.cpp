// error: xgrad[E068]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return sum(take(x, xt::xtensor<int, 1>{0, 1})); };
auto bad = [](auto const& x) { return sum(take(x, vector{0.0, 1.0})); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
