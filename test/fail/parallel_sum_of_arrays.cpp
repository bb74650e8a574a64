// error: xgrad[E303]
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

auto good = [](auto const& x) { return xgrad::parallel_sum(3, [](std::size_t, auto const& a) { return sum(a * a); }, x); };
auto bad = [](auto const& x) { return xgrad::parallel_sum(3, [](std::size_t, auto const& a) { return a * a; }, x); };

int main() {
    (void)xgrad::gradient(good, xt::xtensor<double, 1>{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, xt::xtensor<double, 1>{1.0, 2.0});
#endif
}
