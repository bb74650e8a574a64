// error: xgrad[E037]
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) {
    xgrad::number_like<decltype(x)> s = 0.0;
    for (auto v : x) s += v * v;
    return s;
};
auto bad = [](auto const& x) {
    xgrad::variable s = 0.0;
    for (auto v : x) s += v * v;
    return s;
};

int main() {
    xt::xtensor<double, 1> const x{1.0, 2.0};
    (void)xgrad::hessian(good, x);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::hessian(bad, x);
#endif
}
