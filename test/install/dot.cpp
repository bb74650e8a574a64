// The linear algebra of an installed xgrad compiles, links and runs: the gradient of sum(A x) in A is a row of x for each of A's.
#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    xt::xtensor<double, 2> A{{1, 2}, {3, 4}};
    xt::xtensor<double, 1> x{5, 6};
    auto [value, gradient] = xgrad::value_and_gradient([](auto const& a, auto const& b) { return xgrad::sum(xgrad::dot(a, b)); }, A, x);
    auto const& [dA, dx] = gradient;
    return value == 56 && dA(0, 0) == 5 && dA(1, 1) == 6 && dx(0) == 4 && dx(1) == 6 ? 0 : 1;
}
