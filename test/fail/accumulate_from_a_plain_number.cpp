// error: xgrad[E020]
#include <xgrad/xgrad.hpp>

#include <numeric>
#include <vector>

using xgrad::variable;
auto good = [](auto const& x) { std::vector<variable<double>> v{x, x * x}; return std::accumulate(v.begin(), v.end(), variable(0.0)); };
auto bad = [](auto const& x) { std::vector v{variable(x), variable(x * x)}; return x * std::accumulate(v.begin(), v.end(), 0.0); };

int main() {
    (void)xgrad::gradient(good, 2.0);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(bad, 2.0);
#endif
}
