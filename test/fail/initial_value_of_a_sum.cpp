// error: xgrad[E071]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { return sum(sum(x, xt::keep_dims | xt::evaluation_strategy::immediate)); };
auto bad = [](auto const& x) { return sum(x, xt::initial(2.0)); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
