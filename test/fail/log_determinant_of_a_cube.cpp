// error: xgrad[E058]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
auto f = []([[maybe_unused]] auto const& x, [[maybe_unused]] auto const& y) { return sum(y) + logdet(x); };

int main() {
    // a factorisation requires a library
    if constexpr (xgrad::linalg::has_lapack) (void)xgrad::gradient([](auto const&... x) { return f(x...); }, matrix{{1.0}}, vector{1.0});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient([](auto const&... x) { return f(x...); }, cube{{{1.0}}}, vector{1.0});
#endif
}
