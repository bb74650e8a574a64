// error: xgrad\[E0(31|32|20)\]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x, auto const& y) { return x * y; };
auto bad = [](auto const& x, double y) { return x * y; };

int main() {
    (void)xgrad::gradient(good, 2.0, 3.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0, 3.0);
#endif
}
