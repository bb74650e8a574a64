// error: xgrad[E136]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

int main() {
    // a factorisation requires a library
    if constexpr (xgrad::linalg::has_lapack) {
        (void)xgrad::gradient([](auto const& a, auto const& y) { return sum(cholesky_solve(cholesky(a), y)); }, matrix{{1.0}}, vector{1.0});
#ifdef XGRAD_MUST_FAIL
        (void)xgrad::gradient([](auto const& a, auto const& y) { return sum(solve_cholesky(cholesky(a), y)); }, matrix{{1.0}}, vector{1.0});
#endif
    }
}
