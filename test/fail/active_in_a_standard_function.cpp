// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

#include <cmath>

auto good = [](auto const& x) { return tanh(x); };
auto bad = [](auto const& x) { return x * std::atan2(x, 1.0); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
