// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x) { vector y{0.0, 0.0}; y(0) = xgrad::primal(x(0)); return sum(x * y); };
auto bad = [](auto const& x) { vector y{0.0, 0.0}; y(0) = sin(x(0)); return sum(x * y); };

int main() {
    (void)xgrad::gradient(good, vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0, 2.0});
#endif
}
