// error: xgrad[E047]: gradient\(f, x...\) requires plain arguments, but one is an active value
#include <xgrad/xgrad.hpp>

auto square = [](auto const& t) { return t * t; };
auto good = [](auto const& x) { return x * std::get<0>(xgrad::gradient(square, xgrad::primal(x))); };
auto bad = [](auto const& x) { return x * std::get<0>(xgrad::gradient(square, x)); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
