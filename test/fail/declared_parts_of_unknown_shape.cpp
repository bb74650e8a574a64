// error: xgrad[E184]: vjp, jvp and jacobian require a declared result of numbers and of arrays whose types say their shapes
#include <tuple>

#include <xgrad/vjp.hpp>
#include <xgrad/xgrad.hpp>

#ifdef XGRAD_MUST_FAIL
using array = xt::xtensor<double, 1>;
#else
using array = xt::xtensor_fixed<double, xt::xshape<2>>;
#endif

auto f = [](auto const& x, auto const& k) -> xgrad::result<std::tuple<double, array>> { return std::tuple(sum(x), x * k); };
auto y = xgrad::vjp(f, array{1.0, 2.0}, 3.0);
