// error: xgrad[E192]
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto i, auto const& u, auto const& k) -> xgrad::real { return u(i) * k; };
auto good = [](auto const& z, auto const& k) { return sum(xgrad::tabulate(2, times, xgrad::variable(real(z)), k)); };
auto bad = [](auto const& z, auto const& k) {
    auto entry = [](auto i, auto const& u, auto const& r) { return norm_sq(u(i)) * r; };
    return sum(xgrad::tabulate(2, entry, z, k));
};

int main() {
    xt::xtensor<std::complex<double>, 1> const z{{1.0, 2.0}, {0.5, -1.0}};
    (void)xgrad::gradient(good, z, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, z, 2.0);
#endif
}
