// error: xgrad[E110]: einsum<labels>\(x\.\.\.\) requires labels of as many operands as there are
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto f = [](auto const& x) { return xgrad::einsum<"ij,jk,ki->">(x, x, x); };
auto g = [](auto const& x) { return xgrad::einsum<"ij,jk->ik">(x); };

int main() {
    (void)xgrad::gradient(f, matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(g, matrix{{1.0}});
#endif
}
