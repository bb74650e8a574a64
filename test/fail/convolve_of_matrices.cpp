// error: xgrad[E113]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
auto f = [](auto const& x) { return sum(xgrad::convolve(x, x)); };

int main() {
    (void)xgrad::gradient(f, vector{1.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, matrix{{1.0}});
#endif
}
