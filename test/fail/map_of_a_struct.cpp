// error: xgrad[E162]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto const& a, auto const& s) -> xgrad::real { return a * s; };
auto good = [](auto const& m) { return sum(xgrad::map(times, xgrad::each(std::get<1>(m)), std::get<0>(m))); };
auto bad = [](auto const& m) { return sum(xgrad::map(times, xgrad::each(std::get<1>(m)), m)); };

int main() {
    (void)xgrad::gradient(good, std::tuple(2.0, xt::xtensor<double, 1>{1.0, 2.0}));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, std::tuple(2.0, xt::xtensor<double, 1>{1.0, 2.0}));
#endif
}
