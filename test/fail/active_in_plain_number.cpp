// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { auto s = x * x; return s; };
auto bad = [](auto const& x) { double s = x * x; return s * x; };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
