// error: xgrad[E022]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

auto product = [](auto const& x, auto const& y) { return dot(x, y); };
xt::xtensor<double, 1> const x{1.0, 2.0};
xt::xtensor<float, 1> const y{3.0f, 4.0f};

int main() {
    (void)xgrad::gradient(product, x, x);
    // a constant is converted
    (void)xgrad::gradient(product, x, xgrad::constant(y));
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(product, x, y);
#endif
}
