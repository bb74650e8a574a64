// error: xgrad[E063]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return sum(broadcast(x(0), {2, 2})); };
auto bad = [](auto const& x) { return sum(reshape(x(0), {1, 1})); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
