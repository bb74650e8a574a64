// error: xgrad[E103]
#include <xgrad/xgrad.hpp>

#include <complex>

std::complex<double> const z(1.0, 2.0);
xt::xtensor<std::complex<double>, 1> const many{z, z};
auto good = [](auto const& x) { return abs(exp(x)); };
auto bad = [](auto const& x) { return abs(floor(x)); };

int main() {
    (void)xgrad::gradient(good, z);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, z);
#endif
}
