// error: xgrad[E033]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return x * x; };
auto bad = [](auto const& x) { (void)(x * x); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
