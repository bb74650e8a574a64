// error: xgrad[E185]
#include <tuple>

#include <xgrad/vjp.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) { return std::tuple(sum(x), x * x); };

int main() {
    xt::xtensor<double, 1> x{1.0, 2.0};
    auto [y, back] = xgrad::vjp(f, x);
    (void)back(std::tuple(1.0, x));
#ifdef XGRAD_MUST_FAIL
    (void)back(std::tuple(1.0));
#endif
}
