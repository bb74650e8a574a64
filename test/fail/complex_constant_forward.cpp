// error: xgrad[E105]
#include <xgrad/xgrad.hpp>

#include <complex>

std::complex<double> const z(1.0, 2.0);
xt::xtensor<std::complex<double>, 1> const many{z, z};
auto good = [](auto const& x) { return real(x * z); };
auto bad = [](auto const& x) { return real(x * z); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::derivative(bad, 2.0);
#endif
}
