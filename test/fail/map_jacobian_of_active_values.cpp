// error: xgrad[E167]
#include <xgrad/map_jacobian.hpp>
#include <xgrad/xgrad.hpp>

auto square = [](auto const& a) -> xgrad::real { return a * a; };
auto good = [](auto const& x) { return sum(xgrad::map(square, xgrad::each(x))); };
auto bad = [](auto const& x) {
    (void)xgrad::map_jacobian(square, xgrad::each(x));
    return sum(x);
};

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    (void)xgrad::gradient(good, x);
    (void)xgrad::map_jacobian(square, xgrad::each(x));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, x);
#endif
}
