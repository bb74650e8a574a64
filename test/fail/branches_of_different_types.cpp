// error: inconsistent types|inconsistent deduction|deduced as
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) -> xgrad::variable<double> { if (x < 0.0) return -x; return x * x; };
auto bad = [](auto const& x) { if (x < 0.0) return -x; return x * x; };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
