// error: xgrad[E174]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto both = [](auto const& s) { return std::tuple(std::get<1>(s) * 2.0, std::get<0>(s)); };
auto one = [](auto const& s) { return std::tuple(std::get<1>(s) * 2.0); };
auto good = [](auto const& x) { return std::get<0>(xgrad::iterate(2, both, std::tuple(x, x))); };
auto bad = [](auto const& x) { return (void)xgrad::iterate(2, one, std::tuple(x, x)), x; };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
