// error: xgrad[E080]
#include <xgrad/xgrad.hpp>

int main() {
    (void)xgrad::gradient([](auto const& x) { return erf(x); }, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return lgamma(x); }, 1.0);
#endif
}
