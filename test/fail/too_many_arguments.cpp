// error: xgrad[E032]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return x * x; };

int main() {
    (void)xgrad::gradient(f, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, 2.0, 3.0);
#endif
}
