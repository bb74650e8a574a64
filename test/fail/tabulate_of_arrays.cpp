// error: xgrad[E182]
#include <tuple>
#include <xgrad/tabulate.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return sum(xgrad::tabulate(2, [](auto i, auto const& v) -> xgrad::real { return v(i) * 2.0; }, x)); };
auto bad = [](auto const& x) {
    auto y = xgrad::tabulate(2, [](auto i, auto const& v) { return std::tuple(v(i), v(i) * 2.0); }, x);
    return sum(y);
};

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#else
    static_cast<void>(bad);
#endif
}
