// error: xgrad[E030]
#include <xgrad/xgrad.hpp>

#include <vector>

auto f = [](auto const& x, auto const& n) { return x * n[0]; };

int main() {
    std::vector<int> const n{1, 2};
    (void)xgrad::gradient(f, 2.0, xgrad::constant(n));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(f, 2.0, n);
#endif
}
