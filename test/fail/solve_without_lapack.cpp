// error: xgrad[E056]
#ifdef XGRAD_MUST_FAIL
#undef HAVE_CBLAS
#define XTENSOR_USE_FLENS_BLAS
#endif
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto f = [](auto const& x) { return sum(dot(x, x)); };
auto g = [](auto const& x) { return sum(solve(x, x)); };

int main() {
    (void)xgrad::gradient(f, matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(g, matrix{{1.0}});
#endif
}
