// error: xgrad[E150]
#include <xgrad/special.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& n, auto const& x) { return xgrad::cyl_bessel_j(xgrad::stop_gradient(n), x); };
auto bad = [](auto const& n, auto const& x) { return xgrad::cyl_bessel_j(n, x); };

int main() {
    (void)xgrad::gradient(good, 1.0, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0, 2.0);
#endif
}
