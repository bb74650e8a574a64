// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return x * double(int(xgrad::primal(x))); };
auto bad = [](auto const& x) { return x * double((int)x); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
