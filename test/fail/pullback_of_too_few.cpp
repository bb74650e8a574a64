// error: xgrad[E086]
#include <xgrad/custom_gradient.hpp>
#include <xgrad/xgrad.hpp>

using xgrad::no_tangent, xgrad::value_with_pullback;
auto good = [](double a, double b) { return value_with_pullback{a * b, [=](double ybar) { return std::tuple(b * ybar, a * ybar); }}; };
auto bad = [](double a, double b) { return value_with_pullback{a * b, [=](double ybar) { return std::tuple((a + b) * ybar); }}; };

int main() {
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(good, x, x); }, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(bad, x, x); }, 1.0);
#endif
}
