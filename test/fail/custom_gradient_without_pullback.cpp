// error: xgrad[E109]
#include <utility>

#include <xgrad/custom_gradient.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](double a) { return xgrad::value_with_pullback{2.0 * a, [](double ybar) { return 2.0 * ybar; }}; };
auto bad = [](double a) { return std::pair(2.0 * a, [](double ybar) { return 2.0 * ybar; }); };

int main() {
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(good, x); }, 3.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const& x) { return xgrad::custom_gradient(bad, x); }, 3.0);
#endif
}
