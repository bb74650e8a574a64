// The package's linear algebra compiles, links to the BLAS library and gives the right numbers.
#include <cstdio>

#include <xgrad/linalg.hpp>
#include <xgrad/xgrad.hpp>

int main() {
    xt::xtensor<double, 2> const a{{1, 2}, {3, 4}};
    xt::xtensor<double, 1> const x{5, 6};
    auto [value, gradient] = xgrad::value_and_gradient([](auto const& m, auto const& v) { return sum(xgrad::dot(m, v)); }, a, x);
    auto const& [da, dx] = gradient;
    std::printf("products: value %g, by the vector (%g, %g)\n", value, dx(0), dx(1));
    return value == 56 && da(0, 0) == 5 && da(1, 1) == 6 && dx(0) == 4 && dx(1) == 6 ? 0 : 1;
}
