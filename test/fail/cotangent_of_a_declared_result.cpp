// error: xgrad[E185]
#include <tuple>

#include <xgrad/vjp.hpp>
#include <xgrad/xgrad.hpp>

using pair = xt::xtensor_fixed<double, xt::xshape<2>>;
auto f = [](auto const& x) -> xgrad::result<std::tuple<double, pair>> { return std::tuple(sum(x), x * x); };

int main() {
    auto [y, back] = xgrad::vjp(f, pair{1.0, 2.0});
    (void)back(std::tuple(1.0, xt::xtensor<double, 1>{1.0, 2.0}));
#ifdef XGRAD_MUST_FAIL
    (void)back(std::tuple(1.0, 2.0));
#endif
}
