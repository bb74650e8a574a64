// error: xgrad[E183]
#include <array>
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto i, auto const& v, auto const& s) -> xgrad::real { return v(i) * s; };
auto good = [](auto const& x, auto const& m) { return sum(xgrad::tabulate(2, times, x, m[0])); };
auto times_first = [](auto i, auto const& v, auto const& m) -> xgrad::real { return v(i) * m[0]; };
auto bad = [](auto const& x, auto const& m) { return sum(xgrad::tabulate(2, times_first, x, m)); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0}, std::array{3.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0}, std::array{3.0});
#else
    static_cast<void>(bad);
#endif
}
