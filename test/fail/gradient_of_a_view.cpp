// error: xgrad[E038]: gradient\(f, x...\) requires arguments that own what they refer to.*: use add_gradient
#include <xgrad/xgrad.hpp>

#include <tuple>

int main() {
    auto const f = [](auto const& x) { return sum(x * x); };
    xt::xtensor<double, 2> x{{1, 2}, {3, 4}}, xbar{{0, 0}, {0, 0}};
    auto const row = xt::view(x, 1, xt::all());
    std::tuple g{xt::view(xbar, 1, xt::all())};
    (void)xgrad::add_gradient(g, f, row);
#ifdef XGRAD_MUST_FAIL
    (void)xgrad::prepare_gradient(f, row);
#endif
}
