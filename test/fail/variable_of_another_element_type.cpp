// error: xgrad[E126]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { xgrad::variable<float> v = x; return v * v; };
auto bad = [](auto const& x) { xgrad::variable<double> v = x; return v * v; };

int main() {
    (void)xgrad::gradient(good, 2.0f);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0f);
#endif
}
