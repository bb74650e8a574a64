// error: xgrad[E039]: gradient\(f, x...\) requires views whose elements are at regular distances
#include <xgrad/xgrad.hpp>

#include <tuple>

int main() {
    auto const f = [](auto const& x) { return sum(x * x); };
    xt::xtensor<double, 1> x{1, 2, 3, 4}, xbar{0, 0, 0, 0};
    std::tuple g{xt::view(xbar, xt::range(0, 4, 2))};
    (void)xgrad::add_gradient(g, f, xt::view(x, xt::range(0, 4, 2)));
#ifdef XGRAD_MUST_FAIL
    std::tuple h{xt::view(xbar, xt::keep(0, 1, 3))};
    (void)xgrad::add_gradient(h, f, xt::view(x, xt::keep(0, 1, 3)));
#endif
}
