// error: xgrad[E061]
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
xt::xtensor<double, 1> const line{1.0, 2.0};
xt::xtensor<double, 3> const cube = xt::ones<double>({1, 1, 2});
auto good = [](auto const& x) { return sum(average(x, line, 1)); };
auto bad = [](auto const& x) { return sum(average(x, cube, 1)); };

int main() {
    (void)xgrad::gradient(good, matrix{{1.0, 2.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, matrix{{1.0, 2.0}});
#endif
}
