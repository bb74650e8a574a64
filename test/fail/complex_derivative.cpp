// error: xgrad[E116]
#include <xgrad/xgrad.hpp>

#include <complex>

std::complex<double> const z(1.0, 2.0);
auto good = [](auto const& x) { return exp(x); };
auto bad = [](auto const& x) { return abs(x); };

int main() {
    (void)xgrad::derivative(good, z);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::derivative(bad, z);
#endif
}
