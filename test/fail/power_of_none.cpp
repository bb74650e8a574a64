// error: xgrad[E081]
#include <xgrad/xgrad.hpp>

int main() {
    (void)xgrad::gradient([](auto const& x) { return xt::pow<2>(x); }, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return xt::pow<0>(x); }, 1.0);
#endif
}
