// error: xgrad[E141]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { xgrad::variable s = x * x; s = s + x; return s; };
auto bad = [](auto const& x) { auto s = x * x; s = s + x; return s; };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
