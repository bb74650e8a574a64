// error: xgrad[E052]: jacobian\(f, x...\) requires a function that gives numbers and arrays
#include <vector>

#include <xgrad/jacobian.hpp>
#include <xgrad/xgrad.hpp>

auto f = [](auto const& x) {
    std::vector all{xgrad::variable(sum(x)), xgrad::variable(sum(x * x))};
#ifdef XGRAD_MUST_FAIL
    return all;
#else
    return stack(all);
#endif
};
auto dy = xgrad::jacobian(f, xt::xtensor<double, 1>{1.0, 2.0});
