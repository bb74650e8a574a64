// error: xgrad[E114]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
using images = xt::xtensor<double, 4>;
auto f = [](auto const& x) { return sum(xgrad::conv2d(x, x)); };

int main() {
    (void)xgrad::gradient(f, images{{{{1.0}}}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, matrix{{1.0}});
#endif
}
