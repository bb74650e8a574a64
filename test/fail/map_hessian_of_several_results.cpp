// error: xgrad[E168]
#include <xgrad/map_jacobian.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& a) -> xgrad::real { return a * a * a; };
auto bad = [](auto const& a) { return std::tuple(a * a, a * a * a); };

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    (void)xgrad::map_hessian(good, xgrad::each(x));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::map_hessian(bad, xgrad::each(x));
#endif
}
