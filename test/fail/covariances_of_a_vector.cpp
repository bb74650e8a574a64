// error: xgrad[E151]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return sum(xgrad::cov(x)); };

int main() {
    (void)xgrad::gradient(f, xt::xtensor<double, 2>{{1.0, 2.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
