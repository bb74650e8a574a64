// error: xgrad[E040]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using cube = xt::xtensor<double, 3>;
using matrix = xt::xtensor<double, 2>;
auto f = [](auto const& x) { return sum(xgrad::dot(x, x)); };

int main() {
    (void)xgrad::gradient(f, matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, cube{{{1.0}}});
#endif
}
