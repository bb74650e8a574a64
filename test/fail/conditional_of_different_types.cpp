// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

using xgrad::variable;
auto good = [](auto const& x) { return x > 1.0 ? variable(x * x) : variable(x); };
auto bad = [](auto const& x) { return x > 1.0 ? x * x : x + 1.0; };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
