// error: no matching function
#include <xgrad/xgrad.hpp>

template <class T>
T poly(T x, T y) { return x * y + x; }

auto good = [](auto const& x) { return poly(xgrad::variable(x), xgrad::variable(x * x)); };
auto bad = [](auto const& x) { return poly(x, x * x); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
