// error: xgrad[E067]
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto good = [](auto const& x) { return sum(diag(diagonal(x))); };
auto bad = [](auto const& x) { return sum(diag(x)); };

int main() {
    (void)xgrad::gradient(good, matrix{{1.0, 2.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, matrix{{1.0, 2.0}});
#endif
}
