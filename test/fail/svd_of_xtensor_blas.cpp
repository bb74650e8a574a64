// error: xgrad[E147]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    auto const [u, s, v] = xt::linalg::svd(x);
#else
    auto const [u, s, v] = xt::linalg::svd(x, false);
#endif
    return sum(s);
};
int main() { (void)xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}, {3.0, 5.0}}); }
