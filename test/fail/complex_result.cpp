// error: xgrad[E104]
#include <xgrad/xgrad.hpp>

#include <complex>

std::complex<double> const z(1.0, 2.0);
xt::xtensor<std::complex<double>, 1> const many{z, z};
auto good = [](auto const& x) { return real(x * x); };
auto bad = [](auto const& x) { return x * x; };

int main() {
    (void)xgrad::gradient(good, z);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, z);
#endif
}
