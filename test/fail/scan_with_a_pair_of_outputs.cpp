// error: xgrad[E179]
#include <tuple>
#include <utility>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto tuple = [](auto const& s, auto const& a) { return std::tuple(s * a, std::tuple(s, a)); };
auto pair = [](auto const& s, auto const& a) { return std::tuple(s * a, std::pair(s, a)); };
auto good = [](auto const& x) { return std::get<0>(xgrad::scan(tuple, 1.0, x)); };
auto bad = [](auto const& x) { return (void)xgrad::scan(pair, 1.0, x), sum(x); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
