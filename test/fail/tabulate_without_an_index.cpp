// error: xgrad[E181]
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::tabulate(2, [](auto i, auto const& v) -> xgrad::real { return v(i) * 2.0; }, x)); };
auto bad = [](auto const& x) { return sum(xgrad::tabulate({1, 2}, [](auto i, auto const& v) -> xgrad::real { return v(i) * 2.0; }, x)); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#else
    static_cast<void>(bad);
#endif
}
