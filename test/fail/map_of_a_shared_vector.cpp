// error: xgrad[E162]
#include <xgrad/map.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto const& a, auto const& s) -> xgrad::real { return a * s[0]; };
auto x = xt::xtensor<double, 1>{1.0, 2.0};
auto good = [](auto const& m) { return sum(xgrad::map(times, xgrad::each(x), m)); };
auto bad = good;

int main() {
    (void)xgrad::gradient(good, std::array<double, 1>{2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, std::vector<double>{2.0});
#endif
}
