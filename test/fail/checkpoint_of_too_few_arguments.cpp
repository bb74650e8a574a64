// error: xgrad[E176]
#include <tuple>
#include <vector>

#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](auto const& a, auto const& b) { return a * b; };
auto good = [](auto const& x) { return xgrad::checkpoint(times, x, x); };
auto bad = [](auto const& x) { return xgrad::checkpoint(times, x); };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
