// error: xgrad[E089]
#include <xgrad/custom_gradient.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](xt::xtensor<double, 1> const& a) { return xgrad::value_with_pullback{a(0), [](double ybar) { return xt::xtensor<double, 1>{ybar, 0.0}; }}; };

int main() {
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(f, x); }, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(f, sum(x)); }, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
