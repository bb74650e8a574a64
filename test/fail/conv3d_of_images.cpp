// error: xgrad[E114]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using images = xt::xtensor<double, 4>;
using volumes = xt::xtensor<double, 5>;
auto f = [](auto const& x) { return sum(xgrad::conv3d(x, x)); };

int main() {
    (void)xgrad::gradient(f, volumes{{{{{1.0}}}}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, images{{{{1.0}}}});
#endif
}
