// error: xgrad[E126]
#include <complex>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& z) { xgrad::variable<double> v = real(z * z); return v * v; };
auto bad = [](auto const& z) { xgrad::variable<double> v = z * z; return v * v; };

int main() {
    (void)xgrad::gradient(good, std::complex<double>(2.0, 1.0));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, std::complex<double>(2.0, 1.0));
#endif
}
