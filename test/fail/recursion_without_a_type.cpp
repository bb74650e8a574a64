// error: before deduction of|before it is defined
#include <xgrad/xgrad.hpp>

auto good = [](auto const& self, auto const& x, int n) -> xgrad::variable<double> {
    if (n == 0) return x;
    return self(self, x, n - 1) * x;
};
auto bad = [](auto const& self, auto const& x, int n) {
    if (n > 0) return self(self, x, n - 1) * x;
    return x * x;
};

int main() {
    (void)xgrad::gradient([](auto const& x) { return good(good, x, 3); }, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return bad(bad, x, 3); }, 2.0);
#endif
}
