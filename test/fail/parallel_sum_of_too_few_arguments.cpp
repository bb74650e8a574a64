// error: xgrad[E302]
#include <xgrad/parallel.hpp>
#include <xgrad/xgrad.hpp>

auto times = [](std::size_t i, auto const& a, auto const& b) { return a * b * static_cast<double>(i); };
auto good = [](auto const& x) { return xgrad::parallel_sum(3, times, x, x); };
auto bad = [](auto const& x) { return xgrad::parallel_sum(3, times, x); };

int main() {
    (void)xgrad::gradient(good, 1.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 1.0);
#endif
}
