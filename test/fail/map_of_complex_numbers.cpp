// error: xgrad[E192]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto squares = [](auto const& a, auto const& b) -> xgrad::real { return a * a + b * b; };
auto good = [](auto const& z) { return sum(xgrad::map(squares, xgrad::each(real(z)), xgrad::each(imag(z)))); };
auto bad = [](auto const& z) { return sum(xgrad::map([](auto const& c) { return norm_sq(c); }, xgrad::each(z))); };

int main() {
    xt::xtensor<std::complex<double>, 1> const z{{1.0, 2.0}, {0.5, -1.0}};
    (void)xgrad::gradient(good, z);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, z);
#endif
}
