// error: xgrad[E300]
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

struct nothing {};
auto times = [](auto const& i, auto const& a) { return a * static_cast<double>(i); };
auto good = [](auto const& x) { return xgrad::parallel_sum(3, times, x); };
auto bad = [](auto const& x) { return xgrad::parallel_sum(nothing{}, times, x); };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
