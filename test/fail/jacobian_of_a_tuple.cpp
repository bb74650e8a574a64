// error: xgrad[E052]: jacobian\(f, x...\) requires a function that gives a number or an array
#include <xgrad/jacobian.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
#ifdef XGRAD_MUST_FAIL
    return std::tuple(x * x, sin(x));
#else
    return x * x;
#endif
};
auto dy = xgrad::jacobian(f, xt::xtensor<double, 1>{1.0, 2.0});
