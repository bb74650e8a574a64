// error: xgrad[E178]
#include <xgrad/loop.hpp>
#include <xgrad/xgrad.hpp>

auto body = [](auto const& s) { return 0.5 * s; };
auto good = [](auto const& x) { return sum(xgrad::while_loop([](auto const& s) { return sum(s) > 0.1; }, body, x)); };
auto bad = [](auto const& x) { return (void)xgrad::while_loop([](auto const& s) { return s > 0.1; }, body, x), sum(x); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
