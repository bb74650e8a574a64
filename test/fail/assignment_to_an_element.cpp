// error: xgrad[E107]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) {
    auto e = x(0);
    e = x(1);
    return e * x(0);
};
auto bad = [](auto const& x) {
    auto y = x * 2.0;
    y(0) = x(1);
    return sum(y);
};

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    (void)xgrad::gradient(good, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, x);
#endif
}
