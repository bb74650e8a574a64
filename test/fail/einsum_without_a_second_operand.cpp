// error: xgrad[E099]
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

using matrix = xt::xtensor<double, 2>;
auto f = [](auto const& x) { return sum(xgrad::einsum<"ij,jk->ik">(x, x)); };
auto g = [](auto const& x) { return sum(xgrad::einsum<"ij->ji">(x, x)); };

int main() {
    (void)xgrad::gradient(f, matrix{{1.0}});
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::gradient(g, matrix{{1.0}});
#endif
}
