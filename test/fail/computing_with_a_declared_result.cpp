// error: xgrad[E035]
#include <xgrad/xgrad.hpp>

auto helper = [](auto const& x) -> xgrad::real { return x * x; };
auto good = [](auto const& x) -> xgrad::real { return helper(x); };
auto bad = [](auto const& x) -> xgrad::real { return helper(x) * 2.0; };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
