// error: xgrad[E171]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return xgrad::iterate(2, [](auto const& s, auto const& a) { return s * a; }, x, x); };
auto bad = [](auto const& x) { return xgrad::iterate(2, [](auto const& s, auto const& a) { return s * a[0]; }, x, std::vector{xgrad::variable(x)}); };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
