// error: xgrad[E030]
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x, auto const& n) { return x * double(n); };

int main() {
    (void)xgrad::gradient(f, 2.0, xgrad::constant(3));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, 2.0, 3);
#endif
}
