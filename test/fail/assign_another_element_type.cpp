// error: xgrad[E029]
#include <complex>
#include <xgrad/assign.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
auto good = [](auto const& x, auto const& z) { auto g = assign(x, real(z * z)); return sum(x); };
auto bad = [](auto const& x, auto const& z) { auto g = assign(x, z * z); return sum(x); };

int main() {
    std::complex<double> const z(2.0, 1.0);
    (void)xgrad::gradient(good, vector{1.0}, z);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0}, z);
#endif
}
