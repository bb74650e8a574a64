// error: xgrad[E117]: assign\(x, y\) in a function with a declared result requires an array x whose type does not fix its shape
#include <xgrad/xgrad.hpp>

auto f = [](auto const& p) -> xgrad::real {
#ifdef XGRAD_MUST_FAIL
    auto version = assign(p, p * 2.0);
    return sum(p);
#else
    auto q = p * 2.0;
    return sum(q);
#endif
};

auto g = xgrad::gradient(f, xt::xtensor_fixed<double, xt::xshape<3>>{1.0, 2.0, 3.0});
