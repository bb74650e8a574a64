// error: xgrad[E170]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto same = [](auto const& s) { return s; };
auto good = [](auto const& x) { return std::get<0>(xgrad::iterate(2, same, std::tuple(x, x))); };
auto bad = [](auto const& x) { return (void)xgrad::iterate(2, same, std::vector{xgrad::variable(x)}), x; };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
