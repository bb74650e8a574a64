// error: xgrad[E034]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { xgrad::sum_result total; total += sum(x); return total; };
auto bad = [](auto const& x) { xgrad::sum_result total; total += x; return total; };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
