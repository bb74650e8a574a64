// error: xgrad[E029]
#include <xgrad/assign.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<float, 1>;
auto good = [](auto const& x) { auto g = assign(x, x * 2.0f); return sum(x); };
auto bad = [](auto const& x) { auto g = assign(x, x * 2.0); return sum(x); };

int main() {
    (void)xgrad::gradient(good, vector{1.0f});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, vector{1.0f});
#endif
}
