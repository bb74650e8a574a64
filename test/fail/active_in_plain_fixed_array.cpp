// error: xgrad[E021]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor_fixed<double, xt::xshape<3>>;
auto good = [](auto const& x) { auto y = x * 2.0; return sum(y); };
auto bad = [](auto const& x) { vector y = x * 2.0; return sum(x); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0, 3.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0, 3.0});
#endif
}
