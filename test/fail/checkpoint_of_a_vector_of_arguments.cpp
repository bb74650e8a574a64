// error: xgrad[E175]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto twice = [](auto const& a) { return a * 2.0; };
auto good = [](auto const& x) { return xgrad::checkpoint(twice, x); };
auto bad = [](auto const& x) { return (void)xgrad::checkpoint([](auto const& v) { return v[0]; }, std::vector{xgrad::variable(x)}), x; };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
