// error: xgrad[E062]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return sum(softmax(x) * x); };
auto bad = [](auto const& x) { return softmax(x(0)); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
