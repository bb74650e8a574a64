// error: xgrad[E177]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return std::get<0>(xgrad::checkpoint([](auto const& a) { return std::tuple(a * 2.0, a); }, x)); };
auto bad = [](auto const& x) { return (void)xgrad::checkpoint([](auto const& a) { return std::vector{xgrad::variable(a)}; }, x), x; };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
