// error: xgrad[E115]: eig\(A\) and eigvals\(A\) of a general matrix require complex results
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto f = []([[maybe_unused]] auto const& x) { return sum(eigvalsh(x)); };
auto g = []([[maybe_unused]] auto const& x) {
    xgrad::eigvals(x);
    return sum(x);
};

int main() {
    // a decomposition requires a library
    if constexpr (xgrad::linalg::has_lapack) (void)xgrad::gradient([](auto const& x) { return f(x); }, matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(g, matrix{{1.0}});
#endif
}
