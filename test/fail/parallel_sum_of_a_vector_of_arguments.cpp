// error: xgrad[E301]
#include <vector>

#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

auto first = [](auto const&, auto const& a) { return a * 2.0; };
auto good = [](auto const& x) { return xgrad::parallel_sum(3, first, x[0]); };
auto bad = [](auto const& x) { return xgrad::parallel_sum(3, [](auto const&, auto const& a) { return a[0]; }, x); };

int main() {
    (void)xgrad::gradient(good, std::vector{1.0, 2.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, std::vector{1.0, 2.0});
#endif
}
