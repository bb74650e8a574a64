// error: xgrad[E114]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
using lines = xt::xtensor<double, 3>;
auto f = [](auto const& x) { return sum(xgrad::conv1d(x, x)); };

int main() {
    (void)xgrad::gradient(f, lines{{{1.0}}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, matrix{{1.0}});
#endif
}
