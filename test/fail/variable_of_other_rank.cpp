// error: xgrad[E024]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { xgrad::variable<vector> v = x * 2.0; return sum(v); };
auto bad = [](auto const& x) { xgrad::variable<double> v = x * 2.0; return v; };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
