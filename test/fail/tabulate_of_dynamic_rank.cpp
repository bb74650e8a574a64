// error: xgrad[E169]
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

auto square = [](auto i, auto const& v) -> xgrad::real { return v(i) * v(i); };
auto f = [](auto const& x) { return sum(xgrad::tabulate(2, square, x)); };

int main() {
    (void)xgrad::gradient(f, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, xt::xarray<double>{1.0, 2.0});
#endif
}
